package host

import (
	"fmt"
	"runtime"
	"sync"
	"unsafe"
)

// This file turns arrays of the host into the bytes that a device has of them. All
// supported hosts have the byte order of devices, so that these are an array's own memory:
// graphs, results and meshes are too large to be copied twice.

// bytesOf returns the memory of a slice.
func bytesOf[T int8 | uint8 | int16 | uint16 | int32 | uint32 | int64 | uint64 | float32 | float64 | [3]int32](v []T) []byte {
	if len(v) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(&v[0])), len(v)*int(unsafe.Sizeof(v[0])))
}

// columnBytes returns the memory of the data of a [run.Column].
func columnBytes(data any) []byte {
	switch d := data.(type) {
	case []int8:
		return bytesOf(d)
	case []uint8:
		return d
	case []int16:
		return bytesOf(d)
	case []uint16:
		return bytesOf(d)
	case []int32:
		return bytesOf(d)
	case []uint32:
		return bytesOf(d)
	case []int64:
		return bytesOf(d)
	case []uint64:
		return bytesOf(d)
	case []float32:
		return bytesOf(d)
	case []float64:
		return bytesOf(d)
	}
	panic(fmt.Sprintf("host: a column has no data of type %T", data))
}

// narrowed returns the numbers of list, which fit, in 32 bits. All processors do it.
func narrowed(list []uint64) []uint32 {
	out := make([]uint32, len(list))
	const least = 1 << 16 // numbers that are worth a goroutine
	parts := max(1, min(runtime.GOMAXPROCS(0), len(list)/least))
	var wait sync.WaitGroup
	for p := range parts {
		wait.Go(func() {
			lo, hi := len(list)*p/parts, len(list)*(p+1)/parts
			to := out[lo:hi]
			for i, v := range list[lo:hi] {
				to[i] = uint32(v)
			}
		})
	}
	wait.Wait()
	return out
}
