//go:build (linux || windows) && (amd64 || arm64) && !nogpu

package cuda

import (
	"context"
	"errors"

	"irgl/internal/device"
)

// The driver's device has no streams but its own yet.

func (d *gpu) AllocHost(string, int64) (device.HostMemory, error) { return nil, errors.ErrUnsupported }
func (d *gpu) NewStream(device.StreamOptions) (device.Stream, error) {
	return nil, errors.ErrUnsupported
}
func (d *gpu) CanPeer(other device.Device) (bool, error) { return other == device.Device(d), nil }
func (d *gpu) EnablePeer(device.Device) error            { return errors.ErrUnsupported }
func (e *event) Done() (bool, error)                     { return false, errors.ErrUnsupported }
func (e *event) Sync(context.Context) error              { return errors.ErrUnsupported }
