package hir

import (
	"go/ast"
	"go/parser"
	"go/token"
	"reflect"
	"slices"
	"testing"
)

// nodes has one node of each kind.
var nodes = []any{
	&ConstExpr{}, &StringExpr{}, &VarRef{}, &FuncRef{}, &Field{}, &MemberPtr{}, &FieldAt{}, &Deref{}, &AddrOf{}, &Unary{}, &Binary{}, &Assign{}, &IncDec{},
	&Copy{}, &Cond{}, &Comma{}, &Convert{}, &Call{}, &Construct{}, &Aggregate{}, &Zero{}, &Materialize{}, &New{}, &Delete{}, &Launch{}, &StmtExpr{},
	&Block{}, &VarStmt{}, &ExprStmt{}, &Init{}, &If{}, &Loop{}, &Switch{}, &Case{}, &Return{}, &Break{}, &Continue{}, &Label{}, &Goto{}, &Asm{},
}

// declaredNodes returns the names of the types of hir.go that embed Info or are statements.
func declaredNodes(t *testing.T) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), "hir.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.TypeSpec:
			if s, ok := n.Type.(*ast.StructType); ok && len(s.Fields.List) > 0 {
				first := s.Fields.List[0]
				if id, ok := first.Type.(*ast.Ident); ok && len(first.Names) == 0 && id.Name == "Info" {
					names = append(names, n.Name.Name)
				}
			}
		case *ast.FuncDecl:
			if n.Name.Name == "stmt" {
				names = append(names, n.Recv.List[0].Type.(*ast.StarExpr).X.(*ast.Ident).Name)
			}
		}
		return true
	})
	return names
}

// fill gives the fields of a node parts, and returns these.
func fill(v reflect.Value) []any {
	var parts []any
	expr := func() reflect.Value {
		x := &VarRef{}
		parts = append(parts, x)
		return reflect.ValueOf(x)
	}
	stmt := func() reflect.Value {
		x := &Label{}
		parts = append(parts, x)
		return reflect.ValueOf(x)
	}
	for i := range v.NumField() {
		f := v.Field(i)
		switch f.Interface().(type) {
		case []Expr:
			f.Set(reflect.Append(f, expr(), expr()))
		case []Stmt:
			f.Set(reflect.Append(f, stmt(), stmt()))
		case []AsmOperand:
			f.Set(reflect.ValueOf([]AsmOperand{{X: expr().Interface().(Expr)}, {X: expr().Interface().(Expr)}}))
		case *Call:
			x := &Call{}
			parts = append(parts, x)
			f.Set(reflect.ValueOf(x))
		case *Var:
			if v.Type().Field(i).Name == "CondVar" { // others are references to variables
				f.Set(reflect.ValueOf(&Var{Init: expr().Interface().(Expr)}))
			}
		case []*Var:
			f.Set(reflect.ValueOf([]*Var{{Init: expr().Interface().(Expr)}, {Init: expr().Interface().(Expr)}}))
		default:
			switch f.Type() {
			case reflect.TypeFor[Expr]():
				f.Set(expr())
			case reflect.TypeFor[Stmt]():
				f.Set(stmt())
			}
		}
	}
	return parts
}

// TestWalk checks that Walk visits every kind of node before its parts, and each part once.
func TestWalk(t *testing.T) {
	names := declaredNodes(t)
	for _, zero := range nodes {
		v := reflect.New(reflect.TypeOf(zero).Elem()).Elem()
		n := v.Addr().Interface()
		name := v.Type().Name()
		i := slices.Index(names, name)
		if i < 0 {
			t.Fatalf("hir.go has no node %s", name)
		}
		names = slices.Delete(names, i, i+1)
		parts := fill(v)
		var visited []any
		Walk(n, func(x any) { visited = append(visited, x) })
		if len(visited) == 0 || visited[0] != n {
			t.Errorf("%s is not visited first", name)
			continue
		}
		for _, p := range parts {
			count := 0
			for _, x := range visited {
				if x == p {
					count++
				}
			}
			if count != 1 {
				t.Errorf("%s: %d visits of a part of type %T", name, count, p)
			}
		}
	}
	if len(names) > 0 {
		t.Errorf("nodes without a test: %v", names)
	}
}
