package host

import (
	"testing"

	"irgl/internal/device"
)

// A metered device hands out addresses and counts what is allocated; more than
// limit at a time are refused.
type metered struct {
	device.Device
	next         device.Ptr
	live, limit  int
	allocs, gone int
}

func (d *metered) Alloc(name string, size int64) (device.Ptr, error) {
	if d.live == d.limit {
		return 0, &device.OutOfMemoryError{Name: name, Size: size, Free: -1}
	}
	d.live++
	d.allocs++
	d.next += 256
	return d.next, nil
}

func (d *metered) Free(device.Ptr) error {
	d.live--
	d.gone++
	return nil
}

// TestPool checks that memory is used again for the same size only, and goes
// back when the device has no more or the pool ends.
func TestPool(t *testing.T) {
	d := &metered{limit: 3}
	p := newPool(d)
	alloc := func(size int64) device.Ptr {
		t.Helper()
		ptr, err := p.Alloc("x", size)
		if err != nil {
			t.Fatal(err)
		}
		return ptr
	}
	free := func(ptr device.Ptr) {
		t.Helper()
		if err := p.Free(ptr); err != nil {
			t.Fatal(err)
		}
	}
	a, b := alloc(100), alloc(200)
	free(a)
	if again := alloc(100); again != a || d.allocs != 2 {
		t.Errorf("100 bytes again: %#x, not %#x, after %d allocations", again, a, d.allocs)
	}
	free(b)
	if other := alloc(300); other == b {
		t.Error("memory of 200 bytes serves for 300")
	}
	free(a)
	alloc(400) // the device is full: what waits goes back first
	if d.gone != 2 || d.live != 2 {
		t.Errorf("%d were given back, %d are allocated", d.gone, d.live)
	}
	alloc(500)
	if _, err := p.Alloc("x", 600); err == nil {
		t.Error("a full device with an empty pool")
	}
	free(12345) // not the pool's
	if d.gone != 3 {
		t.Error("memory of others waits in the pool")
	}
	d.limit++
	free(alloc(700))
	if err := drainPool(p); err != nil || len(p.(*pool).free) != 0 {
		t.Errorf("drained: %v, %v", err, p.(*pool).free)
	}
}

func (d *metered) CopyIn(device.Ptr, []byte) error { return nil }

// TestStoreDrains checks that the array of a graph gets what waits in the pool when
// the device is full.
func TestStoreDrains(t *testing.T) {
	d := &metered{limit: 2}
	s := NewStore(d)
	for _, size := range []int64{100, 200} {
		p, err := s.pool.Alloc("x", size)
		if err != nil {
			t.Fatal(err)
		}
		defer s.pool.Free(p)
		if size == 200 {
			if err := s.pool.Free(p); err != nil {
				t.Fatal(err)
			}
		}
	}
	if _, err := words(s, "dst", []uint32{1, 2, 3}); err != nil || d.gone != 1 {
		t.Errorf("%d were given back: %v", d.gone, err)
	}
	if _, err := words(s, "weight", []int32{1, 2, 3}); err == nil {
		t.Error("a full device with an empty pool")
	}
}
