package ast

// A Slab allocates values of one type in blocks: a tree has many nodes of each, which live
// as long.
type Slab[T any] struct {
	rest   []T
	size   int // of the last block
	blocks [][]T
	used   int // of blocks
}

// slabBlock is how many values the longest blocks have. Shorter ones take more of the allocator's
// time.
const slabBlock = 256

// New returns a zero value.
func (s *Slab[T]) New() *T {
	if len(s.rest) == 0 {
		s.grow()
	}
	x := &s.rest[0]
	s.rest = s.rest[1:]
	return x
}

func (s *Slab[T]) grow() {
	if s.used == len(s.blocks) {
		s.size = min(max(4, 2*s.size), slabBlock)
		s.blocks = append(s.blocks, make([]T, s.size))
	}
	s.rest = s.blocks[s.used]
	s.used++
}

// Reset takes back all values, to which nothing may refer any more, and zeroes them.
func (s *Slab[T]) Reset() {
	if s.used == 0 {
		return
	}
	s.used--
	last := s.blocks[s.used]
	clear(last[:len(last)-len(s.rest)])
	for _, b := range s.blocks[:s.used] {
		clear(b)
	}
	s.rest, s.used = nil, 0
}

// Lists allocates short lists in blocks.
type Lists[T any] struct {
	rest   []T
	size   int // of the last block
	blocks [][]T
	used   int // of blocks
}

// The elements of the first block of lists, and of the longest.
const (
	firstListBlock = 128
	listBlock      = 1024
)

// New returns an empty list with room for n elements.
func (l *Lists[T]) New(n int) []T {
	if n > len(l.rest) {
		if n > 16 {
			return make([]T, 0, n)
		}
		if l.used == len(l.blocks) {
			l.size = min(max(firstListBlock, 2*l.size), listBlock)
			l.blocks = append(l.blocks, make([]T, l.size))
		}
		l.rest = l.blocks[l.used]
		l.used++
	}
	list := l.rest[:0:n]
	l.rest = l.rest[n:]
	return list
}

// Reset takes back all lists of up to 16 elements, as [Slab.Reset] does.
func (l *Lists[T]) Reset() {
	if l.used == 0 {
		return
	}
	l.used--
	last := l.blocks[l.used]
	clear(last[:len(last)-len(l.rest)])
	for _, b := range l.blocks[:l.used] {
		clear(b)
	}
	l.rest, l.used = nil, 0
}
