package host

import (
	"errors"
	"unsafe"

	"irgl/internal/device"
)

// A Store is memory of one device that engines share: the arrays of graphs, which
// are read-only, are copied once for all engines, and memory that one engine
// frees is reused by the next. One engine of a store runs at a time. It serves
// callers that run many programs, or one program with many choices of switches,
// on the same graph.
type Store struct {
	dev    device.Device
	pool   device.Device // a pool on dev, for arrays that programs change
	arrays map[arrayKey]device.Ptr
}

// An arrayKey identifies an array by its address in host memory, which it keeps
// reachable, and by the size of its elements on the device.
type arrayKey struct {
	first  unsafe.Pointer
	length int
	size   int64
}

// NewStore returns an empty store on a device.
func NewStore(dev device.Device) *Store {
	return &Store{dev: dev, pool: newPool(dev), arrays: map[arrayKey]device.Ptr{}}
}

// Forget frees the arrays of graphs and the pool. It is called before a graph is
// freed, and only while no engine has a graph placed that it will run on without
// placing it again.
func (s *Store) Forget() error { return s.Retain(func(unsafe.Pointer) bool { return false }) }

// Retain frees the pool and the arrays of graphs but those at the addresses that are used. No engine
// may have one of the others placed.
func (s *Store) Retain(used func(first unsafe.Pointer) bool) error {
	err := drainPool(s.pool)
	for key, p := range s.arrays {
		if !used(key.first) {
			err = errors.Join(err, s.dev.Free(p))
			delete(s.arrays, key)
		}
	}
	return err
}

// held returns the array at key, uploading the bytes that encode returns if it is
// not on the device yet. All empty arrays are the same.
func (s *Store) held(name string, key arrayKey, encode func() []byte) (device.Ptr, error) {
	if p, ok := s.arrays[key]; ok {
		return p, nil
	}
	b := encode()
	p, err := s.dev.Alloc(graphMemory+name, int64(len(b)))
	if _, full := errors.AsType[*device.OutOfMemoryError](err); full && drainPool(s.pool) == nil {
		p, err = s.dev.Alloc(graphMemory+name, int64(len(b)))
	}
	if err != nil {
		return 0, err
	}
	if len(b) > 0 {
		if err := s.dev.CopyIn(p, b); err != nil {
			return 0, errors.Join(err, s.dev.Free(p))
		}
	}
	s.arrays[key] = p
	return p, nil
}

// rows returns the row offsets of a graph on the device, with 4 or 8 bytes each.
func (s *Store) rows(name string, list []uint64, size int64) (device.Ptr, error) {
	key := arrayKey{unsafe.Pointer(unsafe.SliceData(list)), len(list), size}
	return s.held(name, key, func() []byte {
		if size == 8 {
			return bytesOf(list)
		}
		return bytesOf(narrowed(list))
	})
}

// words returns an array of 32-bit integers on the device.
func words[T int32 | uint32](s *Store, name string, list []T) (device.Ptr, error) {
	key := arrayKey{unsafe.Pointer(unsafe.SliceData(list)), len(list), 4}
	return s.held(name, key, func() []byte { return bytesOf(list) })
}
