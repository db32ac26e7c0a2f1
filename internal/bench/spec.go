package bench

import (
	"cmp"
	"embed"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// A Type is the type of a buffer's elements or of a scalar argument: i8, u8, i16, u16,
// i32, u32, i64, u64, f32 or f64.
type Type string

var typeSizes = map[Type]int{"i8": 1, "u8": 1, "i16": 2, "u16": 2, "i32": 4, "u32": 4, "i64": 8, "u64": 8, "f32": 4, "f64": 8}

// Size returns the bytes of a value.
func (t Type) Size() int { return typeSizes[t] }

func (t Type) float() bool { return t[0] == 'f' }

// A Spec is one benchmark: its text and how it is run.
type Spec struct {
	Name     string // the file's name, without .cu
	File     string // the file, for messages
	Doc      string // the first line
	Suite    string
	Text     string // the file's contents
	Macros   map[string]string
	Sizes    []Size
	Buffers  []Buffer
	Launches []Launch
	// Derived says that the arguments are those of [Spec.derive], not of a header.
	Derived bool
	unknown string // why it has no arguments, "" if it has
	// from is the file beside the text that the header is from, whose lines are behind the
	// first ones of the text; "" for the text itself.
	from  string
	first int
}

// defines returns the macros as arguments of a compiler.
func (s *Spec) defines() []string {
	var args []string
	for _, name := range slices.Sorted(maps.Keys(s.Macros)) {
		args = append(args, "-D"+name+"="+s.Macros[name])
	}
	return args
}

// A Size is a named number for expressions.
type Size struct {
	Name         string
	Small, Large int64
}

// A Buffer is an array in global memory.
type Buffer struct {
	Name  string
	Type  Type
	Count Expr     // elements
	Fill  string   // zero, const, uniform, rows, neighbours, sorted, permutation
	Args  []string // arguments of Fill: numbers or expressions
	Out   bool     // its contents are compared
	// Scratch says that kernels write it, but that its contents are not compared.
	Scratch bool
	// Tolerance is the allowed error, relative to the larger of the two values and
	// one; zero requires equal bits.
	Tolerance float64
	Share     float64 // share of the elements that may exceed it
}

// A Launch is one launch of a kernel; launches run in the order of the header.
type Launch struct {
	Kernel      string
	Grid, Block [3]Expr // missing ones are "1"
	Shared      Expr    // bytes of dynamic shared memory, "" for none
	Args        []Arg
}

// An Arg is a buffer's address, a scalar, or the start or end of a struct that
// holds a pointer or another value of 8 bytes.
type Arg struct {
	Buffer string // or "" for the others
	Struct bool   // the next argument is at a multiple of 8 bytes
	Type   Type
	Value  string // an expression, or a number for floats
}

// fills gives the number of arguments of each fill pattern.
var fills = map[string]int{"zero": 0, "const": 1, "uniform": 2, "rows": 1, "neighbours": 2, "sorted": 1, "permutation": 0}

// Parse reads the header of a benchmark. Its lines begin with "//bench":
//
//	suite NAME
//	size NAME SMALL LARGE
//	buffer NAME TYPE COUNT FILL [out [TOLERANCE [SHARE]] | scratch]
//	launch KERNEL grid X [Y [Z]] block X [Y [Z]] [shared BYTES] args ARG ...
//
// An ARG is BUFFER, TYPE:VALUE, or { ARG ... } for a struct of 8-byte alignment.
// FILL is zero, const X, uniform LOW HIGH (HIGH itself is left out), sorted
// HIGH (ascending, below HIGH), permutation, rows DEGREE (row offsets of a
// sparse matrix with DEGREE entries a row on average) or neighbours N DEGREE
// (the columns of these rows, ascending in each, below N). COUNT and whole
// numbers are expressions of sizes with + - * / % and brackets, without blanks.
func Parse(name, text string) (*Spec, error) {
	s := &Spec{Name: name, File: name + ".cu", Text: text}
	if err := s.header(); err != nil {
		return nil, err
	}
	if s.Doc == "" || s.Suite == "" {
		return nil, fmt.Errorf("%s.cu: a benchmark needs a description on its first line and a suite", name)
	}
	return s, nil
}

// header reads the header of the benchmark's text.
func (s *Spec) header() error {
	lines := strings.Split(s.Text, "\n")
	if doc, ok := strings.CutPrefix(lines[0], "// "); ok {
		s.Doc = doc
	}
	for i, line := range lines {
		rest, ok := strings.CutPrefix(line, "//bench ")
		if !ok {
			continue
		}
		if err := s.line(strings.Fields(rest)); err != nil {
			if s.from != "" && i >= s.first {
				return fmt.Errorf("%s:%d: %w", s.from, i+1-s.first, err)
			}
			return fmt.Errorf("%s:%d: %w", s.File, i+1, err)
		}
	}
	if len(s.Launches) == 0 {
		return fmt.Errorf("%s: a benchmark needs a launch", cmp.Or(s.from, s.File))
	}
	for _, large := range []bool{false, true} {
		if _, err := s.resolve(large); err != nil {
			return fmt.Errorf("%s: %w", cmp.Or(s.from, s.File), err)
		}
	}
	return nil
}

func (s *Spec) line(words []string) error {
	if len(words) < 2 {
		return fmt.Errorf("a header line needs a keyword and arguments")
	}
	key, words := words[0], words[1:]
	switch key {
	case "suite":
		s.Suite = words[0]
		return nil
	case "size":
		return s.size(words)
	case "buffer":
		return s.buffer(words)
	case "launch":
		return s.launch(words)
	}
	return fmt.Errorf("there is no keyword %q (there are suite, size, buffer, launch)", key)
}

func (s *Spec) size(words []string) error {
	if len(words) != 3 {
		return fmt.Errorf("a size has a name, a small and a large value")
	}
	small, err1 := strconv.ParseInt(words[1], 0, 64)
	large, err2 := strconv.ParseInt(words[2], 0, 64)
	if err1 != nil || err2 != nil || small < 1 || large < 1 {
		return fmt.Errorf("size %s: the values are positive numbers", words[0])
	}
	s.Sizes = append(s.Sizes, Size{words[0], small, large})
	return nil
}

func (s *Spec) buffer(words []string) error {
	if len(words) < 4 {
		return fmt.Errorf("a buffer has a name, a type, a count and a fill")
	}
	b := Buffer{Name: words[0], Type: Type(words[1]), Count: Expr(words[2]), Fill: words[3]}
	n, ok := fills[b.Fill]
	switch {
	case b.Type.Size() == 0:
		return fmt.Errorf("buffer %s: there is no type %q", b.Name, b.Type)
	case !ok:
		return fmt.Errorf("buffer %s: there is no fill %q", b.Name, b.Fill)
	case len(words) < 4+n:
		return fmt.Errorf("buffer %s: %s takes %d numbers", b.Name, b.Fill, n)
	case s.find(b.Name) != nil:
		return fmt.Errorf("buffer %s: declared twice", b.Name)
	}
	b.Args, words = words[4:4+n], words[4+n:]
	if len(words) > 0 {
		b.Out, b.Scratch = words[0] == "out", words[0] == "scratch"
		if !b.Out && (!b.Scratch || len(words) > 1) || len(words) > 3 {
			return fmt.Errorf("buffer %s: unexpected %q", b.Name, strings.Join(words, " "))
		}
		for i, to := range []*float64{&b.Tolerance, &b.Share} {
			if len(words) > i+1 {
				v, err := strconv.ParseFloat(words[i+1], 64)
				if err != nil || !(v >= 0 && v < 1) {
					return fmt.Errorf("buffer %s: %q is not a tolerance", b.Name, words[i+1])
				}
				*to = v
			}
		}
	}
	s.Buffers = append(s.Buffers, b)
	return nil
}

func (s *Spec) find(name string) *Buffer {
	for i := range s.Buffers {
		if s.Buffers[i].Name == name {
			return &s.Buffers[i]
		}
	}
	return nil
}

func (s *Spec) launch(words []string) error {
	l := Launch{Kernel: words[0], Grid: [3]Expr{"1", "1", "1"}, Block: [3]Expr{"1", "1", "1"}}
	var part string
	n := 0
	for _, w := range words[1:] {
		switch {
		case part != "args" && (w == "grid" || w == "block" || w == "shared" || w == "args"):
			part, n = w, 0
			continue
		case part == "args":
			arg := Arg{Buffer: w}
			if t, value, scalar := strings.Cut(w, ":"); scalar {
				arg = Arg{Type: Type(t), Value: value}
			} else if w == "{" || w == "}" {
				l.Args = append(l.Args, Arg{Struct: true})
				continue
			}
			if arg.Buffer != "" && s.find(arg.Buffer) == nil || arg.Buffer == "" && arg.Type.Size() == 0 {
				return fmt.Errorf("launch %s: there is no buffer or type %q", l.Kernel, w)
			}
			l.Args = append(l.Args, arg)
			continue
		case part == "" || n == 3:
			return fmt.Errorf("launch %s: unexpected %q", l.Kernel, w)
		case part == "shared" && n > 0:
			return fmt.Errorf("launch %s: unexpected %q", l.Kernel, w)
		case part == "shared":
			l.Shared = Expr(w)
		case part == "grid":
			l.Grid[n] = Expr(w)
		default:
			l.Block[n] = Expr(w)
		}
		n++
	}
	s.Launches = append(s.Launches, l)
	return nil
}

//go:embed kernels/*.cu kernels/tensor.cuh
var files embed.FS

// Kernels returns the benchmarks in the order of their suites and names.
var Kernels = sync.OnceValues(func() ([]*Spec, error) {
	paths, err := fs.Glob(files, "kernels/*.cu")
	if err != nil {
		return nil, err
	}
	var specs []*Spec
	for _, path := range paths {
		text, err := files.ReadFile(path)
		if err != nil {
			return nil, err
		}
		name := strings.TrimSuffix(strings.TrimPrefix(path, "kernels/"), ".cu")
		in := &includer{read: files.ReadFile, seen: map[string]bool{path: true}}
		s, err := Parse(name, in.text(path, string(text), 0))
		if err != nil {
			return nil, err
		}
		specs = append(specs, s)
	}
	slices.SortStableFunc(specs, func(a, b *Spec) int { return strings.Compare(a.Suite, b.Suite) })
	return specs, nil
})
