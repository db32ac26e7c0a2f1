package ssa

// A Scratch is memory for what passes and analyses know of functions while they
// look at them: lists by the numbers of values and blocks, for the most part.
// The next pass takes the same memory again. Without one, the lists of forty
// passes over a large function fill memory that the process has never touched,
// and to touch it first costs more than to use it.
//
// A Scratch serves one goroutine. The zero Scratch is ready to use.
type Scratch struct {
	pools []pool // one for each type of element
}

// A pool is memory for elements of one type.
type pool interface{ reset() }

// A poolOf is a pool of a piece that is given out from its start. What does not
// fit begins a new piece; the old one is left to those who have parts of it.
type poolOf[T any] struct {
	piece []T
	used  int // given out since the last reset
	dirty int // given out ever
}

func (p *poolOf[T]) reset() { p.used = 0 }

// Pieces are made twice as large as the one before, in elements, within these
// bounds: what is asked for at once may always be more.
const (
	minPiece = 64
	maxPiece = 1 << 18
)

func (p *poolOf[T]) take(n int) []T {
	if n > len(p.piece)-p.used {
		p.piece = make([]T, max(n, min(max(minPiece, 2*len(p.piece)), maxPiece)))
		p.used, p.dirty = 0, 0
	}
	taken := p.piece[p.used : p.used+n : p.used+n]
	if p.used < p.dirty {
		clear(taken[:min(n, p.dirty-p.used)])
	}
	p.used += n
	p.dirty = max(p.dirty, p.used)
	return taken
}

// UseScratch makes [Make] take memory for the functions of m from s, or, when s
// is nil, new memory.
func (m *Module) UseScratch(s *Scratch) {
	for _, f := range m.Funcs {
		f.scratch = s
	}
}

// Reset takes all back that was given out: it must not be used any more.
func (s *Scratch) Reset() {
	for _, p := range s.pools {
		p.reset()
	}
}

// Make returns n zeros for a pass or analysis of f, and for as long as the pass
// runs that does so.
func Make[T any](f *Func, n int) []T {
	s := f.scratch
	if s == nil {
		return make([]T, n)
	}
	for _, p := range s.pools {
		if p, ok := p.(*poolOf[T]); ok {
			return p.take(n)
		}
	}
	p := &poolOf[T]{}
	s.pools = append(s.pools, p)
	return p.take(n)
}
