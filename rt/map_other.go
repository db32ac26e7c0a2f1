//go:build !unix

package rt

import (
	"io"
	"os"
)

// mapFile reads a file: there is no mapping on this system.
func mapFile(f *os.File) ([]byte, error) { return io.ReadAll(f) }
