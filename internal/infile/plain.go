package infile

import (
	"errors"
	"fmt"
	"io/fs"
)

// Plain returns the error of a file without the name of the system call: "x.cu: no such file or directory".
func Plain(err error) error {
	if e, ok := errors.AsType[*fs.PathError](err); ok && err == error(e) {
		return fmt.Errorf("%s: %w", e.Path, e.Err)
	}
	return err
}
