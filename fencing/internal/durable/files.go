package durable

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"sync"
)

// Held is a file of a name, which is the caller's alone until Release.
type Held struct {
	Data    []byte // nil where there is none yet
	save    func([]byte) error
	release func()
}

// Save has data kept, on the disk where there is one, when it returns. After an
// error it may be kept or not.
func (h *Held) Save(data []byte) error { return h.save(data) }

// Release ends the hold. It is called once.
func (h *Held) Release() { h.release() }

// Files keep data by name in a directory, for all processes of a host. There are
// two files a name: the data, and the lock, ended by .lock.
type Files struct {
	dir   string
	turns Turns // so that callers in one process wait in no loop
}

// Open makes the directory, and those above it, where they are not there.
func Open(dir string) (*Files, error) {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	if err := Sync(filepath.Dir(dir)); err != nil && !errors.Is(err, fs.ErrPermission) {
		return nil, err // whoever may not list it was given dir by somebody else
	}
	return &Files{dir: dir}, nil
}

// Hold waits until the name is the caller's alone, until the context ends, whose
// error it then is.
func (f *Files) Hold(ctx context.Context, name string) (*Held, error) {
	leave, err := f.turns.Take(ctx, name)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(f.dir, fileName(name))
	unlock, err := Lock(ctx, path+".lock")
	if err != nil {
		leave()
		return nil, err
	}
	release := func() { unlock(); leave() }
	data, err := os.ReadFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		release()
		return nil, fmt.Errorf("read what is kept: %w", err)
	}
	save := func(data []byte) error { return Replace(path, data) }
	return &Held{Data: data, save: save, release: release}, nil
}

// longest is how long a file's name may be, with .lock or .new behind it.
const longest = 240

// fileName is the name where its characters are harmless; others become %XX. One
// that is too long is told by its digest, behind a % that no other has there.
func fileName(name string) string {
	var text strings.Builder
	for i := range len(name) {
		switch c := name[i]; {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9', c == '-', c == '_':
			text.WriteByte(c)
		default:
			fmt.Fprintf(&text, "%%%02X", c)
		}
	}
	if text.Len() == 0 || text.Len() > longest {
		digest := sha256.Sum256([]byte(name))
		return "%-" + hex.EncodeToString(digest[:])
	}
	return text.String()
}

// Memory is what Files are, for as long as the process lives. The zero Memory has
// nothing.
type Memory struct {
	turns Turns
	mu    sync.Mutex // guards what follows
	data  map[string][]byte
}

// Hold is [Files.Hold].
func (m *Memory) Hold(ctx context.Context, name string) (*Held, error) {
	release, err := m.turns.Take(ctx, name)
	if err != nil {
		return nil, err
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	return &Held{Data: m.data[name], save: func(data []byte) error { m.keep(name, data); return nil }, release: release}, nil
}

func (m *Memory) keep(name string, data []byte) {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.data == nil {
		m.data = map[string][]byte{}
	}
	m.data[name] = data
}
