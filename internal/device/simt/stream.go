package simt

import (
	"context"
	"errors"

	"irgl/internal/device"
)

// The emulator has no streams but its own yet.

func (d *Device) AllocHost(string, int64) (device.HostMemory, error) {
	return nil, errors.ErrUnsupported
}
func (d *Device) NewStream(device.StreamOptions) (device.Stream, error) {
	return nil, errors.ErrUnsupported
}
func (d *Device) CanPeer(other device.Device) (bool, error) { return other == device.Device(d), nil }
func (d *Device) EnablePeer(device.Device) error            { return errors.ErrUnsupported }
func (e *event) Done() (bool, error)                        { return false, errors.ErrUnsupported }
func (e *event) Sync(context.Context) error                 { return errors.ErrUnsupported }
