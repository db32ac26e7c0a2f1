//go:build !unix

package graph

import (
	"errors"
	"os"
)

// mapFile always fails: the file is read instead.
func mapFile(*os.File, int64) (data []byte, unmap func() error, err error) {
	return nil, nil, errors.ErrUnsupported
}
