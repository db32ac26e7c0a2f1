package ssa_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/golden"
	"irgl/internal/source"
	"irgl/internal/ssa"
)

func mustParse(t testing.TB, text string) *ssa.Module {
	t.Helper()
	m, err := ssa.Parse(source.NewFile("test.ssa", []byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	return m
}

// archives runs a subtest for each archive of a folder of testdata.
func archives(t *testing.T, dir string, run func(t *testing.T, ar *txtar.Archive)) {
	files, err := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
	if err != nil || len(files) == 0 {
		t.Fatalf("no archives in %s: %v", dir, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			run(t, golden.Archive(t, file))
		})
	}
}

// TestRoundTrip prints what it parsed: the texts are in the printed form, and
// the module read from the print equals the first but for positions.
func TestRoundTrip(t *testing.T) {
	archives(t, "print", func(t *testing.T, ar *txtar.Archive) {
		for i := range ar.Files {
			m := mustParse(t, string(ar.Files[i].Data))
			if err := ssa.Verify(m); err != nil {
				t.Errorf("%s: %v", ar.Files[i].Name, err)
			}
			golden.Data(t, &ar.Files[i], m.String())
			back := mustParse(t, m.String())
			if got, want := shape(back), shape(m); !reflect.DeepEqual(got, want) {
				t.Errorf("%s: read back differently", ar.Files[i].Name)
			}
		}
	})
}

// shape is m without positions and without the numbers of values that have no
// result, as plain strings.
func shape(m *ssa.Module) []string {
	var s []string
	for _, g := range m.Globals {
		s = append(s, fmt.Sprintf("%s %s %d %d %x", g.Name, g.Space, g.Size, g.Align, g.Init))
	}
	for _, f := range m.Funcs {
		s = append(s, fmt.Sprintf("%s %t %d %d %d %s", f.Name, f.Kernel, f.Inline, f.MaxThreads, f.MinBlocks, f.Result))
		for _, p := range f.Params {
			s = append(s, fmt.Sprintf("%v", *p))
		}
		for _, b := range f.Blocks {
			s = append(s, fmt.Sprintf("%s %d %v %v %v %t %d", b, b.Kind, b.Ctrl, b.Succs, b.Preds, b.Uniform, b.Unroll))
			for _, v := range b.Values {
				id := v.ID
				if v.Type == ssa.Void {
					id = -1
				}
				s = append(s, fmt.Sprintf("%d %d %s %v %d %x %q %v", id, v.Op, v.Type, v.Args, v.Int, v.Float, v.Sym, v.Mem))
			}
		}
	}
	return s
}

// TestParseErrors has a text a section, whose lines end in "; ERROR code text"
// where an error is due.
func TestParseErrors(t *testing.T) {
	codes := make(map[source.Code]bool)
	archives(t, "parse", func(t *testing.T, ar *txtar.Archive) {
		for _, f := range ar.Files {
			file := source.NewFile(f.Name, f.Data)
			_, err := ssa.Parse(file)
			checkErrors(t, file, err, codes)
		}
	})
	for _, c := range []source.Code{ssa.CodeSyntax, ssa.CodeUnknown, ssa.CodeDuplicate, ssa.CodeUndefined,
		ssa.CodeNumber, ssa.CodeEdges, ssa.CodeTooMany} {
		if !codes[c] {
			t.Errorf("no archive produces %s", c)
		}
	}
}

// checkErrors compares diagnostics with the marks in the text, by line.
func checkErrors(t *testing.T, file *source.File, err error, codes map[source.Code]bool) {
	t.Helper()
	got := make(map[int][]string)
	if list := source.Diagnostics(err); list != nil {
		for _, d := range list.Diags {
			got[d.Pos.Line()] = append(got[d.Pos.Line()], string(d.Code)+" "+d.Message)
			codes[d.Code] = true
		}
	} else if err != nil {
		t.Fatalf("%s: not diagnostics: %v", file.Name, err)
	}
	for n := 1; n <= file.LineCount(); n++ {
		_, want, marked := strings.Cut(file.Line(n), "; ERROR ")
		switch msgs := got[n]; {
		case !marked && len(msgs) > 0:
			t.Errorf("%s:%d: unexpected %q", file.Name, n, msgs)
		case marked && (len(msgs) == 0 || !strings.Contains(strings.Join(msgs, "\n"), want)):
			t.Errorf("%s:%d: want %q, got %q", file.Name, n, want, msgs)
		}
	}
}

// TestVerify has a broken text a section: one for each rule, at least. The
// marks are as for TestParseErrors; a section without one must be accepted.
func TestVerify(t *testing.T) {
	codes := make(map[source.Code]bool)
	refused := 0
	archives(t, "verify", func(t *testing.T, ar *txtar.Archive) {
		for _, f := range ar.Files {
			file := source.NewFile(f.Name, f.Data)
			m, err := ssa.Parse(file)
			if err != nil {
				t.Fatalf("%s: %v", f.Name, err)
			}
			if err = ssa.Verify(m); err != nil {
				refused += len(source.Diagnostics(err).Diags)
			}
			checkErrors(t, file, err, codes)
		}
	})
	if refused < 70 {
		t.Errorf("only %d samples are refused", refused)
	}
	// The text cannot say the others: see TestVerifyMutated.
	for _, c := range []source.Code{ssa.CodeGlobal, ssa.CodeParam, ssa.CodeEntry,
		ssa.CodePhi, ssa.CodeType, ssa.CodeField, ssa.CodeDominance, ssa.CodeAlloca, ssa.CodeReference, ssa.CodeFunc} {
		if !codes[c] {
			t.Errorf("no archive produces %s", c)
		}
	}
}

// TestVerifyMutated breaks, by hand, what no text can say.
func TestVerifyMutated(t *testing.T) {
	const text = `
global @g: space(global) size 4 align 4
func @f(%x: i32) i32 {
b0:
  v0 = param i32 0
  v1 = const i32 0
  v2 = slt i1 v0, v1
  if v2, b1, b2
b1:
  v3 = add i32 v0, v1
  jump b2
b2: <- b0, b1
  v4 = phi i32 v0, v3
  ret v4
}
`
	if err := ssa.Verify(mustParse(t, text)); err != nil {
		t.Fatal(err)
	}
	for _, test := range []struct {
		name   string
		code   source.Code
		broken func(m *ssa.Module, f *ssa.Func)
	}{
		{"function name with a blank", ssa.CodeName, func(m *ssa.Module, f *ssa.Func) { f.Name = "a b" }},
		{"function named as a variable", ssa.CodeName, func(m *ssa.Module, f *ssa.Func) { f.Name = "g" }},
		{"parameter name with a blank", ssa.CodeName, func(m *ssa.Module, f *ssa.Func) { f.Params[0].Name = "a b" }},
		{"unrolling by a negative number", ssa.CodeBlock, func(m *ssa.Module, f *ssa.Func) { f.Blocks[1].Unroll = -3 }},
		{"restrict parameter that is no pointer", ssa.CodeParam, func(m *ssa.Module, f *ssa.Func) {
			p := ssa.NewParam("r", ssa.I32)
			p.Restrict = true
			f.Params = append(f.Params, p)
		}},
		{"parameter without a type", ssa.CodeParam, func(m *ssa.Module, f *ssa.Func) { f.Params[0].Type = ssa.Void }},
		{"block twice", ssa.CodeBlock, func(m *ssa.Module, f *ssa.Func) { f.Blocks = append(f.Blocks, f.Blocks[1]) }},
		{"block of another function", ssa.CodeBlock, func(m *ssa.Module, f *ssa.Func) { f.Blocks[1].Func = new(ssa.Func) }},
		{"block number out of range", ssa.CodeBlock, func(m *ssa.Module, f *ssa.Func) { f.Blocks[1].ID = 99 }},
		{"value twice", ssa.CodeValue, func(m *ssa.Module, f *ssa.Func) {
			f.Blocks[1].Values = append(f.Blocks[1].Values, f.Blocks[1].Values[0])
		}},
		{"value in the wrong block", ssa.CodeValue, func(m *ssa.Module, f *ssa.Func) { f.Blocks[1].Values[0].Block = f.Blocks[2] }},
		{"value number out of range", ssa.CodeValue, func(m *ssa.Module, f *ssa.Func) { f.Blocks[1].Values[0].ID = 99 }},
		{"no operation", ssa.CodeValue, func(m *ssa.Module, f *ssa.Func) { f.Blocks[1].Values[0].Op = ssa.OpInvalid }},
		{"argument nil", ssa.CodeValue, func(m *ssa.Module, f *ssa.Func) { f.Blocks[1].Values[0].Args[0] = nil }},
		{"argument removed", ssa.CodeValue, func(m *ssa.Module, f *ssa.Func) { f.Blocks[0].Values = f.Blocks[0].Values[1:] }},
		{"argument of another function", ssa.CodeValue, func(m *ssa.Module, f *ssa.Func) {
			f.Blocks[1].Values[0].Args[0] = mustParse(t, text).Funcs[0].Blocks[0].Values[0]
		}},
		{"one argument", ssa.CodeArgs, func(m *ssa.Module, f *ssa.Func) {
			f.Blocks[1].Values[0].Args = f.Blocks[1].Values[0].Args[:1]
		}},
		{"kind out of range", ssa.CodeTerminator, func(m *ssa.Module, f *ssa.Func) { f.Blocks[1].Kind = 99 }},
		{"jump with control", ssa.CodeTerminator, func(m *ssa.Module, f *ssa.Func) { f.Blocks[1].Ctrl = f.Blocks[0].Ctrl }},
		{"if without control", ssa.CodeTerminator, func(m *ssa.Module, f *ssa.Func) { f.Blocks[0].Ctrl = nil }},
		{"return without a value", ssa.CodeTerminator, func(m *ssa.Module, f *ssa.Func) { f.Blocks[2].Ctrl = nil }},
		{"control removed", ssa.CodeTerminator, func(m *ssa.Module, f *ssa.Func) {
			f.Blocks[0].Ctrl = f.NewValue(ssa.OpConst, ssa.I1)
		}},
		{"if with one successor", ssa.CodeTerminator, func(m *ssa.Module, f *ssa.Func) { f.Blocks[0].Succs = f.Blocks[0].Succs[:1] }},
		{"successor nil", ssa.CodeEdge, func(m *ssa.Module, f *ssa.Func) { f.Blocks[1].Succs[0] = nil }},
		{"predecessor nil", ssa.CodeEdge, func(m *ssa.Module, f *ssa.Func) { f.Blocks[2].Preds[0] = nil }},
		{"edge known at its start only", ssa.CodeEdge, func(m *ssa.Module, f *ssa.Func) {
			f.Blocks[2].Preds = f.Blocks[2].Preds[:1]
		}},
		{"edge known at its end only", ssa.CodeEdge, func(m *ssa.Module, f *ssa.Func) {
			f.Blocks[1].Preds = append(f.Blocks[1].Preds, f.Blocks[2])
		}},
		{"edge twice at its end", ssa.CodeEdge, func(m *ssa.Module, f *ssa.Func) {
			f.Blocks[2].Preds[1] = f.Blocks[0]
		}},
		{"unused field", ssa.CodeField, func(m *ssa.Module, f *ssa.Func) { f.Blocks[1].Values[0].Int = 3 }},
		{"unused float", ssa.CodeField, func(m *ssa.Module, f *ssa.Func) { f.Blocks[1].Values[0].Float = 3 }},
		{"unused symbol", ssa.CodeField, func(m *ssa.Module, f *ssa.Func) { f.Blocks[1].Values[0].Sym = ssa.Name("x") }},
		{"unused memory", ssa.CodeField, func(m *ssa.Module, f *ssa.Func) { f.Blocks[1].Values[0].Mem.Align = 4 }},
	} {
		m := mustParse(t, text)
		test.broken(m, m.Funcs[0])
		err := ssa.Verify(m)
		list := source.Diagnostics(err)
		if list == nil {
			t.Errorf("%s: not refused (%v)", test.name, err)
			continue
		}
		found := false
		for _, d := range list.Diags {
			found = found || d.Code == test.code
		}
		if !found {
			t.Errorf("%s: want %s, got %v", test.name, test.code, err)
		}
	}
}

func TestExtend(t *testing.T) {
	for _, test := range []struct {
		t      ssa.Type
		n      int64
		signed int64
		plain  uint64
	}{
		{ssa.I1, 1, -1, 1}, {ssa.I1, 2, 0, 0}, {ssa.I8, 255, -1, 255}, {ssa.I16, 0x8000, -0x8000, 0x8000},
		{ssa.I32, 1 << 31, -1 << 31, 1 << 31}, {ssa.I64, -1, -1, 1<<64 - 1}, {ssa.Ptr, -2, -2, 1<<64 - 2},
	} {
		if got := ssa.SignExtend(test.t, test.n); got != test.signed {
			t.Errorf("SignExtend(%s, %d) = %d, want %d", test.t, test.n, got, test.signed)
		}
		if got := ssa.ZeroExtend(test.t, test.n); got != test.plain {
			t.Errorf("ZeroExtend(%s, %d) = %d, want %d", test.t, test.n, got, test.plain)
		}
	}
}

// FuzzParse: no text makes Parse or Verify panic, errors have positions in the
// text, and what parses prints to a text that parses and prints the same.
func FuzzParse(f *testing.F) {
	for _, dir := range []string{"print", "parse", "verify"} {
		files, _ := filepath.Glob(filepath.Join("testdata", dir, "*.txtar"))
		for _, file := range files {
			ar, err := txtar.ParseFile(file)
			if err != nil {
				f.Fatal(err)
			}
			for _, section := range ar.Files {
				f.Add(string(section.Data))
			}
		}
	}
	f.Fuzz(func(t *testing.T, text string) {
		file := source.NewFile("fuzz.ssa", []byte(text))
		m, err := ssa.Parse(file)
		if err != nil {
			for _, d := range source.Diagnostics(err).Diags {
				if d.Pos.File != file || d.Pos.Offset < 0 || int(d.Pos.Offset) > len(text) {
					t.Fatalf("position out of range: %v", d)
				}
			}
			return
		}
		once := m.String()
		if twice := mustParse(t, once).String(); once != twice {
			t.Fatalf("not a fixed point:\n%s\nthen\n%s", once, twice)
		}
		_ = ssa.Verify(m) // refusing is right, a panic is not
	})
}

// TestPredIndex compares searches in any order, between removals, with those
// from the start.
func TestPredIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	f := &ssa.Func{}
	join := f.NewBlock(ssa.BlockRet)
	for range 300 {
		b := f.NewBlock(ssa.BlockIf)
		b.AddEdge(join)
		if r.IntN(10) == 0 {
			b.AddEdge(join) // the first of the two is meant
		}
	}
	stranger := f.NewBlock(ssa.BlockJump)
	for step := range 5000 {
		b := f.Blocks[r.IntN(len(f.Blocks))]
		if step%3 == 0 {
			b = f.Blocks[step/3%len(f.Blocks)]
		}
		if got, want := join.PredIndex(b), slices.Index(join.Preds, b); got != want {
			t.Fatalf("step %d: %d, want %d", step, got, want)
		}
		if step%25 == 0 && len(join.Preds) > 0 {
			i := r.IntN(len(join.Preds))
			join.Preds = slices.Delete(join.Preds, i, i+1)
		}
	}
	if got := join.PredIndex(stranger); got != -1 {
		t.Errorf("a block that is no predecessor is at %d", got)
	}
}

// TestIntToFloat: numbers are rounded once, and have a sign or none.
func TestIntToFloat(t *testing.T) {
	const tie = 1<<54 + 1<<30 + 1 // as a double it lies in the middle of two floats
	for _, c := range []struct {
		signed   bool
		from, to ssa.Type
		n        int64
		want     float64
	}{
		{true, ssa.I64, ssa.F32, tie, 1<<54 + 1<<31},
		{false, ssa.I64, ssa.F32, tie, 1<<54 + 1<<31},
		{true, ssa.I64, ssa.F64, tie, 1<<54 + 1<<30},
		{true, ssa.I32, ssa.F32, -3, -3},
		{false, ssa.I32, ssa.F32, -3, 1 << 32},
		{false, ssa.I32, ssa.F64, -3, 1<<32 - 3},
		{false, ssa.I8, ssa.F64, -1, 255},
	} {
		if got := ssa.IntToFloat(c.signed, c.from, c.to, c.n); got != c.want {
			t.Errorf("IntToFloat(%v, %s, %s, %d) = %v, want %v", c.signed, c.from, c.to, c.n, got, c.want)
		}
	}
}

// A call graph has callees first, and knows recursive functions: f through g, and s; not k, which calls them, nor h.
func TestCallGraph(t *testing.T) {
	m := mustParse(t, `
func @k kernel() {
b0:
  call @f()
  call @s()
  call @h()
  ret
}

func @f() {
b0:
  call @g()
  call @h()
  ret
}

func @g() {
b0:
  call @f()
  ret
}

func @s() {
b0:
  call @s()
  ret
}

func @h() {
b0:
  ret
}
`)
	g := ssa.NewCallGraph(m)
	at := map[string]int{}
	for i, f := range g.Order {
		at[f.Name] = i
		if want := strings.Contains("fgs", f.Name); g.Recursive(f) != want {
			t.Errorf("Recursive(%s) is %v", f.Name, !want)
		}
	}
	if len(at) != 5 || at["k"] != 4 || at["h"] > at["f"] || at["h"] > at["g"] {
		t.Errorf("order %v", at)
	}
	f, h := g.Func("f"), g.Func("h")
	if !g.SameCycle(f, g.Func("g")) || !g.SameCycle(f, f) || g.SameCycle(f, h) || g.SameCycle(f, g.Func("s")) {
		t.Error("the cycles are not f and g, s, h and k")
	}
	if n := g.Uses(h); n != 2 || g.Uses(f) != 2 || g.Uses(g.Func("k")) != 0 {
		t.Errorf("h is used %d times, f %d", n, g.Uses(f))
	}
	if g.Func("none") != nil {
		t.Error("there is a function none")
	}
}

// A call through a pointer may be one of each function whose address is taken, in code or
// in an initial value: p calls itself so, and r calls it.
func TestCallGraphPointers(t *testing.T) {
	g := ssa.NewCallGraph(mustParse(t, `
global @t: space(const) size 8 align 8 ref 0 @p 0

func @p(%f: ptr) {
b0:
  v0 = param ptr 0
  callptr v0, v0 "ptr"
  ret
}

func @q(%f: ptr) {
b0:
  ret
}

func @r(%f: ptr) {
b0:
  v0 = funcaddr ptr @q
  callptr v0, v0 "ptr"
  ret
}
`))
	for name, want := range map[string]bool{"p": true, "q": false, "r": false} {
		if g.Recursive(g.Func(name)) != want {
			t.Errorf("Recursive(%s) is %v", name, !want)
		}
	}
	if g.Uses(g.Func("p")) != 1 || g.Uses(g.Func("q")) != 1 || g.Order[2].Name != "r" {
		t.Errorf("uses %d, %d; %s comes last", g.Uses(g.Func("p")), g.Uses(g.Func("q")), g.Order[2].Name)
	}
}
