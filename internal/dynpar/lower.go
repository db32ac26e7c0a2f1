package dynpar

import (
	_ "embed"
	"fmt"
	"strings"

	"irgl/internal/check"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Queue is the variable of a module that holds the address of its queue.
const Queue = "irgl_launches"

// A Way is how a module launches.
type Way uint8

// The ways.
const (
	ByQueue   Way = iota // into a queue that the host drains
	ByLibrary            // by CUDA's device runtime, a library that the driver links
)

// maxArguments bounds the bytes of a kernel's parameters, as CUDA's device runtime does.
const maxArguments = 4096

// A Module is what the host has to know of a module with launches.
type Module struct {
	// Kernels are those that device code launches, by number.
	Kernels []Kernel
	// Launching holds the kernels that may launch others.
	Launching map[string]bool
	// Sites are the places of launches, "file:line", by number.
	Sites []string
}

// A Kernel is one that device code launches, which may be defined in another file.
type Kernel struct {
	Symbol  string
	Params  []Param // where they are in the parameter block
	Bytes   int64   // of the parameter block
	Defined bool    // in this file
}

// A Param is the place of a parameter.
type Param struct{ Offset, Size int64 }

//go:embed common.cu
var commonText string

//go:embed queue.cu
var queueText string

//go:embed runtime.cu
var runtimeText string

// Options say how a program's launches are lowered.
type Options struct {
	Way Way
	// Open says that other files may call the program's functions.
	Open bool
	// PerThread says that each thread has a default stream of its own, as nvcc's --default-stream=per-thread;
	// else the threads of a block share one.
	PerThread bool
}

// library returns what launches call; there is room for so many errors in a queue. searched says that a thread's errors may be
// in the list alone.
func (o Options) library(searched bool) string {
	text := queueText
	if o.Way == ByLibrary {
		text = runtimeText
	}
	flag := map[bool]string{false: "0", true: "1"}
	return strings.NewReplacer("IRGL_ERRORS", "64", "IRGL_SEARCHED", flag[searched], "IRGL_PER_THREAD", flag[o.PerThread]).Replace(commonText + text)
}

// Lower returns a program with its launches in device code lowered, checked again, and what
// the host has to know of it, which is the same for all ways. The result is info and nil for a
// program without any. What the program may not do is reported to diags.
func Lower(info *check.Info, o Options, diags *source.List) (*check.Info, *Module) {
	launching := launching(info)
	asking, device := asking(info)
	if len(launching) == 0 && !device {
		return info, nil
	}
	launching = append(launching, asking...)
	l := &lowerer{info: info, diags: diags, o: o, numbers: map[*check.FuncInfo]int{}, sites: map[string]int{}, module: &Module{Launching: reaching(info, launching)}}
	l.findStates(o.Open)
	file := l.file()
	if diags.Errors() > 0 {
		return info, nil
	}
	var found source.List
	out := check.Check(file, &found)
	if err := found.Err(); err != nil {
		panic(fmt.Sprintf("dynpar: the lowered program does not check: %v", err))
	}
	return out, l.module
}

// asking returns the functions of the program that the library replaces, since they read the queue,
// and reports whether one of them does that without a launch.
func asking(info *check.Info) (list []*check.FuncInfo, device bool) {
	for _, f := range info.Funcs {
		switch f.Object.Name {
		case "irgl_launch_device":
			device = true
			fallthrough
		case "irgl_launch_error", "irgl_launch_stream", "irgl_launch_destroy":
			list = append(list, f)
		}
	}
	return list, device
}

// onDevice reports whether f is code of the device.
func onDevice(f *check.FuncInfo) bool {
	return f.Decl.Attrs&(syntax.Global|syntax.Device) != 0
}

// launching returns the functions of the device that have a launch in their bodies.
func launching(info *check.Info) []*check.FuncInfo {
	var out []*check.FuncInfo
	for _, f := range info.Funcs {
		if onDevice(f) && len(f.Launches) > 0 {
			out = append(out, f)
		}
	}
	return out
}

// A lowerer lowers one program.
type lowerer struct {
	info    *check.Info
	diags   *source.List
	o       Options
	numbers map[*check.FuncInfo]int // of the kernels that are launched
	sites   map[string]int          // of the places of launches
	module  *Module
	states  states
}

// file returns the program without launches in device code.
func (l *lowerer) file() *syntax.File {
	byDecl := map[syntax.Decl]*check.FuncInfo{}
	for _, f := range l.info.Funcs {
		byDecl[f.Decl] = f
	}
	lib := tree.Declarations(l.o.library(l.states.searched))
	replaced := map[string]bool{}
	for _, d := range lib {
		if f, ok := d.(*syntax.FuncDecl); ok {
			replaced[f.Name.Name] = true
		}
	}
	var decls []syntax.Decl
	for _, d := range l.info.File.Decls {
		f, ok := d.(*syntax.FuncDecl)
		if ok && replaced[f.Name.Name] {
			continue
		}
		if info := byDecl[d]; info != nil && onDevice(info) {
			l.waits(f)
			if len(info.Launches) > 0 || tree.Mentions(f, synchronize) || l.states.in[info] {
				d = l.function(f, info)
			}
		} else if ok && l.states.passed[f.Name.Name] {
			d = tree.Clone(f)
			addState(d.(*syntax.FuncDecl))
		}
		decls = append(decls, d)
	}
	// The function of a kernel is in front of the kernel's first declaration: the types of the
	// parameters are known there, and its own launches are behind.
	made := map[string][]syntax.Decl{}
	for i, k := range l.module.Kernels {
		made[k.Symbol] = l.launcher(i)
	}
	out := lib
	for _, d := range decls {
		if f, ok := d.(*syntax.FuncDecl); ok {
			out = append(out, made[f.Name.Name]...)
			delete(made, f.Name.Name)
		}
		out = append(out, d)
	}
	file := *l.info.File
	file.Decls = out
	return &file
}

// function returns a copy of a function whose launches are calls.
func (l *lowerer) function(f *syntax.FuncDecl, info *check.FuncInfo) *syntax.FuncDecl {
	byName := map[string]*check.FuncInfo{}
	for _, k := range info.Launches {
		if _, ok := l.numbers[k]; !ok {
			l.numbers[k] = len(l.module.Kernels)
			l.module.Kernels = append(l.module.Kernels, kernel(k))
		}
		byName[k.Object.Name] = k
	}
	origin := map[syntax.Node]syntax.Node{}
	f = tree.CloneWith(f, func(old, new syntax.Node) { origin[new] = old })
	tree.Rewriter{
		Expr: func(x syntax.Expr) syntax.Expr {
			switch x := x.(type) {
			case *syntax.CallExpr:
				l.passState(x, info, origin)
			case *syntax.LaunchExpr:
				n := l.numbers[byName[syntax.Unparen(x.Fun).(*syntax.Ident).Name]]
				l.size(&l.module.Kernels[n], x)
				c := call(x, n, l.site(x))
				if l.states.in[info] {
					c.Args = append([]syntax.Expr{l.state(info, tree.At(x))}, c.Args...)
				}
				return c
			}
			return x
		},
		Stmt: func(s syntax.Stmt) []syntax.Stmt {
			if isWait(s) {
				return nil
			}
			return []syntax.Stmt{s}
		},
	}.Rewrite(f)
	l.declareState(f, info)
	return f
}

// kernel returns what the host has to know of a kernel.
func kernel(f *check.FuncInfo) Kernel {
	k := Kernel{Symbol: f.Object.Name, Defined: f.Decl.Body != nil}
	for _, t := range f.Type.Params {
		align := max(1, t.Align())
		at := (k.Bytes + align - 1) / align * align
		k.Params = append(k.Params, Param{at, t.Size()})
		k.Bytes = at + t.Size()
	}
	return k
}

// size checks the size of the parameters of a kernel that is launched.
func (l *lowerer) size(k *Kernel, at *syntax.LaunchExpr) {
	if k.Bytes > maxArguments {
		l.diags.Errorf(at.Pos(), at.End(), codeArguments, "the arguments of %s have %d bytes, and a launch in device code has room for %d", k.Symbol, k.Bytes, maxArguments).Hint = "pass a pointer to them"
	}
}

// site returns the number of the place of a launch.
func (l *lowerer) site(x *syntax.LaunchExpr) int {
	name := "?"
	if at := x.Pos(); at.IsValid() {
		name = fmt.Sprintf("%s:%d", at.File.Name, at.Line())
	}
	n, ok := l.sites[name]
	if !ok {
		n = len(l.module.Sites)
		l.sites[name] = n
		l.module.Sites = append(l.module.Sites, name)
	}
	return n
}

// call returns the call that a launch of the kernel with the number is lowered to.
func call(x *syntax.LaunchExpr, number, site int) *syntax.CallExpr {
	sp := tree.At(x)
	args := []syntax.Expr{tree.Number(sp, int64(site)), x.Grid, x.Block, x.Shared, x.Stream}
	for i := 3; i < 5; i++ {
		if args[i] == nil {
			args[i] = tree.Number(sp, 0)
		}
	}
	return tree.Call(sp, launcherName(number), append(args, x.Args...)...)
}

func launcherName(number int) string { return fmt.Sprintf("irgl_launch_%d", number) }

// launcher returns the function that launches a kernel, and the layout of the kernel's parameters.
func (l *lowerer) launcher(number int) []syntax.Decl {
	var kernel *syntax.FuncDecl
	var params []*syntax.Param // none for (void)
	for k, n := range l.numbers {
		if n != number {
			continue
		}
		if kernel = k.Decl; len(k.Type.Params) > 0 {
			params = kernel.Params
		}
	}
	var before []syntax.Decl
	state, front := "0", ""
	if l.states.any() {
		state, front = "state", "struct irgl_launch_state *state, "
	}
	begin, end := fmt.Sprintf("irgl_launch(%d, site, grid, block, shared, stream, %s)", number, state), ""
	if l.o.Way == ByLibrary { // it names the kernel, which is declared behind it
		before = append(before, prototype(kernel))
		begin = fmt.Sprintf("irgl_launch((void *)%s, %d, site, grid, block, shared, %s)", kernel.Name.Name, number, state)
		end = fmt.Sprintf("\t\tirgl_launch_commit(p, stream, %d, site, grid, block, shared, %s);\n", number, state)
	}
	var stores strings.Builder
	for i := range params {
		fmt.Fprintf(&stores, "\t\tp->a%d = a%d;\n", i, i)
	}
	kind, layout := "void", ""
	if len(params) > 0 {
		kind = fmt.Sprintf("struct irgl_arguments_%d", number)
		layout = kind + " { int none; };\n"
	}
	text := fmt.Sprintf(`%sstatic __device__ void %s(%sunsigned int site, dim3 grid, dim3 block, unsigned long shared, cudaStream_t stream) {
	%s *p = (%s *)%s;
	if (p) {
%s%s	}
}
`, layout, launcherName(number), front, kind, kind, begin, stores.String(), end)
	decls := tree.Declarations(text)
	f := decls[len(decls)-1].(*syntax.FuncDecl)
	var fields []*syntax.VarDecl
	for i, p := range params {
		id := func() *syntax.Ident { return tree.Ident(tree.At(p), fmt.Sprintf("a%d", i)) }
		f.Params = append(f.Params, &syntax.Param{Span: tree.At(p), Type: argument(p.Type), Name: id()})
		fields = append(fields, &syntax.VarDecl{Span: tree.At(p), Type: argument(p.Type), Name: id()})
	}
	if len(fields) > 0 {
		decls[0].(*syntax.TypeDecl).Type.(*syntax.TagType).Fields = fields
	}
	return append(before, decls...)
}

// prototype returns a declaration of a kernel; one that the file does not define is another file's.
func prototype(k *syntax.FuncDecl) syntax.Decl {
	p := *k
	p.Body = nil
	out := tree.Clone(&p)
	if k.Body == nil {
		out.Attrs |= syntax.Extern
	}
	return out
}

// argument returns a copy of a parameter's type that can be assigned to: an array is a
// pointer, and const and __restrict__ are left out.
func argument(t syntax.TypeExpr) syntax.TypeExpr {
	switch t := tree.Clone(t).(type) {
	case *syntax.ArrayType:
		return &syntax.PointerType{Span: t.Span, Elem: t.Elem}
	case *syntax.PointerType:
		t.Const, t.Volatile, t.Restrict = false, false, false
		return t
	case *syntax.QualType:
		return t.Elem
	case *syntax.FuncType:
		return &syntax.PointerType{Span: t.Span, Elem: t}
	default:
		return t
	}
}
