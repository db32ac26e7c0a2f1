//go:build !linux

package atomicfile

import (
	"errors"
	"os"
)

// openUnnamed returns nil: only Linux has files without a name that can get one.
func openUnnamed(string, os.FileMode) *os.File { return nil }

// linkUnnamed is never called.
func linkUnnamed(*os.File, string) error { return errors.ErrUnsupported }
