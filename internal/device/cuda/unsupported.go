//go:build nogpu || !(linux || windows) || !(amd64 || arm64)

package cuda

import (
	"fmt"
	"runtime"

	"irgl/internal/device"
)

// Open fails: this build has no code for NVIDIA GPUs.
func Open(ordinal int) (device.Device, error) {
	return nil, unsupported()
}

// OpenWith fails: this build has no code for NVIDIA GPUs.
func OpenWith(ordinal int, options Options) (device.Device, error) {
	return nil, unsupported()
}

// List fails: this build has no code for NVIDIA GPUs.
func List() ([]device.Info, error) {
	return nil, unsupported()
}

func unsupported() error {
	return fmt.Errorf("%w: this program was built for %s/%s without GPU support", ErrNoDriver, runtime.GOOS, runtime.GOARCH)
}
