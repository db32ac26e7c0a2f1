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

// maxArguments bounds the bytes of a kernel's parameters, as CUDA's device runtime does.
const maxArguments = 4096

// A Module is what the host has to know of a module with launches.
type Module struct {
	// Kernels are those that device code launches, by number.
	Kernels []Kernel
	// Launching holds the kernels that may launch others.
	Launching map[string]bool
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

// library is the text of queue.cu; there is room for so many errors in a queue.
//
//go:embed queue.cu
var library string

var libraryText = strings.ReplaceAll(library, "IRGL_ERRORS", "64")

// Lower returns a program with its launches in device code lowered, checked again, and what
// the host has to know of it. The result is info and nil for a program without any. What the
// program may not do is reported to diags.
func Lower(info *check.Info, diags *source.List) (*check.Info, *Module) {
	launching := launching(info)
	asking, device := asking(info)
	if len(launching) == 0 && !device {
		return info, nil
	}
	launching = append(launching, asking...)
	l := &lowerer{info: info, diags: diags, numbers: map[*check.FuncInfo]int{}, module: &Module{Launching: reaching(info, launching)}}
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

// asking returns the functions of the program that queue.cu replaces, since they read the queue,
// and reports whether one of them does that without a launch.
func asking(info *check.Info) (list []*check.FuncInfo, device bool) {
	for _, f := range info.Funcs {
		switch f.Object.Name {
		case "irgl_launch_device":
			device = true
			fallthrough
		case "irgl_launch_error", "irgl_launch_stream":
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
	numbers map[*check.FuncInfo]int // of the kernels that are launched
	module  *Module
}

// file returns the program without launches in device code.
func (l *lowerer) file() *syntax.File {
	byDecl := map[syntax.Decl]*check.FuncInfo{}
	for _, f := range l.info.Funcs {
		byDecl[f.Decl] = f
	}
	lib := tree.Declarations(libraryText)
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
			if len(info.Launches) > 0 || tree.Mentions(f, synchronize) {
				d = l.function(f, info.Launches)
			}
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
func (l *lowerer) function(f *syntax.FuncDecl, kernels []*check.FuncInfo) *syntax.FuncDecl {
	byName := map[string]*check.FuncInfo{}
	for _, k := range kernels {
		if _, ok := l.numbers[k]; !ok {
			l.numbers[k] = len(l.module.Kernels)
			l.module.Kernels = append(l.module.Kernels, kernel(k))
		}
		byName[k.Object.Name] = k
	}
	f = tree.Clone(f)
	tree.Rewriter{
		Expr: func(x syntax.Expr) syntax.Expr {
			launch, ok := x.(*syntax.LaunchExpr)
			if !ok {
				return x
			}
			n := l.numbers[byName[syntax.Unparen(launch.Fun).(*syntax.Ident).Name]]
			l.size(&l.module.Kernels[n], launch)
			return call(launch, n)
		},
		Stmt: func(s syntax.Stmt) []syntax.Stmt {
			if isWait(s) {
				return nil
			}
			return []syntax.Stmt{s}
		},
	}.Rewrite(f)
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

// call returns the call that a launch of the kernel with the number is lowered to.
func call(x *syntax.LaunchExpr, number int) syntax.Expr {
	sp := tree.At(x)
	args := []syntax.Expr{x.Grid, x.Block, x.Shared, x.Stream}
	for i := 2; i < 4; i++ {
		if args[i] == nil {
			args[i] = tree.Number(sp, 0)
		}
	}
	return tree.Call(sp, launcherName(number), append(args, x.Args...)...)
}

func launcherName(number int) string { return fmt.Sprintf("irgl_launch_%d", number) }

// launcher returns the function that queues launches of a kernel, and the layout of the
// kernel's parameters.
func (l *lowerer) launcher(number int) []syntax.Decl {
	var params []*syntax.Param // none for (void)
	for k, n := range l.numbers {
		if n == number && len(k.Type.Params) > 0 {
			params = k.Decl.Params
		}
	}
	text := fmt.Sprintf(`static __device__ void %s(dim3 grid, dim3 block, unsigned long shared, cudaStream_t stream) {
	irgl_launch(%d, grid, block, shared, stream);
}
`, launcherName(number), number)
	if len(params) > 0 {
		var stores strings.Builder
		for i := range params {
			fmt.Fprintf(&stores, "\t\tp->a%d = a%d;\n", i, i)
		}
		text = fmt.Sprintf(`struct irgl_arguments_%[1]d { int none; };
static __device__ void %[2]s(dim3 grid, dim3 block, unsigned long shared, cudaStream_t stream) {
	struct irgl_arguments_%[1]d *p = (struct irgl_arguments_%[1]d *)irgl_launch(%[1]d, grid, block, shared, stream);
	if (p) {
%[3]s	}
}
`, number, launcherName(number), stores.String())
	}
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
	return decls
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
