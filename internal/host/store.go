package host

import (
	"errors"
	"maps"
	"slices"
	"unsafe"

	"irgl/graph"
	"irgl/internal/abi"
	"irgl/internal/device"
	"irgl/internal/prepare"
)

// A Store is memory of one device that engines share. It owns the arrays of graphs, which
// are read-only: those that were copied from the host, once for all engines, and those that
// were made of them on the device. Memory that one engine frees is reused by the next. One
// engine of a store runs at a time. It serves callers that run many programs, or one program
// with many choices of switches, on the same graph.
type Store struct {
	dev    device.Device
	pool   device.Device // a pool on dev, for arrays that programs change
	arrays map[arrayKey]device.Ptr
	made   []device.Ptr // on the device
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
func (s *Store) Forget() error {
	return s.Retain(func(unsafe.Pointer) bool { return false }, func(device.Ptr) bool { return false })
}

// Retain frees the pool and the arrays of graphs, but for copies of arrays at the addresses that are used and for
// arrays on the device that are. No engine may have one of the others placed.
func (s *Store) Retain(used func(first unsafe.Pointer) bool, usedOnDevice func(array device.Ptr) bool) error {
	err := errors.Join(s.Drain(), s.trim(func(key arrayKey, p device.Ptr) bool { return used(key.first) || usedOnDevice(p) }))
	s.made = slices.DeleteFunc(s.made, func(p device.Ptr) bool {
		if usedOnDevice(p) {
			return false
		}
		err = errors.Join(err, s.dev.Free(p))
		return true
	})
	return err
}

// Drain frees the memory that engines have freed.
func (s *Store) Drain() error { return drainPool(s.pool) }

// Trim frees the arrays that were copied from the host, but for some.
func (s *Store) Trim(keep ...device.Ptr) error {
	return s.trim(func(_ arrayKey, p device.Ptr) bool { return slices.Contains(keep, p) })
}

func (s *Store) trim(keep func(arrayKey, device.Ptr) bool) error {
	var err error
	for key, p := range s.arrays {
		if !keep(key, p) {
			err = errors.Join(err, s.dev.Free(p))
			delete(s.arrays, key)
		}
	}
	return err
}

// Adopt makes the store the owner of arrays of graphs that were made on the device.
func (s *Store) Adopt(arrays ...device.Ptr) {
	for _, p := range arrays {
		if p != 0 && !slices.Contains(s.made, p) && !s.copied(p) {
			s.made = append(s.made, p)
		}
	}
}

// copied reports whether an array was copied from the host.
func (s *Store) copied(array device.Ptr) bool {
	for _, p := range s.arrays {
		if p == array {
			return true
		}
	}
	return false
}

// Upload copies the arrays of a graph of at most [prepare.MaxArcs] arcs to the device, those
// that are not there yet: its weights, too, where the program requires integer ones. The
// function that it returns, also with an error, frees the arrays that were not there.
func (s *Store) Upload(g *graph.Graph, weights bool) (out *prepare.Graph, undo func() error, err error) {
	g = orEmpty(g)
	before := slices.Collect(maps.Values(s.arrays))
	out = &prepare.Graph{Nodes: uint32(g.NumNodes()), Arcs: uint32(g.NumEdges())}
	undo = func() error { return s.Trim(before...) }
	if out.Row, err = s.rows(abi.Row, g.RowStart, 4); err != nil {
		return nil, undo, err
	}
	if out.Dst, err = words(s, abi.Dst, g.Dst); err != nil {
		return nil, undo, err
	}
	if weights {
		out.Weight, err = words(s, abi.Weight, g.Weight)
	}
	return out, undo, err
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
