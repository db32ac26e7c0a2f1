package graph

import (
	"context"
	"encoding/binary"
	"math"
	"unsafe"
)

// The Galois format, little-endian throughout:
//
//	u64 version        1 or 2
//	u64 size           bytes of edge data per arc: 0, 4 or 8
//	u64 n, u64 m       nodes, arcs
//	u64 end[n]         end[v] is the index after the last arc of v
//	dst[m]             u32 in version 1, padded to 8 bytes; u64 in version 2
//	data[m]            edge data
//
// Four bytes of edge data are an integer. Eight bytes are
// integers when all of them fit in 32 bits, and otherwise for doubles when all
// of them are zero or of a magnitude from 1e-300 on.
//
// end[] lacks the leading 0 of RowStart. But the word before end[0] is m, which
// is not needed after it has been read: it is overwritten with 0, and RowStart
// starts there.

const galoisHeader = 32

// littleEndian says whether the host orders bytes as the format does.
var littleEndian = binary.NativeEndian.Uint16([]byte{1, 0}) == 1

// galoisSize returns the size of the graph that starts with head, with padding and
// seven bytes that writers may leave behind it: the most that is worth reading.
func galoisSize(head []byte) int64 {
	if len(head) < galoisHeader {
		return galoisHeader
	}
	u64 := binary.LittleEndian.Uint64
	size := float64(galoisHeader)
	size += 8*float64(u64(head[16:])) + (4*float64(u64(head))+float64(u64(head[8:])))*float64(u64(head[24:])) + 15
	if size > 1<<50 {
		return 1 << 50 // no such file: parseGalois says why
	}
	return int64(size)
}

// parseGalois checks the counts against the size of the file, then the row
// offsets, then the destinations: after that every use of the arrays is safe,
// whatever the bytes were. The arrays stay where they are, in in.data.
func (in *input) parseGalois(ctx context.Context) (*Graph, error) {
	b := in.data
	size := uint64(len(b))
	if size < galoisHeader {
		return nil, in.binaryError(size, "the header has 32 bytes, the file %d", size)
	}
	u64 := binary.LittleEndian.Uint64
	version, dataSize, n, m := u64(b), u64(b[8:]), u64(b[16:]), u64(b[24:])
	if version != 1 && version != 2 {
		return nil, in.binaryError(0, "version %d; known are 1 and 2", version)
	}
	if dataSize != 0 && dataSize != 4 && dataSize != 8 {
		return nil, in.binaryError(8, "%d bytes of edge data; known are 0, 4 and 8", dataSize)
	}
	if n > MaxNodes {
		return nil, in.binaryError(16, "%d nodes; at most %d are supported", n, MaxNodes)
	}
	// Divide rather than multiply: the counts may be anything.
	if n > (size-galoisHeader)/8 {
		return nil, in.binaryError(16, "the header promises %d nodes, but the file has only %d bytes", n, size)
	}
	dstSize := 4 * version
	dstAt := galoisHeader + 8*n
	if m > (size-dstAt)/dstSize {
		return nil, in.binaryError(24, "the header promises %d arcs, but the file has only %d bytes", m, size)
	}
	dataAt := (dstAt + dstSize*m + 7) &^ 7
	if dataSize == 0 {
		// Some writers leave out the padding when nothing follows it.
		dataAt = min(dataAt, size)
	}
	if dataAt > size || dataSize > 0 && m > (size-dataAt)/dataSize {
		return nil, in.binaryError(24, "the header promises %d arcs with %d bytes of data each, but the file has only %d bytes", m, dataSize, size)
	}
	if end := dataAt + dataSize*m; size-end >= 8 {
		return nil, in.binaryError(end, "%d bytes after the end of the graph", size-end)
	}

	g := &Graph{}
	binary.LittleEndian.PutUint64(b[24:], 0)
	g.RowStart = words[uint64](b[24:dstAt])
	if err := in.checkGaloisRows(ctx, g.RowStart, m); err != nil {
		return nil, err
	}
	if err := in.galoisDst(ctx, g, b[dstAt:dstAt+dstSize*m], dstAt, version, n); err != nil {
		return nil, err
	}
	in.info.FileEdges = int64(m)
	in.advanceParsed(int(dataAt))
	if err := in.galoisData(ctx, g, b[dataAt:dataAt+dataSize*m], dataAt, dataSize); err != nil {
		return nil, err
	}
	in.advanceParsed(len(b) - int(dataAt))
	g.learn(valid, valid)
	return g, nil
}

// checkGaloisRows verifies the row offsets before anything follows them.
func (in *input) checkGaloisRows(ctx context.Context, row []uint64, m uint64) error {
	bad, err := checkRows(ctx, row)
	if err != nil {
		return err
	}
	if bad >= 0 {
		return in.binaryError(24+8*uint64(bad), "the arcs of node %d end at %d, before they start at %d", bad-1, row[bad], row[bad-1])
	}
	if last := row[len(row)-1]; last != m {
		return in.binaryError(24+8*uint64(len(row)-1), "the arcs of the last node end at %d, but there are %d arcs", last, m)
	}
	return nil
}

// galoisDst sets g.Dst from the destinations in b, which start at offset at.
func (in *input) galoisDst(ctx context.Context, g *Graph, b []byte, at, version, n uint64) error {
	if version == 1 {
		g.Dst = words[uint32](b)
		bad, err := checkDst(ctx, g.Dst, n)
		if err == nil && bad >= 0 {
			err = in.binaryError(at+4*uint64(bad), "destination %d, but there are %d nodes", g.Dst[bad], n)
		}
		return err
	}
	wide := words[uint64](b)
	g.Dst = make([]uint32, len(wide))
	bad, err := firstBad(ctx, len(wide), func(lo, hi int) int {
		for i := lo; i < hi; i++ {
			if wide[i] >= n {
				return i
			}
			g.Dst[i] = uint32(wide[i])
		}
		return -1
	})
	if err == nil && bad >= 0 {
		err = in.binaryError(at+8*uint64(bad), "destination %d, but there are %d nodes", wide[bad], n)
	}
	return err
}

// galoisData sets the weights of g from the edge data in b, at offset at.
func (in *input) galoisData(ctx context.Context, g *Graph, b []byte, at, size uint64) error {
	if size == 0 {
		return nil
	}
	if size == 4 {
		w := words[int32](b)
		bad, err := firstBad(ctx, len(w), func(lo, hi int) int {
			for i := lo; i < hi; i++ {
				if w[i] < 0 {
					return i
				}
			}
			return -1
		})
		if err == nil && bad >= 0 {
			err = in.binaryError(at+4*uint64(bad), "weight %d does not fit in 32 bits with a sign", uint32(w[bad]))
		}
		g.Weight = w
		return err
	}
	return in.galoisWide(ctx, g, b, at)
}

// galoisWide sets the weights from edge data of eight bytes: integers or
// doubles, never a mixture. An integer of 32 bits read as a double is smaller
// than 1e-300, and so is every other 64-bit integer below 2^56 or so; a double
// of reasonable magnitude read as an integer is far above 2^31.
func (in *input) galoisWide(ctx context.Context, g *Graph, b []byte, at uint64) error {
	wide := words[uint64](b)
	isInt := func(x uint64) bool { return x <= math.MaxInt32 }
	isReal := func(x uint64) bool {
		f := math.Abs(math.Float64frombits(x))
		return x == 0 || f == 0 || f >= 1e-300 && f <= math.MaxFloat64
	}
	firstNot := func(is func(uint64) bool) (int, error) {
		return firstBad(ctx, len(wide), func(lo, hi int) int {
			for i := lo; i < hi; i++ {
				if !is(wide[i]) {
					return i
				}
			}
			return -1
		})
	}
	bad, err := firstNot(isInt)
	if err != nil {
		return err
	}
	if bad < 0 {
		g.Weight = make([]int32, len(wide))
		return parallelRange(ctx, len(wide), 1<<16, func(lo, hi int) {
			for i := lo; i < hi; i++ {
				g.Weight[i] = int32(wide[i])
			}
		})
	}
	if isReal(wide[bad]) {
		bad, err = firstNot(isReal)
	}
	if err == nil && bad >= 0 {
		err = in.binaryError(at+8*uint64(bad), "edge data %#x is neither an integer of 32 bits nor a plausible double", wide[bad])
	}
	g.WeightF = words[float64](b)
	return err
}

// words returns b as an array of T, in place where the host's byte order and
// the alignment allow it. len(b) must be a multiple of T's size.
func words[T int32 | uint32 | uint64 | float64](b []byte) []T {
	var zero T
	size := int(unsafe.Sizeof(zero))
	if len(b) < size {
		return []T{}
	}
	p := unsafe.Pointer(unsafe.SliceData(b))
	if littleEndian && uintptr(p)%uintptr(size) == 0 {
		return unsafe.Slice((*T)(p), len(b)/size)
	}
	w := make([]T, len(b)/size)
	raw := unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(w))), len(w)*size)
	copy(raw, b)
	if !littleEndian {
		for i := 0; i < len(raw); i += size {
			for j := range size / 2 {
				raw[i+j], raw[i+size-1-j] = raw[i+size-1-j], raw[i+j]
			}
		}
	}
	return w
}
