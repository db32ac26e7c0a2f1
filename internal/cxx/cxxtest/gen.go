package cxxtest

import (
	_ "embed"
	"fmt"
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
)

//go:embed features.txt
var featureText string

// A feature is an entry of features.txt.
type feature struct {
	name, decls, body string
	weight            int
}

var features, totalWeight = parseFeatures(featureText)

// parseFeatures reads entries "== name weight", declarations, "--", statements.
func parseFeatures(text string) (list []feature, total int) {
	for _, entry := range strings.Split("\n"+text, "\n== ")[1:] {
		head, rest, _ := strings.Cut(entry, "\n")
		name, weight, _ := strings.Cut(head, " ")
		f := feature{name: name}
		f.weight, _ = strconv.Atoi(weight)
		var ok bool
		if f.decls, f.body, ok = strings.Cut("\n"+rest, "\n--\n"); !ok {
			panic("cxxtest: feature " + name + " has no statements")
		}
		list = append(list, f)
		total += f.weight
	}
	return list, total
}

// A Piece is a feature in a function: its declarations and statements.
type Piece struct{ Name, Decls, Body string }

// A Func is a random function: namespace nSEED has a function f with parameters in and out.
type Func struct {
	Seed   uint64
	Locals string // declarations of the locals that expressions use
	Pieces []Piece
}

// Inputs is how many inputs each function is run with, and Width of how many numbers each
// input is.
const (
	Inputs = 4
	Width  = 4
)

// Generate returns the function of a seed.
func Generate(seed uint64) *Func {
	r := rand.New(rand.NewPCG(seed, 0xc77))
	g := &generator{expression: expression{Rand: r}}
	f := &Func{Seed: seed}
	for i, name := range []string{"a", "b", "c", "d"} {
		t := g.integer()
		g.vars = append(g.vars, variable{name, t})
		f.Locals += fmt.Sprintf("\t%s %s = (%[1]s)in[%[3]d];\n", t.name, name, i)
	}
	for range 2 + r.IntN(5) {
		f.Pieces = append(f.Pieces, g.piece(2))
	}
	return f
}

// Text returns the function's C++.
func (f *Func) Text() string {
	var b strings.Builder
	fmt.Fprintf(&b, "namespace n%d {\n", f.Seed)
	for _, p := range f.Pieces {
		b.WriteString(p.Decls)
	}
	b.WriteString("HD void f(const long *in, long *out) {\n\tunsigned long h = 1;\n" + f.Locals)
	for _, p := range f.Pieces {
		fmt.Fprintf(&b, "\t{ // %s\n%s\n\t}\n", p.Name, p.Body)
	}
	b.WriteString("\tout[0] = (long)h;\n}\n}\n")
	return b.String()
}

type generator struct {
	expression
	id int
}

var placeholder = regexp.MustCompile(`@(\[.*?@\]|\([^()]*\)|[a-zA-Z0-9])`)

// piece returns a random feature whose statements may have those of others, depth deep.
func (g *generator) piece(depth int) Piece {
	f := g.pick()
	for depth == 0 && strings.Contains(f.decls+f.body, "@S") {
		f = g.pick()
	}
	g.id++
	in := &instance{generator: g, id: g.id, depth: depth, one: g.integer(), two: g.integer(), arith: integers[1+g.IntN(len(integers)-1)]}
	body := in.fill(f.body)
	decls := in.fill(f.decls)
	return Piece{f.name, in.inner + decls, body}
}

func (g *generator) pick() feature {
	n := g.IntN(totalWeight)
	for _, f := range features {
		if n -= f.weight; n < 0 {
			return f
		}
	}
	panic("unreachable")
}

// An instance is a feature as its placeholders are filled in.
type instance struct {
	*generator
	id, depth int
	one, two  integer
	arith     integer // not bool
	inner     string  // declarations of the features inside
}

func (in *instance) fill(text string) string {
	return placeholder.ReplaceAllStringFunc(text, func(s string) string { return in.value(s[1:]) })
}

func (in *instance) value(s string) string {
	switch s {
	case "n":
		return strconv.Itoa(in.id)
	case "T":
		return in.integer().name
	case "1":
		return in.one.name
	case "2":
		return in.two.name
	case "3":
		return in.arith.name
	case "E":
		x, _ := in.make(1 + in.IntN(3))
		return x
	case "e": // of x and y, which are of types @1 and @2
		e := expression{in.Rand, []variable{{"x", in.one}, {"y", in.two}}}
		x, _ := e.make(1 + in.IntN(3))
		return x
	case "C":
		return strconv.Itoa(1 + in.IntN(9))
	case "K":
		x, _ := in.literal()
		return x
	case "S":
		p := in.piece(in.depth - 1)
		in.inner += p.Decls
		return "{ // " + p.Name + "\n" + p.Body + "\n}"
	case "P":
		var b strings.Builder
		b.WriteString("unsigned long &h")
		for _, v := range in.vars {
			b.WriteString(", " + v.typ.name + " " + v.name)
		}
		return b.String()
	case "Q":
		return "h, a, b, c, d"
	}
	if text, ok := strings.CutPrefix(s, "["); ok { // alternatives of any text
		list := strings.Split(strings.TrimSuffix(text, "@]"), "@|")
		return in.fill(list[in.IntN(len(list))])
	}
	if list := strings.Split(strings.Trim(s, "()"), "|"); len(list) > 1 {
		return list[in.IntN(len(list))]
	}
	panic("cxxtest: unknown placeholder @" + s)
}
