package lower

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"irgl/internal/check"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/types"
	"irgl/internal/source"
	"irgl/syntax"
)

// A builder makes semantic trees by hand.
type builder struct {
	*types.Table
	prog *hir.Program
}

func newBuilder() *builder {
	t := types.NewTable()
	return &builder{t, &hir.Program{Types: t}}
}

func (b *builder) int() types.Type   { return b.Basic(types.Int) }
func (b *builder) float() types.Type { return b.Basic(types.Float) }
func (b *builder) void() types.Type  { return b.Basic(types.Void) }
func (b *builder) bool() types.Type  { return b.Basic(types.Bool) }

// class makes a class of fields, given as names and types in turn, laid out in order.
func (b *builder) class(name string, trivial bool, bases []*types.Class, fields ...any) *types.Class {
	c := &types.Class{Name: name, Complete: true, TrivialCopy: trivial, TrivialDestroy: trivial, Align: 1}
	place := func(size, align int64) int64 {
		off := (c.Size + align - 1) / align * align
		c.Size, c.Align = off+size, max(c.Align, align)
		return off
	}
	for _, base := range bases {
		x := types.Base{Class: base}
		if !base.Empty {
			x.Offset = place(base.DataSize, base.Align)
		}
		c.Bases = append(c.Bases, x)
	}
	for i := 0; i < len(fields); i += 2 {
		t := fields[i+1].(types.Type)
		size, align := t.Size(), t.Align()
		if t.IsRef() {
			size, align = 8, 8
		}
		c.Fields = append(c.Fields, &types.Field{Name: fields[i].(string), Type: t, Width: -1, Index: i / 2, Class: c, Offset: place(size, align)})
	}
	c.DataSize = c.Size
	c.Empty = c.Size == 0
	c.Size = max(1, (c.Size+c.Align-1)/c.Align*c.Align)
	b.prog.Classes = append(b.prog.Classes, c)
	return c
}

// fn adds a function; a kernel if its result is no type.
func (b *builder) fn(symbol string, result types.Type, params []*hir.Var, body ...hir.Stmt) *hir.Func {
	f := &hir.Func{Symbol: symbol, Name: symbol, Result: result, Params: params, Body: &hir.Block{Stmts: body}}
	if result.Node == nil {
		f.Kind, f.Result = hir.Kernel, b.void()
	}
	b.prog.Funcs = append(b.prog.Funcs, f)
	return f
}

// method makes f a member of c.
func (b *builder) method(c *types.Class, f *hir.Func, this *hir.Var) *hir.Func {
	f.Of, f.This = c, this
	return f
}

func (b *builder) this(c *types.Class) *hir.Var { return v("this", b.Pointer(b.Class(c))) }

func v(name string, t types.Type) *hir.Var { return &hir.Var{Name: name, Type: t} }

func info(t types.Type, c hir.Category) hir.Info { return hir.Info{T: t, Cat: c} }

func ref(x *hir.Var) hir.Expr {
	return &hir.VarRef{Info: info(x.Type.Unref(), hir.LValue), Var: x}
}

func load(x hir.Expr) hir.Expr {
	return &hir.Convert{Info: info(x.Type().Unqualified(), hir.PRValue), Kind: hir.Load, X: x}
}

func use(x *hir.Var) hir.Expr { return load(ref(x)) }

func (b *builder) num(n int) hir.Expr {
	return &hir.ConstExpr{Info: info(b.int(), hir.PRValue), Value: hir.Const{Int: uint64(int64(n))}}
}

func (b *builder) real(f float64) hir.Expr {
	return &hir.ConstExpr{Info: info(b.float(), hir.PRValue), Value: hir.Const{Float: f}}
}

func bin(t types.Type, x hir.Expr, op hir.BinaryOp, y hir.Expr) hir.Expr {
	return &hir.Binary{Info: info(t, hir.PRValue), Op: op, X: x, Y: y}
}

func set(x, y hir.Expr) hir.Stmt { return do(assign(x, hir.NoOp, y)) }

func assign(x hir.Expr, op hir.BinaryOp, y hir.Expr) hir.Expr {
	return &hir.Assign{Info: info(x.Type(), hir.LValue), X: x, Op: op, Y: y, Computed: y.Type()}
}

func do(x hir.Expr) hir.Stmt { return &hir.ExprStmt{X: x} }

func ret(x hir.Expr) hir.Stmt { return &hir.Return{X: x} }

func decl(vars ...*hir.Var) hir.Stmt { return &hir.VarStmt{Vars: vars} }

func block(list ...hir.Stmt) *hir.Block { return &hir.Block{Stmts: list} }

func deref1(p hir.Expr) hir.Expr {
	return &hir.Deref{Info: info(p.Type().Elem, hir.LValue), X: p}
}

func fieldOf(x hir.Expr, c *types.Class, i int) hir.Expr {
	return &hir.Field{Info: info(c.Fields[i].Type.Unref(), hir.LValue), X: x, Field: c.Fields[i]}
}

func (b *builder) addrOf(x hir.Expr) hir.Expr {
	return &hir.AddrOf{Info: info(b.Pointer(x.Type()), hir.PRValue), X: x}
}

func call(f *hir.Func, this hir.Expr, args ...hir.Expr) hir.Expr {
	c := hir.PRValue
	if f.Result.IsRef() {
		c = hir.LValue
	}
	return &hir.Call{Info: info(f.Result.Unref(), c), Func: f, This: this, Args: args}
}

func (b *builder) construct(c *types.Class, f *hir.Func, args ...hir.Expr) hir.Expr {
	return &hir.Construct{Info: info(b.Class(c), hir.PRValue), Func: f, Args: args}
}

func materialize(x hir.Expr, destroy *hir.Func) hir.Expr {
	return &hir.Materialize{Info: info(x.Type(), hir.XValue), X: x, Destroy: destroy}
}

// lowered returns the text of the program, which must check, parse again, and be C++ to
// g++ where there is one.
func lowered(t *testing.T, b *builder) string {
	t.Helper()
	var diags source.List
	f := Lower(b.prog, "test.cu", &diags)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	text := render(t, f)
	check.Check(f, &diags)
	if err := diags.Err(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	again := syntax.Parse(source.NewFile("test.cu", []byte(text)), syntax.CUDA, &diags)
	if err := diags.Err(); err != nil {
		t.Fatalf("%v\n%s", err, text)
	}
	if printed := render(t, again); printed != text {
		t.Errorf("printed again it differs:\n%s\n%s", text, printed)
	}
	isCXX(t, text)
	return text
}

func render(t *testing.T, f *syntax.File) string {
	t.Helper()
	var s strings.Builder
	if err := syntax.Print(&s, f); err != nil {
		t.Fatal(err)
	}
	return s.String()
}

// isCXX has g++ read the text, with CUDA's qualifiers defined away.
func isCXX(t *testing.T, text string) {
	t.Helper()
	gxx, err := exec.LookPath("g++")
	if err != nil || testing.Short() {
		return
	}
	const shim = "#define __device__\n#define __global__\n#define __shared__\n#define __forceinline__ inline\n#define __noinline__\n" +
		"#include <cmath>\n#include <cstring>\n#include <cstdlib>\n"
	name := filepath.Join(t.TempDir(), "x.cc")
	if err := os.WriteFile(name, []byte(shim+text), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command(gxx, "-fsyntax-only", "-Wno-unused", name).CombinedOutput(); err != nil {
		t.Errorf("g++: %v\n%s\n%s", err, out, text)
	}
}

// same compares a program's text with what a test expects.
func same(t *testing.T, got, want string) {
	t.Helper()
	if got, want := strings.TrimSpace(got), strings.TrimSpace(want); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
