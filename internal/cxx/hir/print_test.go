package hir

import (
	"testing"

	"irgl/internal/cxx/types"
)

// TestPrintStmt pins the text in the package's documentation.
func TestPrintStmt(t *testing.T) {
	tab := types.NewTable()
	acc := &types.Class{Name: "acc"}
	at, in, f := tab.Class(acc), tab.Basic(types.Int), tab.Basic(types.Float)
	a := &Var{Name: "a", Type: at}
	this := &AddrOf{Info: Info{T: tab.Pointer(at)}, X: &VarRef{Info: Info{T: at, Cat: LValue}, Var: a}}
	one := &Convert{Info: Info{T: f}, Kind: IntToFloat, X: &ConstExpr{Info: Info{T: in}, Value: Const{Type: in, Int: 1}}}
	call := &Call{Info: Info{T: at, Cat: LValue}, Func: &Func{Name: "acc::operator+="}, This: this, Args: []Expr{one}}
	const want = `ExprStmt
  Call acc::operator+=  lvalue acc
    AddrOf  prvalue acc *
      VarRef a  lvalue acc
    Convert IntToFloat  prvalue float
      Const 1  prvalue int
`
	var w printer
	w.stmt(&ExprStmt{X: call})
	if got := w.b.String(); got != want {
		t.Errorf("got\n%swant\n%s", got, want)
	}
}

func TestPrint(t *testing.T) {
	tab := types.NewTable()
	in, void := tab.Basic(types.Int), tab.Basic(types.Void)
	base := &types.Class{Name: "B", Fields: []*types.Field{{Name: "b", Type: in, Width: -1}}}
	c := &types.Class{Name: "C", Bases: []types.Base{{Class: base}}, Fields: []*types.Field{{Name: "x", Type: tab.Array(in, 2), Width: -1}, {Name: "bits", Type: in, Width: 3}}}
	for _, k := range []*types.Class{base, c} {
		if err := types.Layout(k); err != nil {
			t.Fatal(err)
		}
	}
	n := &Var{Name: "n", Type: in}
	get := &Convert{Info: Info{T: in}, Kind: Load, X: &VarRef{Info: Info{T: in, Cat: LValue}, Var: n}}
	arr := tab.Array(in, 3)
	tabVar := &Var{Name: "tab", Symbol: "_ZL3tab", Type: tab.Qualify(arr, types.Const), Space: Constant, Value: &Const{Type: arr, Elems: []*Const{{Type: in, Int: 1}, nil}}}
	i := &Var{Name: "i", Type: in, Init: &ConstExpr{Info: Info{T: in}, Value: Const{Type: in}}}
	body := &Block{Stmts: []Stmt{
		&VarStmt{Vars: []*Var{i, {Name: "s", Type: arr, Space: Shared}}},
		&Loop{Cond: get, Post: &IncDec{Info: Info{T: in, Cat: LValue}, X: get.X}, Unroll: 4, Body: &Block{Stmts: []Stmt{&Break{}}}},
		&If{Cond: get, Then: &Return{}, Else: &Block{}},
		&Switch{X: get, Body: &Block{Stmts: []Stmt{&Case{From: 1, To: 1}, &Case{From: 2, To: 4}, &Case{Default: true}, &Continue{}}}},
		&Asm{Volatile: true, Template: "mov.u32 %0, %1;", Outputs: []AsmOperand{{Constraint: "=r", X: get.X}}, Inputs: []AsmOperand{{Constraint: "r", X: get}}},
		&ExprStmt{X: &Assign{Info: Info{T: in, Cat: LValue}, X: get.X, Op: Add, Y: get, Computed: in}},
		&ExprStmt{X: &Aggregate{Info: Info{T: tab.Class(c)}, Fields: []Expr{&Zero{Info{T: tab.Array(in, 2)}}, nil}}},
	}}
	k := &Func{Kind: Kernel, Name: "k", Symbol: "_Z1ki", Params: []*Var{n}, Result: void, Body: body, Bounds: []int64{256}}
	const want = `struct B  size 4 align 4
  0  int b
struct C  size 16 align 4
  0  base B
  4  int x[2]
  12.0  int bits : 3
__constant__ const int tab[3]  _ZL3tab = {1, 0}
kernel k(int n) -> void  _Z1ki bounds [256]
  Var int i
    Const 0  prvalue int
  Var __shared__ int s[3]
  Loop unroll 4
    Cond
      Convert Load  prvalue int
        VarRef n  lvalue int
    Post
      PreInc  lvalue int
        VarRef n  lvalue int
    Body
      Block
        Break
  If
    Convert Load  prvalue int
      VarRef n  lvalue int
  Then
    Return
  Else
    Block
  Switch
    Convert Load  prvalue int
      VarRef n  lvalue int
    Block
      Case 1
      Case 2 ... 4
      Default
      Continue
  Asm volatile "mov.u32 %0, %1;"
    Output "=r"
      VarRef n  lvalue int
    Input "r"
      Convert Load  prvalue int
        VarRef n  lvalue int
  ExprStmt
    Assign Add in int  lvalue int
      VarRef n  lvalue int
      Convert Load  prvalue int
        VarRef n  lvalue int
  ExprStmt
    Aggregate  prvalue C
      .x
        Zero  prvalue int[2]
`
	p := &Program{Types: tab, Classes: []*types.Class{base, c}, Vars: []*Var{tabVar}, Funcs: []*Func{k}}
	if got := Print(p); got != want {
		t.Errorf("got\n%s", got)
	}
}

func TestConstText(t *testing.T) {
	tab := types.NewTable()
	ch, p := tab.Basic(types.Char), tab.Pointer(tab.Basic(types.Int))
	for _, x := range []struct {
		k    Const
		want string
	}{
		{Const{Type: ch, Int: 'a'}, "'a'"}, {Const{Type: tab.Basic(types.Float), Float: float64(float32(0.1))}, "0.1"}, {Const{Type: p}, "nullptr"},
		{Const{Type: p, Base: &Var{Symbol: "g"}, Offset: 4}, "&g+4"}, {Const{Type: tab.Pointer(ch), String: []byte("hi\x00")}, `"hi\x00"`},
		{Const{Type: tab.Basic(types.Bool), Int: 1}, "true"}, {Const{Type: tab.Basic(types.Int), Int: ^uint64(0)}, "-1"},
	} {
		if got := x.k.Text(); got != x.want {
			t.Errorf("got %s, want %s", got, x.want)
		}
	}
}
