package graph

import (
	"fmt"
	"math"
	"math/bits"
	"strconv"
	"strings"
)

// DefaultSeed is the seed of a generator that is given none.
const DefaultSeed = 20160101

// A Spec describes a generated graph. Its text form is KIND:A[:B][:OPTION...]:
//
//	rmat:SCALE:FACTOR   2^SCALE nodes, FACTOR*2^SCALE arcs before cleaning,
//	                    placed by recursive choice of a quadrant
//	uniform:N:DEGREE    DEGREE arcs from each of N nodes, to any node (alias rand)
//	grid:W:H            W*H nodes, each joined to its four neighbours
//	road:W:H            a grid without 42.5 % of its edges, or as many as leave it
//	                    connected: degrees of about 2.4 and a diameter of W+H and
//	                    more, as road networks have
//	path:N              N nodes in a row
//	cycle:N             N nodes in a ring
//	star:N              node 0 joined to N-1 others
//	clique:N            N nodes, each joined to all others
//	empty:N             N nodes without edges
//
// and the options are
//
//	seed=S              the seed (default 20160101)
//	wmax=W              weights 1..W (default 100); 0 for none
//	a=A                 the share of the first quadrant of rmat (default 0.57)
//	b=B                 of the second (default 0.19)
//	c=C                 of the third (default 0.19)
//	perm                number the nodes at random
//	raw                 rmat, uniform: keep self-loops and duplicates
//	sym                 rmat, uniform: add the reverse of every arc
//
// Grids, roads and the five small shapes are symmetric. Except with raw there
// are no self-loops and no duplicates. Rows are always sorted.
type Spec struct {
	Kind string // rmat, uniform, grid, road, path, cycle, star, clique, empty
	A, B uint64 // the numbers after the kind; B is 0 when the kind has one
	Seed uint64
	WMax uint64     // largest weight; 0 for an unweighted graph
	Quad [3]float64 // a, b and c of rmat
	Perm bool
	Raw  bool
	Sym  bool

	nodes int
	arcs  int // arcs generated, before reversal and cleaning; an upper bound
}

// A generator is a kind of generated graph: its form, what it gives, and whether that is
// symmetric by nature.
type generator struct {
	form      string
	doc       []string // lines
	symmetric bool
}

// numbers is the number of numbers after the kind.
func (g generator) numbers() int { return strings.Count(g.form, ":") }

// generators are the kinds, in the order in which they are shown.
var generators = []generator{
	{"rmat:SCALE:FACTOR", []string{"2^SCALE nodes, FACTOR*2^SCALE arcs before cleaning,", "placed by recursive choice of a quadrant"}, false},
	{"uniform:N:DEGREE", []string{"DEGREE arcs from each of N nodes, to any node (alias rand)"}, false},
	{"grid:W:H", []string{"W*H nodes, each joined to its four neighbours"}, true},
	{"road:W:H", []string{"a grid without 42.5 % of its edges, or as many as leave it", "connected: degrees of about 2.4 and a diameter of W+H and", "more, as road networks have"}, true},
	{"path:N", []string{"N nodes in a row"}, true},
	{"cycle:N", []string{"N nodes in a ring"}, true},
	{"star:N", []string{"node 0 joined to N-1 others"}, true},
	{"clique:N", []string{"N nodes, each joined to all others"}, true},
	{"empty:N", []string{"N nodes without edges"}, true},
}

// specOptions are the options, in the order in which they are shown.
var specOptions = [][2]string{
	{"seed=S", "the seed (default 20160101)"},
	{"wmax=W", "weights 1..W (default 100); 0 for none"},
	{"a=A", "the share of the first quadrant of rmat (default 0.57)"},
	{"b=B", "of the second (default 0.19)"},
	{"c=C", "of the third (default 0.19)"},
	{"perm", "number the nodes at random"},
	{"raw", "rmat, uniform: keep self-loops and duplicates"},
	{"sym", "rmat, uniform: add the reverse of every arc"},
}

// SpecHelp describes the text form of a [Spec]: the kinds, and then the options.
func SpecHelp() string {
	var b strings.Builder
	line := func(name, doc string) {
		b.WriteString(strings.TrimRight(fmt.Sprintf("%-19s %s", name, doc), " ") + "\n")
	}
	for _, g := range generators {
		for i, doc := range g.doc {
			name := g.form
			if i > 0 {
				name = ""
			}
			line(name, doc)
		}
	}
	b.WriteByte('\n')
	for _, o := range specOptions {
		line(o[0], o[1])
	}
	return b.String()
}

// kinds has the generators by kind.
var kinds = func() map[string]generator {
	m := map[string]generator{}
	for _, g := range generators {
		kind, _, _ := strings.Cut(g.form, ":")
		m[kind] = g
	}
	return m
}()

// known lists the kinds, or the options, for messages.
func known(options bool) string {
	var names []string
	if options {
		for _, o := range specOptions {
			name, _, value := strings.Cut(o[0], "=")
			if value {
				name += "="
			}
			names = append(names, name)
		}
	} else {
		for _, g := range generators {
			kind, _, _ := strings.Cut(g.form, ":")
			names = append(names, kind)
		}
	}
	return strings.Join(names, ", ")
}

// ParseSpec reads the text form of a Spec, and checks that the graph is not
// too large to have.
func ParseSpec(text string) (*Spec, error) {
	s := &Spec{Seed: DefaultSeed, WMax: 100, Quad: [3]float64{.57, .19, .19}}
	fields := strings.Split(text, ":")
	s.Kind = fields[0]
	if s.Kind == "rand" {
		s.Kind = "uniform"
	}
	kind, ok := kinds[s.Kind]
	if s.Kind == "points" {
		return nil, fmt.Errorf("generator %q is of a mesh, not of a graph; of graphs: %s", text, known(false))
	}
	if !ok {
		return nil, fmt.Errorf("generator %q: unknown kind %q; known: %s", text, fields[0], known(false))
	}
	if len(fields) < 1+kind.numbers() {
		return nil, fmt.Errorf("generator %q: %s takes %d numbers, such as %s", text, s.Kind, kind.numbers(),
			s.Kind+strings.Repeat(":4", kind.numbers()))
	}
	for i, to := range []*uint64{&s.A, &s.B}[:kind.numbers()] {
		v, err := strconv.ParseUint(fields[1+i], 10, 63)
		if err != nil {
			return nil, fmt.Errorf("generator %q: %q is not a whole number", text, fields[1+i])
		}
		*to = v
	}
	for _, option := range fields[1+kind.numbers():] {
		if err := s.option(option); err != nil {
			return nil, fmt.Errorf("generator %q: %w", text, err)
		}
	}
	if err := s.check(); err != nil {
		return nil, fmt.Errorf("generator %q: %w", text, err)
	}
	return s, nil
}

// option reads one option.
func (s *Spec) option(option string) error {
	key, value, hasValue := strings.Cut(option, "=")
	var err error
	switch key {
	case "perm", "raw", "sym":
		if hasValue {
			return fmt.Errorf("option %s takes no value", key)
		}
		*map[string]*bool{"perm": &s.Perm, "raw": &s.Raw, "sym": &s.Sym}[key] = true
		if key != "perm" && s.Kind != "rmat" && s.Kind != "uniform" {
			return fmt.Errorf("option %s is for rmat and uniform; a %s is symmetric and clean", key, s.Kind)
		}
	case "seed":
		s.Seed, err = strconv.ParseUint(value, 10, 64)
	case "wmax":
		s.WMax, err = strconv.ParseUint(value, 10, 31)
	case "a", "b", "c":
		if s.Kind != "rmat" {
			return fmt.Errorf("option %s is for rmat", key)
		}
		s.Quad[key[0]-'a'], err = strconv.ParseFloat(value, 64)
	default:
		return fmt.Errorf("unknown option %q; known: %s", option, known(true))
	}
	if err != nil {
		return fmt.Errorf("option %s: %q is not a number that it can have", key, value)
	}
	return nil
}

// check computes the size of the graph and refuses what cannot be had.
func (s *Spec) check() error {
	// The comparison is written so that NaN fails it.
	a, b, c := s.Quad[0], s.Quad[1], s.Quad[2]
	if !(a >= 0 && b >= 0 && c >= 0 && a+b+c <= 1.000000001) {
		return fmt.Errorf("a=%v, b=%v and c=%v are not three parts of 1", a, b, c)
	}
	if s.Raw && s.Sym {
		return fmt.Errorf("raw and sym exclude each other: a symmetric graph is always clean")
	}
	nodes, arcs := s.A, s.A
	var high, low uint64
	switch s.Kind {
	case "rmat":
		if s.A > 30 {
			return fmt.Errorf("scale %d; at most 30 is supported", s.A)
		}
		nodes = 1 << s.A
		high, arcs = bits.Mul64(s.B, nodes)
	case "uniform":
		high, arcs = bits.Mul64(s.A, s.B)
	case "grid", "road":
		if high, nodes = bits.Mul64(s.A, s.B); high != 0 {
			nodes = math.MaxUint64
		}
		arcs = nodes
	case "clique":
		high, arcs = bits.Mul64(s.A, max(s.A, 1)-1)
	}
	low = arcs
	if nodes > MaxNodes {
		return fmt.Errorf("more than %d nodes", MaxNodes)
	}
	if high != 0 || low > 1<<36 {
		return fmt.Errorf("more than 2^36 arcs")
	}
	s.nodes, s.arcs = int(nodes), int(arcs)
	return nil
}

// String returns the text form, with the options that differ from the usual.
func (s *Spec) String() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s:%d", s.Kind, s.A)
	if kinds[s.Kind].numbers() == 2 {
		fmt.Fprintf(&b, ":%d", s.B)
	}
	if s.Seed != DefaultSeed {
		fmt.Fprintf(&b, ":seed=%d", s.Seed)
	}
	if s.WMax != 100 {
		fmt.Fprintf(&b, ":wmax=%d", s.WMax)
	}
	for i, usual := range [3]float64{.57, .19, .19} {
		if s.Quad[i] != usual {
			fmt.Fprintf(&b, ":%c=%v", 'a'+i, s.Quad[i])
		}
	}
	for _, o := range []struct {
		on   bool
		name string
	}{{s.Perm, ":perm"}, {s.Raw, ":raw"}, {s.Sym, ":sym"}} {
		if o.on {
			b.WriteString(o.name)
		}
	}
	return b.String()
}
