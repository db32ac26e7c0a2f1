package ssa_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"irgl/internal/source"
	"irgl/internal/ssa"
)

// opConstants returns the names of the operations, as op.go declares them.
func opConstants(t *testing.T) []string {
	file, err := parser.ParseFile(token.NewFileSet(), "op.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	ast.Inspect(file, func(n ast.Node) bool {
		if spec, ok := n.(*ast.ValueSpec); ok {
			for _, id := range spec.Names {
				if strings.HasPrefix(id.Name, "Op") {
					names = append(names, id.Name)
				}
			}
		}
		return true
	})
	return names
}

// TestOpTable checks that the table has a row for every operation, and that
// the properties of each row fit together.
func TestOpTable(t *testing.T) {
	names := opConstants(t)
	seen := make(map[string]ssa.Op)
	for op := range ssa.Ops() {
		name := op.String()
		if name == "" || seen[name] != ssa.OpInvalid {
			t.Errorf("operation %d: name %q is missing or not unique", uint8(op), name)
			continue
		}
		seen[name] = op
		count := func(properties ...bool) (n int) {
			for _, p := range properties {
				if p {
					n++
				}
			}
			return n
		}
		if n := count(op.IsIntBinary(), op.IsIntUnary(), op.IsFloatArith(), op.IsCompare(), op.IsConversion(), op.AccessesMemory(), op.IsLiteral()); n > 1 {
			t.Errorf("%s is of %d classes", op, n)
		}
		for what, bad := range map[string]bool{
			"commutes other than two arguments":        op.Commutative() && op.NumArgs() != 2,
			"is binary with other than two arguments":  (op.IsIntBinary() || op.IsCompare()) && op.NumArgs() != 2,
			"is unary with other than one argument":    (op.IsIntUnary() || op.IsConversion()) && op.NumArgs() != 1,
			"divides and is not integer arithmetic":    op.IsDivision() && !op.IsIntBinary(),
			"is a quotient and does not divide":        op.IsQuotient() && !op.IsDivision(),
			"compares integers and does not compare":   op.IsIntCompare() && !op.IsCompare(),
			"is an unsigned order and compares floats": op.IsUnsignedOrder() && !op.IsIntCompare(),
			"is arithmetic with effects":               (op.IsIntBinary() || op.IsIntUnary() || op.IsFloatArith() || op.IsCompare() || op.IsConversion()) && !op.Pure(),
			"accesses memory without effects":          op.AccessesMemory() && op.Effects() == 0,
			"is atomic and does not read and write":    op.IsAtomic() && op.Effects() != ssa.Reads|ssa.Writes|ssa.Volatile,
			"is atomic and has no address":             op.IsAtomic() && !op.AccessesMemory(),
			"may promise and is not integer":           op.MayPromise() && !op.IsIntBinary(),
		} {
			if bad {
				t.Errorf("%s %s", op, what)
			}
		}
		if u := op.Unsigned(); u != op && (u.String() != "u"+op.String()[1:] || u.Signed() != op) {
			t.Errorf("%s on unsigned integers is %s, and that on signed ones %s", op, u, u.Signed())
		}
		if (op.IsIntCompare() && strings.ContainsAny(op.String()[1:], "lg") || op.IsDivision()) && op.Signed() == op.Unsigned() {
			t.Errorf("%s is neither signed nor unsigned", op)
		}
		if other := op.OtherDivision(); other != op && (other.OtherDivision() != op || other.IsQuotient() == op.IsQuotient() || other.String()[0] != op.String()[0]) || op.IsDivision() == (other == op) {
			t.Errorf("the other division of %s is %s", op, other)
		}
	}
	if len(seen) != len(names)-1 {
		t.Errorf("%d operations have rows, op.go declares %d", len(seen), len(names)-1)
	}
	for _, name := range names[1:] {
		op, ok := seen[strings.ToLower(strings.TrimPrefix(name, "Op"))]
		if !ok {
			t.Errorf("no row has the name of %s", name)
		}
		if want := strings.HasPrefix(name, "OpAtomic") && name != "OpAtomicLoad"; op.IsAtomic() != want {
			t.Errorf("%s: IsAtomic = %t", name, op.IsAtomic())
		}
	}
}

// TestNoOrderOfOps checks that nothing in the module depends on the numbers of
// operations: none is compared with another by order, or computed from one.
func TestNoOrderOfOps(t *testing.T) {
	isOp := make(map[string]bool)
	for _, name := range opConstants(t) {
		isOp[name] = true
	}
	files := 0
	root := filepath.Join("..", "..")
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.HasSuffix(path, ".go") {
			return err
		}
		fset := token.NewFileSet()
		file, err := parser.ParseFile(fset, path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		files++
		inside := file.Name.Name == "ssa"
		named := func(e ast.Expr) bool {
			switch e := e.(type) {
			case *ast.Ident:
				return inside && isOp[e.Name]
			case *ast.SelectorExpr:
				pkg, ok := e.X.(*ast.Ident)
				return ok && pkg.Name == "ssa" && isOp[e.Sel.Name]
			}
			return false
		}
		ast.Inspect(file, func(n ast.Node) bool {
			if call, ok := n.(*ast.CallExpr); ok {
				sel, _ := call.Fun.(*ast.SelectorExpr)
				if sel != nil && sel.Sel.Name == "Op" && fmt.Sprint(sel.X) == "ssa" {
					t.Errorf("%s: a number is made an operation: take it from a list, or from ssa.Ops", fset.Position(call.Pos()))
				}
			}
			e, ok := n.(*ast.BinaryExpr)
			if !ok || e.Op == token.EQL || e.Op == token.NEQ || !named(e.X) && !named(e.Y) {
				return true
			}
			if inside && filepath.Base(path) == "op.go" && e.Op == token.ADD {
				return true // Ops enumerates the numbers
			}
			t.Errorf("%s: an operation's number is compared or computed with: ask a predicate of ssa.Op", fset.Position(e.Pos()))
			return true
		})
		return nil
	})
	if err != nil || files < 100 {
		t.Fatalf("read %d files: %v", files, err)
	}
}

// TestSym breaks what values name: each operation holds a Sym of its own type
// only, and a member of it.
func TestSym(t *testing.T) {
	const text = `func @f() {
b0:
  v0 = const i32 -1
  v1 = const i1 true
  v2 = special i32 "tid.x"
  v3 = barrierred i1 v1 "and"
  v4 = shfl i32 v0, v2, v0, v0 "up"
  v5 = alloca ptr.local 8 align 8
  v6 = atomicadd i32 v5, v0 "block" align 4
  v7 = native i32 v0, v0, v0 "prmt.b32"
  fence "device.acq_rel"
  clusterbarrier "arrive.relaxed"
  v9 = spacecast ptr v5
  v10 = inspace i1 v9 "local"
  v8 = asm i32 v0 "=r,r: neg.s32 %0, %1;"
  ret
}
`
	index := map[ssa.Op]int{}
	m := mustParse(t, text)
	for i, v := range m.Funcs[0].Blocks[0].Values {
		index[v.Op] = i
	}
	if err := ssa.Verify(m); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		op  ssa.Op
		sym ssa.Sym
		ok  bool
	}{
		{ssa.OpSpecial, ssa.Register("laneid"), true}, {ssa.OpSpecial, ssa.Name("laneid"), false},
		{ssa.OpSpecial, ssa.Register("two words"), false}, {ssa.OpSpecial, nil, false},
		{ssa.OpBarrierRed, ssa.ReduceOr, true}, {ssa.OpBarrierRed, ssa.Reduction(3), false}, {ssa.OpBarrierRed, ssa.ShuffleUp, false},
		{ssa.OpShfl, ssa.ShuffleBfly, true}, {ssa.OpShfl, ssa.Shuffle(9), false}, {ssa.OpShfl, nil, false},
		{ssa.OpAtomicAdd, nil, true}, {ssa.OpAtomicAdd, ssa.ScopeSystem, true}, {ssa.OpAtomicAdd, ssa.ScopeDevice, false},
		{ssa.OpAtomicAdd, ssa.ScopeCluster, false}, {ssa.OpAtomicAdd, ssa.Fence{}, false},
		{ssa.OpNative, ssa.Instruction("fns.b32"), true}, {ssa.OpNative, ssa.Instruction("add.u32"), false}, {ssa.OpNative, nil, false},
		{ssa.OpFence, ssa.Fence{Scope: ssa.ScopeCluster}, true}, {ssa.OpFence, ssa.ScopeDevice, false}, {ssa.OpFence, ssa.Fence{Scope: 7}, false},
		{ssa.OpClusterBarrier, ssa.ClusterWait, true}, {ssa.OpClusterBarrier, ssa.ClusterStep(5), false}, {ssa.OpClusterBarrier, nil, false},
		{ssa.OpInSpace, ssa.SpaceShared, true}, {ssa.OpInSpace, ssa.Space(4), false}, {ssa.OpInSpace, nil, false},
		{ssa.OpAsm, ssa.Asm{Operands: "=r,r"}, true}, {ssa.OpAsm, ssa.Asm{Operands: "r,=r"}, false}, {ssa.OpAsm, ssa.Asm{Operands: "=x,r"}, false},
		{ssa.OpAsm, ssa.Asm{Operands: "=r,,r"}, false}, {ssa.OpAsm, ssa.Asm{Operands: "=rr,r"}, false}, {ssa.OpAsm, ssa.Instruction("=r,r: "), false}, {ssa.OpAsm, nil, false},
		{ssa.OpConst, nil, true}, {ssa.OpConst, ssa.Name("x"), false},
	} {
		m := mustParse(t, text)
		m.Funcs[0].Blocks[0].Values[index[test.op]].Sym = test.sym
		err := ssa.Verify(m)
		if (err == nil) != test.ok {
			t.Errorf("%s with %T %v: %v", test.op, test.sym, test.sym, err)
		}
		if err == nil {
			continue
		}
		for _, d := range source.Diagnostics(err).Diags {
			if d.Code != ssa.CodeField {
				t.Errorf("%s with %T %v: code %s", test.op, test.sym, test.sym, d.Code)
			}
		}
	}
}
