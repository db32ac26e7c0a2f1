package simt

import "encoding/binary"

// These are operations on all 32 lanes: in Go, and by vector instructions of the CPU where it has them.
var (
	blend    = blendEach
	spread   = spreadEach
	distinct = distinctEach
	load32   = load32Each
	load64   = load64Each

	loadRow32  = loadRow32Each
	storeRow32 = storeRow32Each
)

// blendEach copies the lanes of m from s to d.
func blendEach(d, s *[32]uint64, m uint32) {
	for ; m != 0; m &= m - 1 {
		i := lowest(m)
		d[i] = s[i]
	}
}

// spreadEach adds base to the values of regs, for lanes beside those of m to rest. It returns the bits that any of the sums
// has, whether one is greater than limit, which is less than 1<<63, and whether each is by step greater than
// the one before, if m has all lanes.
func spreadEach(off, regs *[32]uint64, m uint32, rest, base, limit, step uint64) (bits uint64, over, row bool) {
	most, next := uint64(0), regs[0]+base
	row = true
	for i := range off {
		v := rest
		if m>>i&1 != 0 {
			v = regs[i]
		}
		v += base
		most = max(most, v)
		bits |= v
		row = row && v == next
		next += step
		off[i] = v
	}
	return bits, most > limit, row
}

// distinctEach returns in how many different sectors of 32 bytes the offsets lie that are added to base. Both are less than 1<<36
// for vector instructions.
func distinctEach(off *[32]uint64, base uint64) int {
	n, last := 0, ^uint64(0)
	for i, o := range off {
		s := (base + o) >> 5
		if i > 0 && s < last {
			return scattered(off, base)
		}
		if s != last {
			n, last = n+1, s
		}
	}
	return n
}

// scattered is distinctEach for offsets in no order.
func scattered(off *[32]uint64, base uint64) int {
	var seen [64]uint64 // a hash table with open addressing, of sectors plus one
	n := 0
	for _, o := range off {
		s := (base+o)>>5 + 1
		h := s * 0x9e3779b97f4a7c15 >> 58
		for seen[h] != 0 && seen[h] != s {
			h = (h + 1) & 63
		}
		if seen[h] == 0 {
			seen[h] = s
			n++
		}
	}
	return n
}

// load32Each reads four bytes of data at each of the offsets, which are in it.
func load32Each(d, off *[32]uint64, data []byte) {
	for i, o := range off {
		d[i] = uint64(binary.LittleEndian.Uint32(data[o:]))
	}
}

// load64Each reads eight bytes of data at each of the offsets, which are in it.
func load64Each(d, off *[32]uint64, data []byte) {
	for i, o := range off {
		d[i] = binary.LittleEndian.Uint64(data[o:])
	}
}

// loadRow32Each reads the first 32 elements of four bytes of data.
func loadRow32Each(d *[32]uint64, data []byte) {
	for i := range d {
		d[i] = uint64(binary.LittleEndian.Uint32(data[4*i:]))
	}
}

// storeRow32Each writes the first 32 elements of four bytes of data, and returns which were the same before.
func storeRow32Each(data []byte, s *[32]uint64) (same uint32) {
	for i, v := range s {
		p := data[4*i : 4*i+4]
		same |= bit(binary.LittleEndian.Uint32(p) == uint32(v)) << i
		binary.LittleEndian.PutUint32(p, uint32(v))
	}
	return same
}
