package servers

import (
	"context"
	"path/filepath"
	"strconv"
)

const (
	// S3User and S3Secret are the key of who may do anything at an S3 server.
	S3User   = "lab"
	S3Secret = "labsecret"

	// s3Health is a path that no bucket's name is.
	s3Health = "/.health"
)

// S3 is a server of the S3 protocol, versitygw, on a directory of files.
type S3 struct {
	group
	Address string
}

// BuildS3 makes the server in the version of its own module, beside this one,
// and returns its path in Go's cache.
func BuildS3(ctx context.Context) (string, error) {
	lab, err := gotool(ctx, "list", "-m", "-f", "{{.Dir}}", "lockside/fencing/lab")
	if err != nil {
		return "", err
	}
	return gotool(ctx, "tool", "-C", filepath.Join(lab, "s3server"), "-n", "versitygw")
}

// StartS3 runs a server without buckets. It keeps what it tells of objects in
// extended attributes of their files, and replaces files as a whole. It does not
// sync: what it acknowledged outlives the process, but not the machine.
func StartS3(ctx context.Context, parent, binary string) (*S3, error) {
	ports, err := freePorts(1)
	if err != nil {
		return nil, err
	}
	dir, err := subdir(parent, "s3")
	if err != nil {
		return nil, err
	}
	if _, err := subdir(dir, "data"); err != nil {
		return nil, err
	}
	s3 := &S3{Address: address(ports[0])}
	c := command{name: "versitygw", dir: dir, path: binary, args: []string{
		"--port", host + ":" + strconv.Itoa(ports[0]), "--access", S3User, "--secret", S3Secret,
		"--health", s3Health, "--keep-alive", "--quiet", "posix", "data",
	}}
	s3.group, err = startGroup(ctx, []command{c}, func(ctx context.Context, _ int) error {
		return ask(ctx, s3.Address, "GET "+s3Health+" HTTP/1.1\r\nHost: "+s3.Address+"\r\nConnection: close\r\n\r\n", "HTTP/1.1 200")
	})
	if err != nil {
		return nil, err
	}
	return s3, nil
}
