package durable

import (
	"errors"
	"os"
	"path/filepath"
)

// Replace makes data the content of a file in one step, and returns when it is on
// the disk. After a crash the file has the old content or the new one. Whoever
// calls it has the file's lock: what a crash left half written has a fixed name,
// the file's and .new, and is written anew.
func Replace(path string, data []byte) error {
	if err := write(path+".new", data); err != nil {
		return err
	}
	if err := os.Rename(path+".new", path); err != nil {
		return err
	}
	return Sync(filepath.Dir(path))
}

// write writes a file to the disk.
func write(path string, data []byte) error {
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC, 0o666)
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	return errors.Join(err, file.Close())
}

// Sync has a file's content on the disk; or what was made, renamed and removed in
// a directory.
func Sync(path string) error {
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
