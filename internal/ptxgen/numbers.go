package ptxgen

// A numbers is a set of the numbers below a bound, which lists its members and
// is emptied in the time that they take.
type numbers struct {
	list  []int32
	place []int32 // in list, by number
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

// A pairSet is a set of unordered pairs of the numbers below a bound: a matrix
// of bits for few, a hash table for many.
type pairSet struct {
	n    int
	bits []uint64
	many map[uint64]struct{}
}

// maxMatrix is the bound up to which a pairSet is a matrix, of 32 KiB then.
const maxMatrix = 512

func newPairSet(n int) pairSet {
	if n <= maxMatrix {
		return pairSet{n: n, bits: make([]uint64, (n*n+63)/64)}
	}
	return pairSet{n: n, many: make(map[uint64]struct{}, n)}
}

// key returns the place of a pair, the same for both orders.
func (s *pairSet) key(i, j int32) uint64 {
	return uint64(min(i, j))*uint64(s.n) + uint64(max(i, j))
}

func (s *pairSet) has(i, j int32) bool {
	k := s.key(i, j)
	if s.many == nil {
		return s.bits[k>>6]>>(k&63)&1 != 0
	}
	_, ok := s.many[k]
	return ok
}

// add reports whether the pair is new.
func (s *pairSet) add(i, j int32) bool {
	if s.has(i, j) {
		return false
	}
	k := s.key(i, j)
	if s.many == nil {
		s.bits[k>>6] |= 1 << (k & 63)
	} else {
		s.many[k] = struct{}{}
	}
	return true
}
