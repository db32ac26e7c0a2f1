package graph

import (
	"bufio"
	"context"
	"encoding/binary"
	"fmt"
	"io"
	"math"
	"unsafe"
)

// writeGalois writes the format that galois.go describes. Integer weights take
// four bytes and must not be negative; real ones take eight.
func writeGalois(ctx context.Context, w io.Writer, g *Graph, format Format) error {
	version, dataSize := uint64(1), uint64(0)
	if format == Galois2 {
		version = 2
	}
	switch {
	case g.Weight != nil:
		dataSize = 4
		for e, x := range g.Weight {
			if x < 0 {
				return fmt.Errorf("format %s has weights without a sign, and arc %d has weight %d", format, e, x)
			}
		}
	case g.WeightF != nil:
		dataSize = 8
		for e, x := range g.WeightF {
			if a := math.Abs(x); !(math.Float64bits(x) == 0 || a >= 1e-300 && a <= math.MaxFloat64) {
				return fmt.Errorf("format %s cannot hold the weight %v of arc %d so that it is read as a real number", format, x, e)
			}
		}
	}
	b := bufio.NewWriterSize(w, 1<<20)
	header := make([]byte, 0, galoisHeader)
	n, m := uint64(g.NumNodes()), uint64(len(g.Dst))
	for _, x := range []uint64{version, dataSize, n, m} {
		header = binary.LittleEndian.AppendUint64(header, x)
	}
	if _, err := b.Write(header); err != nil {
		return err
	}
	if n > 0 {
		if err := writeWords(ctx, b, g.RowStart[1:]); err != nil {
			return err
		}
	}
	if err := writeDst(ctx, b, g.Dst, version); err != nil {
		return err
	}
	if err := writeWords(ctx, b, g.Weight); err != nil {
		return err
	}
	if err := writeWords(ctx, b, g.WeightF); err != nil {
		return err
	}
	return b.Flush()
}

// writeDst writes the destinations in the width of the version, and the
// padding after them.
func writeDst(ctx context.Context, b *bufio.Writer, dst []uint32, version uint64) error {
	if version == 1 {
		if err := writeWords(ctx, b, dst); err != nil {
			return err
		}
		if len(dst)%2 == 1 {
			_, err := b.Write(make([]byte, 4))
			return err
		}
		return nil
	}
	wide := make([]uint64, 1<<14)
	for len(dst) > 0 {
		k := min(len(dst), len(wide))
		for i, v := range dst[:k] {
			wide[i] = uint64(v)
		}
		if err := writeWords(ctx, b, wide[:k]); err != nil {
			return err
		}
		dst = dst[k:]
	}
	return nil
}

// writeWords writes an array little-endian, from memory as it is where the
// host has that order.
func writeWords[T int32 | uint32 | uint64 | float64](ctx context.Context, w io.Writer, list []T) error {
	for len(list) > 0 {
		if err := ctx.Err(); err != nil {
			return err
		}
		part := list[:min(len(list), 1<<20)]
		list = list[len(part):]
		if !littleEndian {
			if err := binary.Write(w, binary.LittleEndian, part); err != nil {
				return err
			}
			continue
		}
		raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(part))), len(part)*int(unsafe.Sizeof(part[0])))
		if _, err := w.Write(raw); err != nil {
			return err
		}
	}
	return nil
}
