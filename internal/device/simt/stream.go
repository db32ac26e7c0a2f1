package simt

import (
	"context"
	"errors"

	"irgl/internal/device"
)

// The emulator has no streams but its own yet.

// AllocHost is not supported yet.
func (d *Device) AllocHost(string, int64) (device.HostMemory, error) {
	return nil, errors.ErrUnsupported
}

// NewStream is not supported yet.
func (d *Device) NewStream(device.StreamOptions) (device.Stream, error) {
	return nil, errors.ErrUnsupported
}

// CanPeer reports whether other is the device itself.
func (d *Device) CanPeer(other device.Device) (bool, error) { return other == device.Device(d), nil }

// EnablePeer is not supported yet.
func (d *Device) EnablePeer(device.Device) error { return errors.ErrUnsupported }

func (e *event) Done() (bool, error)        { return false, errors.ErrUnsupported }
func (e *event) Sync(context.Context) error { return errors.ErrUnsupported }
