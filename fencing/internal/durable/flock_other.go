//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd)

package durable

import (
	"errors"
	"os"
)

func tryFlock(*os.File) (bool, error) { return false, errors.ErrUnsupported }
