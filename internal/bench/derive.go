package bench

import (
	"fmt"
	"strings"

	"irgl/internal/check"
	"irgl/internal/compile"
	"irgl/internal/source"
	"irgl/syntax"
)

// The sizes of the arguments that are derived: n is the value of integers, and slack how
// many times as many elements a buffer has.
const (
	defaultSmall = 1 << 10
	defaultLarge = 1 << 20
	defaultBlock = 256
	// dynamicShared is the shared memory of kernels that declare some without a size.
	dynamicShared = 16 << 10
)

// derive completes a benchmark of one kernel without a header: it launches the kernel with
// arguments by the types of its parameters. A pointer gets a buffer of numbers that are
// valid as indices and, since they ascend, as the offsets of rows; an integer is the number
// of threads of the grid, in the direction x; a float is 0.5.
//
// The grid has n threads, in one dimension, or in as many as the file's kernels index:
// squares of 16 by 16, cubes of 8 by 8 by 4.
func (s *Spec) derive(kernel string) error {
	u, err := compile.Compile(source.NewFile(s.File, []byte(s.Text)), syntax.CUDA, "check", compile.Options{Defines: s.Macros})
	if err != nil {
		return err
	}
	var f *check.FuncInfo
	for _, g := range u.CUDAInfo.Funcs {
		if g.Object.Name == kernel {
			f = g
		}
	}
	if f == nil {
		return fmt.Errorf("the kernel is not found")
	}
	s.Sizes = []Size{{"n", defaultSmall, defaultLarge}, {"side", 1 << 5, 1 << 10}, {"slack", 1, 1}}
	l := Launch{Kernel: kernel, Grid: [3]Expr{"1", "1", "1"}, Block: [3]Expr{"1", "1", "1"}}
	extent := Expr("n")
	switch dimensions(u.CUDA) {
	case 3:
		s.Sizes[1] = Size{"side", 1 << 4, 1 << 6}
		l.Block, l.Grid = [3]Expr{"8", "8", "4"}, [3]Expr{"side/8", "side/8", "side/4"}
		extent = "side"
	case 2:
		l.Block, l.Grid = [3]Expr{"16", "16", "1"}, [3]Expr{"side/16", "side/16", "1"}
		extent = "side"
	default:
		block := defaultBlock
		if f.MaxThreads > 0 {
			block = min(block, f.MaxThreads)
		}
		l.Block[0], l.Grid[0] = Expr(fmt.Sprint(block)), Expr(fmt.Sprintf("(n+%d)/%d", block-1, block))
	}
	if dynamic(u.CUDA) {
		l.Shared = Expr(fmt.Sprint(dynamicShared))
	}
	for i, p := range f.Params {
		name := p.Name
		if name == "" || s.find(name) != nil {
			name = fmt.Sprintf("p%d", i)
		}
		if err := s.argument(&l, name, p.Type, extent); err != nil {
			return fmt.Errorf("parameter %s: %w", name, err)
		}
	}
	s.Launches = append(s.Launches, l)
	return nil
}

// argument adds the argument for a parameter of type t.
func (s *Spec) argument(l *Launch, name string, t check.Type, extent Expr) error {
	p, isPointer := t.(*check.Pointer)
	if !isPointer {
		kind, ok := basics[t]
		switch {
		case !ok:
			return fmt.Errorf("its type %s has no default value; a launch in %s.bench can give one", t, strings.TrimSuffix(s.File, ".cu"))
		case kind.float():
			l.Args = append(l.Args, Arg{Type: kind, Value: "0.5"})
		case kind.Size() == 1:
			l.Args = append(l.Args, Arg{Type: kind, Value: "1"})
		default:
			l.Args = append(l.Args, Arg{Type: kind, Value: string(extent)})
		}
		return nil
	}
	kind, perElement := elements(p.Elem)
	if kind == "" {
		return fmt.Errorf("a pointer to %s has no default contents; a launch in %s.bench can give them", p.Elem, strings.TrimSuffix(s.File, ".cu"))
	}
	b := Buffer{Name: name, Type: kind, Count: Expr(fmt.Sprintf("n*slack*%d", perElement))}
	switch {
	case kind.float():
		b.Fill, b.Args = "uniform", []string{"0.5", "1.5"}
		b.Tolerance, b.Share = 1e-3, 0.01
	case kind.Size() == 1:
		b.Fill, b.Args = "uniform", []string{"0", "2"}
	default:
		b.Fill, b.Args = "sorted", []string{string(extent)}
	}
	b.Out = !p.Const
	s.Buffers = append(s.Buffers, b)
	l.Args = append(l.Args, Arg{Buffer: name})
	return nil
}

// basics gives the types of benchmarks for those of C.
var basics = map[check.Type]Type{
	check.Bool: "u8", check.Char: "i8", check.SChar: "i8", check.UChar: "u8", check.Short: "i16", check.UShort: "u16",
	check.Int: "i32", check.UInt: "u32", check.Long: "i64", check.ULong: "u64", check.LongLong: "i64", check.ULongLong: "u64",
	check.Float: "f32", check.Double: "f64",
}

// elements returns a type and how many values of it an element of a buffer has. A struct of
// several types is taken for integers of 32 bits; "" stands for a pointer.
func elements(t check.Type) (Type, int64) {
	switch t := t.(type) {
	case *check.Array:
		kind, n := elements(t.Elem)
		return kind, n * t.Len
	case *check.Struct:
		kind := Type("")
		for i, f := range t.Fields {
			k, _ := elements(f.Type)
			if k == "" {
				return "", 0
			}
			if i > 0 && k != kind {
				k = "i32"
			}
			kind = k
		}
		if kind == "" || t.Size()%int64(kind.Size()) != 0 {
			return "", 0
		}
		return kind, t.Size() / int64(kind.Size())
	}
	if t == check.Void {
		return "i32", 1
	}
	return basics[t], 1
}

// dimensions returns how many dimensions of the grid a file's device code uses.
func dimensions(file *syntax.File) int {
	most := 1
	syntax.Inspect(file, func(n syntax.Node) bool {
		m, ok := n.(*syntax.MemberExpr)
		if !ok {
			return true
		}
		if x, ok := m.X.(*syntax.Ident); ok && (x.Name == "threadIdx" || x.Name == "blockIdx") {
			most = max(most, strings.Index("xyz", m.Name.Name)+1)
		}
		return true
	})
	return most
}

// dynamic reports whether a file declares shared memory without a size.
func dynamic(file *syntax.File) bool {
	found := false
	syntax.Inspect(file, func(n syntax.Node) bool {
		d, ok := n.(*syntax.VarDecls)
		found = found || ok && d.Attrs.Has(syntax.Extern|syntax.Shared)
		return true
	})
	return found
}
