package ptxgen

import "math/bits"

// A numbers is a set of integers below a bound, which enumerates its members
// and is cleared in time proportional to their count.
type numbers struct {
	list  []int32
	place []int32 // index in list, by number
}

func newNumbers(n int) *numbers { return &numbers{place: make([]int32, n)} }

func (s *numbers) has(n int32) bool {
	at := s.place[n]
	return int(at) < len(s.list) && s.list[at] == n
}

func (s *numbers) add(n int32) {
	if !s.has(n) {
		s.place[n] = int32(len(s.list))
		s.list = append(s.list, n)
	}
}

func (s *numbers) remove(n int32) {
	if s.has(n) {
		last := s.list[len(s.list)-1]
		s.list[s.place[n]], s.place[last] = last, s.place[n]
		s.list = s.list[:len(s.list)-1]
	}
}

func (s *numbers) clear() { s.list = s.list[:0] }

// A pairSet is a set of unordered pairs of integers below a bound: a bit
// matrix for small bounds, a hash table for large ones.
type pairSet struct {
	n    int
	bits []uint64
	many []uint64 // key + 1, or 0 for a free slot; the length is a power of two
	used int      // slots of many in use
}

// maxMatrix is the bound up to which a pairSet is a matrix, of 32 KiB then.
const maxMatrix = 512

func newPairSet(n int) pairSet {
	if n <= maxMatrix {
		return pairSet{n: n, bits: make([]uint64, (n*n+63)/64)}
	}
	return pairSet{n: n, many: make([]uint64, 4<<bits.Len(uint(n)))}
}

// key returns the key of a pair, the same for both orders.
func (s *pairSet) key(i, j int32) uint64 {
	return uint64(min(i, j))*uint64(s.n) + uint64(max(i, j))
}

// place returns the index of k in many, or of the free slot for it.
func (s *pairSet) place(k uint64) uint64 {
	mask := uint64(len(s.many) - 1)
	at := (k * 0x9e3779b97f4a7c15) >> 20 & mask
	for s.many[at] != 0 && s.many[at] != k+1 {
		at = (at + 1) & mask
	}
	return at
}

func (s *pairSet) has(i, j int32) bool {
	k := s.key(i, j)
	if s.many == nil {
		return s.bits[k>>6]>>(k&63)&1 != 0
	}
	return s.many[s.place(k)] != 0
}

// add adds the pair and reports whether it is new.
func (s *pairSet) add(i, j int32) bool {
	k := s.key(i, j)
	if s.many == nil {
		isNew := s.bits[k>>6]>>(k&63)&1 == 0
		s.bits[k>>6] |= 1 << (k & 63)
		return isNew
	}
	at := s.place(k)
	if s.many[at] != 0 {
		return false
	}
	s.many[at] = k + 1
	if s.used++; s.used > len(s.many)/2 {
		old := s.many
		s.many = make([]uint64, 2*len(old))
		for _, k := range old {
			if k != 0 {
				s.many[s.place(k-1)] = k
			}
		}
	}
	return true
}
