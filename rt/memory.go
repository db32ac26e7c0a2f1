package rt

import (
	"reflect"
	"slices"
	"sync"
	"unsafe"
)

// A Memory keeps the arrays of properties and the blocks of worklists from one run of a
// program to the next. A page that a process writes for the first time costs the system
// about as much as writing it ten times, so what a run needs is best allocated, and written,
// before its time is taken: [Program.Reserve]. Several runs may use a Memory at once. One
// that is nil keeps nothing.
type Memory struct {
	mu     sync.Mutex
	nodes  int // sizes of the graph that the arrays are for
	arcs   int
	arrays map[int][]array // by their size in words
	blocks []block
}

// An array is a piece of memory without pointers.
type array struct {
	words []uint64
	used  bool // not all zero
}

// A PropSize is the size of a property's value for one node or edge.
type PropSize struct {
	Of    uint8
	Bytes int
}

// maxReserved is how many blocks of worklists are reserved at most: 16 MB.
const maxReserved = 256

// Reserve allocates what a run on a graph needs, as far as it is known before, and is
// not in m already.
func (p *Program) Reserve(m *Memory, g *Graph, workers int) {
	if m == nil || g == nil || len(g.RowStart) == 0 {
		return
	}
	nodes, arcs := len(g.RowStart)-1, len(g.Dst)
	m.mu.Lock()
	defer m.mu.Unlock()
	m.fit(nodes, arcs)
	wanted := map[int]int{}
	for _, s := range p.Props {
		n := nodes
		if s.Of == ofEdges {
			n = arcs
		}
		wanted[wordsOf(n, s.Bytes)]++
	}
	for words, count := range wanted {
		for len(m.arrays[words]) < count {
			m.arrays[words] = append(m.arrays[words], array{words: touched(make([]uint64, words))})
		}
		for i := range m.arrays[words] {
			if a := &m.arrays[words][i]; a.used {
				clear(a.words)
				a.used = false
			}
		}
	}
	if p.Lists {
		for want := min(maxReserved, nodes/blockItems+max(1, workers)); len(m.blocks) < want; {
			b := new([blockItems + 1]int32)
			touched(b[:])
			m.blocks = append(m.blocks, b)
		}
	}
}

// wordsOf returns how many words the array of a property has, for n values of some size.
func wordsOf(n, bytes int) int { return ((n+slack)*bytes + 7) / 8 }

// touched writes to each page of s.
func touched[T any](s []T) []T {
	var x T
	for i := 0; i < len(s); i += 4096 / int(unsafe.Sizeof(x)) {
		p := (*byte)(unsafe.Pointer(&s[i]))
		*p = 0
	}
	return s
}

// fit drops the arrays for another graph.
func (m *Memory) fit(nodes, arcs int) {
	if m.nodes != nodes || m.arcs != arcs || m.arrays == nil {
		m.nodes, m.arcs, m.arrays, m.blocks = nodes, arcs, map[int][]array{}, nil
	}
}

// lend moves the blocks to a run.
func (m *Memory) lend(r *Run) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	r.memory = m
	r.free, m.blocks = m.blocks, nil
}

// take returns an array of zeros with that many words, nil for none.
func (m *Memory) take(words int) []uint64 {
	if m == nil {
		return nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	list := m.arrays[words]
	if len(list) == 0 {
		return nil
	}
	// One that need not be cleared, if there is one.
	i := max(0, slices.IndexFunc(list, func(a array) bool { return !a.used }))
	a := list[i]
	m.arrays[words] = slices.Delete(list, i, i+1)
	if a.used {
		clear(a.words)
	}
	return a.words
}

// keep takes the memory of a run that has ended well, but for what is in its result.
func (m *Memory) keep(r *Run) {
	if m == nil {
		return
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.nodes != int(r.Nodes) || m.arcs != int(r.Arcs) {
		return
	}
	for _, words := range r.arrays {
		m.arrays[len(words)] = append(m.arrays[len(words)], array{words, true})
	}
	// A run takes all blocks, so that those of the runs at once would add up: the most that
	// one of them had is enough for the next.
	if len(r.free) > len(m.blocks) {
		m.blocks = r.free
	}
}

// newArray returns zeros for n values of type T in the domain of nodes or edges, which
// [Memory.keep] takes unless [Run.give] gives them away.
func newArray[T any](r *Run, n int) []T {
	var x T
	words := wordsOf(n, int(unsafe.Sizeof(x)))
	if r.memory == nil || words == 0 || hasPointers(reflect.TypeFor[T]()) {
		return make([]T, n+slack)
	}
	s := r.memory.take(words)
	if s == nil {
		s = make([]uint64, words)
	}
	r.arrays = append(r.arrays, s)
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(s))), n+slack)
}

// give makes the array at p one that the result of the run keeps.
func (r *Run) give(p unsafe.Pointer) {
	r.arrays = slices.DeleteFunc(r.arrays, func(s []uint64) bool { return unsafe.Pointer(unsafe.SliceData(s)) == p })
}

func hasPointers(t reflect.Type) bool {
	switch t.Kind() {
	case reflect.Array:
		return hasPointers(t.Elem())
	case reflect.Struct:
		for i := range t.NumField() {
			if hasPointers(t.Field(i).Type) {
				return true
			}
		}
		return false
	}
	return t.Kind() == reflect.UnsafePointer
}
