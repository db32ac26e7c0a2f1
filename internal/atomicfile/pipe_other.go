//go:build !unix

package atomicfile

import (
	"context"
	"os"
)

// openThrough opens what is no regular file for writing.
func openThrough(_ context.Context, path string, _ os.FileMode) (*os.File, error) {
	return os.OpenFile(path, os.O_WRONLY, 0)
}
