package serve

import (
	"cmp"
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// An arrayRef names an array in the arena: of Length elements of a Type, in the byte order
// of the machine, from the offset At on.
type arrayRef struct {
	At     int64  `cbor:"at"`
	Type   string `cbor:"type"`
	Length int64  `cbor:"length"`
}

// elementSizes has the sizes of the types of elements.
var elementSizes = map[string]int64{
	"int8": 1, "uint8": 1, "int16": 2, "uint16": 2, "int32": 4, "uint32": 4, "int64": 8, "uint64": 8, "float32": 4, "float64": 8,
}

// array returns the bytes of an array.
func (a *arena) array(name string, r *arrayRef) ([]byte, error) {
	size, ok := elementSizes[r.Type]
	switch {
	case !ok:
		return nil, argumentf("%s: there is no type %q of elements", name, r.Type)
	case r.Length < 0 || r.Length > maxArena/size:
		return nil, argumentf("%s: an array of %d elements", name, r.Length)
	case r.At%size != 0:
		return nil, argumentf("%s: elements of %d bytes cannot be at %d", name, size, r.At)
	case r.Length == 0:
		return nil, nil
	}
	return a.bytes(r.At, r.Length*size)
}

type integer interface {
	~int8 | ~uint8 | ~int16 | ~uint16 | ~int32 | ~uint32 | ~int64 | ~uint64
}

type number interface{ integer | ~float32 | ~float64 }

// cast returns bytes of the arena, which are aligned, as elements.
func cast[T number](b []byte) []T {
	var t T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/int(unsafe.Sizeof(t)))
}

// raw returns the bytes of elements.
func raw[T number](v []T) []byte {
	var t T
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(v))), len(v)*int(unsafe.Sizeof(t)))
}

// grain is how many elements a goroutine converts at least.
const grain = 1 << 16

// inParallel calls f for parts of n elements, on all processors, and returns the error of
// the first part that has one.
func inParallel(n int, f func(lo, hi int) error) error {
	workers := min(runtime.GOMAXPROCS(0), n/grain+1)
	errs := make([]error, workers)
	var all sync.WaitGroup
	for w := range workers {
		lo, hi := n*w/workers, n*(w+1)/workers
		if w == workers-1 {
			errs[w] = f(lo, hi)
			continue
		}
		all.Go(func() { errs[w] = f(lo, hi) })
	}
	all.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}

// copied returns a copy.
func copied[T number](src []T) []T {
	dst := make([]T, len(src))
	_ = inParallel(len(src), func(lo, hi int) error {
		copy(dst[lo:hi], src[lo:hi])
		return nil
	})
	return dst
}

// An arrayReader reads the arrays of a request.
type arrayReader struct {
	arena  *arena
	share  bool  // arrays of the type that is needed are used in place
	copied int64 // bytes
}

// take returns the elements themselves, or a copy.
func take[T number](r *arrayReader, b []byte) []T {
	if r.share {
		return cast[T](b)
	}
	r.copied += int64(len(b))
	return copied(cast[T](b))
}

// converted returns a copy of integers as others.
func converted[T, S integer](r *arrayReader, name string, b []byte) ([]T, error) {
	src := cast[S](b)
	dst := make([]T, len(src))
	r.copied += int64(len(raw(dst)))
	return dst, inParallel(len(src), func(lo, hi int) error {
		for i := lo; i < hi; i++ {
			v := src[i] // once: the client may change it
			dst[i] = T(v)
			if S(dst[i]) != v || (dst[i] < 0) != (v < 0) {
				return &failure{Kind: kindInput, Message: fmt.Sprintf("%s[%d] is %d, which does not fit %T", name, i, v, dst[i])}
			}
		}
		return nil
	})
}

// integers returns an array of integers.
//
//irgl:flatswitch
func integers[T integer](r *arrayReader, name string, a *arrayRef) ([]T, error) {
	b, err := r.arena.array(name, a)
	if err != nil {
		return nil, err
	}
	switch a.Type {
	case typeName[T]():
		return take[T](r, b), nil
	case "int8":
		return converted[T, int8](r, name, b)
	case "uint8":
		return converted[T, uint8](r, name, b)
	case "int16":
		return converted[T, int16](r, name, b)
	case "uint16":
		return converted[T, uint16](r, name, b)
	case "int32":
		return converted[T, int32](r, name, b)
	case "uint32":
		return converted[T, uint32](r, name, b)
	case "int64":
		return converted[T, int64](r, name, b)
	case "uint64":
		return converted[T, uint64](r, name, b)
	}
	return nil, argumentf("%s: elements of type %s are no integers", name, a.Type)
}

// indices returns an array of integers that should not be below 0, which is not checked where [unsigned] is enough.
func indices[T integer](r *arrayReader, name string, a *arrayRef) ([]T, error) {
	v, err := integers[T](r, name, unsigned(a))
	if err != nil {
		err = cmp.Or(r.negative(name, a), err)
	}
	return v, err
}

// negative returns the error of the first integer below 0 of a type that [unsigned] takes for another, nil for none.
func (r *arrayReader) negative(name string, a *arrayRef) error {
	b, err := r.arena.array(name, a)
	if err != nil {
		return err
	}
	switch a.Type {
	case "int32":
		return firstNegative(name, cast[int32](b))
	case "int64":
		return firstNegative(name, cast[int64](b))
	}
	return nil
}

func firstNegative[T integer](name string, v []T) error {
	for i, x := range v {
		if x < 0 {
			return &failure{Kind: kindInput, Message: fmt.Sprintf("%s[%d] is %d: there is none below 0", name, i, x)}
		}
	}
	return nil
}

func typeName[T number]() string {
	var t T
	return fmt.Sprintf("%T", t)
}

// weights returns the weights of edges: as integers of 32 bits or as float64.
func (r *arrayReader) weights(a *arrayRef) (w []int32, f []float64, err error) {
	switch a.Type {
	case "float64":
		b, err := r.arena.array("weights", a)
		if err != nil {
			return nil, nil, err
		}
		return nil, orEmpty(take[float64](r, b)), nil
	case "float32":
		b, err := r.arena.array("weights", a)
		if err != nil {
			return nil, nil, err
		}
		src := cast[float32](b)
		f = make([]float64, len(src))
		r.copied += int64(len(raw(f)))
		return nil, f, inParallel(len(src), func(lo, hi int) error {
			for i := lo; i < hi; i++ {
				f[i] = float64(src[i])
			}
			return nil
		})
	}
	w, err = integers[int32](r, "weights", a)
	return orEmpty(w), nil, err
}

// orEmpty makes an empty slice of nil: a graph without edges has weights, too.
func orEmpty[T any](v []T) []T {
	if v == nil {
		return []T{}
	}
	return v
}

// bytesOf returns the bytes of the values of an output, and the type of its elements.
//
//irgl:flatswitch
func bytesOf(data any) ([]byte, string) {
	switch v := data.(type) {
	case []int8:
		return raw(v), "int8"
	case []uint8:
		return v, "uint8"
	case []int16:
		return raw(v), "int16"
	case []uint16:
		return raw(v), "uint16"
	case []int32:
		return raw(v), "int32"
	case []uint32:
		return raw(v), "uint32"
	case []int64:
		return raw(v), "int64"
	case []uint64:
		return raw(v), "uint64"
	case []float32:
		return raw(v), "float32"
	case []float64:
		return raw(v), "float64"
	}
	panic(fmt.Sprintf("serve: an output is a %T", data))
}

// A lender puts arrays into one range of the arena.
type lender struct {
	size   int64
	parts  [][]byte
	starts []int64
}

// lineSize is what arrays in a range are aligned to.
const lineSize = 64

// add adds an array, and returns its offset in the range.
func (l *lender) add(b []byte) int64 {
	at := (l.size + lineSize - 1) &^ (lineSize - 1)
	l.parts, l.starts, l.size = append(l.parts, b), append(l.starts, at), at+int64(len(b))
	return at
}

// fill allocates the range and fills it.
func (l *lender) fill(a *arena, name string) (span, error) {
	return a.lend(name, l.size, l.parts, l.starts)
}
