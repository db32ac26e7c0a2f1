//go:build unix

package atomicfile

import (
	"context"
	"errors"
	"os"
	"syscall"
	"time"
)

// openThrough opens what is no regular file for writing. A named pipe that nobody reads
// cannot be opened without waiting: it is tried until somebody does or ctx is done.
func openThrough(ctx context.Context, path string, mode os.FileMode) (*os.File, error) {
	if mode&os.ModeNamedPipe == 0 {
		return os.OpenFile(path, os.O_WRONLY, 0)
	}
	tick := time.NewTicker(10 * time.Millisecond)
	defer tick.Stop()
	for {
		f, err := os.OpenFile(path, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if !errors.Is(err, syscall.ENXIO) {
			return f, err
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}
