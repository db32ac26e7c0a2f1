package ptx

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/golden"
	"irgl/internal/source"
)

// section returns the data of a file of an archive, or nil.
func section(a *txtar.Archive, name string) []byte {
	for _, f := range a.Files {
		if f.Name == name {
			return f.Data
		}
	}
	return nil
}

// archives calls f for every archive that matches pattern.
func archives(t *testing.T, pattern string, f func(t *testing.T, a *txtar.Archive)) {
	names, _ := filepath.Glob(pattern)
	if len(names) == 0 {
		t.Fatalf("no archives %s", pattern)
	}
	for _, name := range names {
		t.Run(strings.TrimSuffix(filepath.Base(name), ".txtar"), func(t *testing.T) {
			a := golden.Archive(t, name)
			if len(bytes.TrimSpace(a.Comment)) == 0 {
				t.Error("the archive does not say its rule")
			}
			f(t, a)
		})
	}
}

var ignorePos = cmpopts.IgnoreTypes(source.Pos{})

// roundTrip checks habit 3 for m: its text reads back to an equal module.
func roundTrip(t *testing.T, m *Module) string {
	t.Helper()
	text := Print(m)
	again, err := Parse(source.NewFile("printed.ptx", []byte(text)))
	if err != nil {
		t.Fatalf("printed text does not parse: %v\n%s", err, text)
	}
	if d := cmp.Diff(m, again, ignorePos, cmpopts.EquateEmpty()); d != "" {
		t.Errorf("read back differs (-printed +read):\n%s", d)
	}
	if second := Print(again); second != text {
		t.Errorf("printing is no fixed point:\n%s", cmp.Diff(text, second))
	}
	return text
}

func TestGolden(t *testing.T) {
	archives(t, "testdata/*.txtar", func(t *testing.T, a *txtar.Archive) {
		m, err := Parse(source.NewFile("in.ptx", section(a, "in.ptx")))
		if err != nil {
			t.Fatal(err)
		}
		if err := Verify(m); err != nil {
			t.Error(err)
		}
		golden.Section(t, a, "out.ptx", roundTrip(t, m))
	})
}

// TestCodes produces every diagnostic code from its smallest text. Lines of
// an archive's "cases" are bodies of a kernel; those of "texts" whole texts.
func TestCodes(t *testing.T) {
	seen := map[source.Code]bool{}
	archives(t, "testdata/codes/*.txtar", func(t *testing.T, a *txtar.Archive) {
		for _, f := range a.Files {
			if !strings.HasSuffix(f.Name, ".ptx") {
				continue
			}
			m, err := Parse(source.NewFile(f.Name, f.Data))
			if err == nil {
				err = Verify(m)
			}
			if err == nil {
				t.Errorf("%s is accepted", f.Name)
				continue
			}
			var out strings.Builder
			l := source.Diagnostics(err)
			l.Render(&out)
			for _, d := range l.Diags {
				seen[d.Code] = true
			}
			want := strings.ToUpper(f.Name[:len("P0000")])
			if string(l.Diags[0].Code) != want {
				t.Errorf("%s: first code is %s", f.Name, l.Diags[0].Code)
			}
			golden.Section(t, a, strings.TrimSuffix(f.Name, ".ptx")+".want", out.String())
		}
	})
	for _, c := range []source.Code{codeChar, codeComment, codeString, codeNumber, codeSyntax, codeHeader, codeDirective,
		codeDepth, codeInitialise, codeRedeclared, codeUndeclared, codeNoLabel, codeUnknownOp, codeModifier,
		codeOperands, codeType, codeParamBounds, codeCall, codeVar, codeGuard} {
		if !seen[c] {
			t.Errorf("no archive produces %s", c)
		}
	}
}

// header begins a text for tests.
const header = ".version 9.0\n.target sm_90\n.address_size 64\n"

// kernelOf wraps body into a kernel with registers of every type.
func kernelOf(body string) string {
	return header + `
.extern .shared .align 16 .b8 buf[];
.global .u32 cell[4];
.func (.param .b32 r) twice(.param .b32 a) { .reg .b32 %r<2>; ld.param.b32 %r1, [a]; add.s32 %r1, %r1, %r1; st.param.b32 [r], %r1; ret; }
.visible .entry k(.param .u64 k_param_0, .param .u32 k_param_1)
{
	.reg .pred %p<4>;
	.reg .b16 %rs<5>;
	.reg .b32 %r<9>;
	.reg .b64 %rd<5>;
	.reg .f32 %f<9>;
	.reg .f64 %fd<9>;
	` + body + `
}
`
}

// TestVerifyRefuses has one broken sample per invariant, and beside it the
// nearest sample that holds.
func TestVerifyRefuses(t *testing.T) {
	for _, c := range []struct {
		code      source.Code
		bad, good string
	}{
		{codeRedeclared, ".reg .b32 %x; .reg .b32 %x;", ".reg .b32 %x; { .reg .b32 %x; }"},
		{codeRedeclared, "$a: $a: ret;", "$a: { $a: ret; }"},
		{codeUndeclared, "mov.u32 %r9, 0;", "mov.u32 %r4, 0;"},
		{codeUndeclared, "mov.u32 %r01, 0;", "mov.u32 %r1, 0;"},
		{codeUndeclared, "@%p9 ret;", "@%p3 ret;"},
		{codeUndeclared, "{ .reg .b32 %x; } mov.u32 %x, 0;", "{ .reg .b32 %x; mov.u32 %x, 0; }"},
		{codeUndeclared, "mov.u64 %rd1, nobody;", "mov.u64 %rd1, buf;"},
		{codeNoLabel, "bra $x;", "bra $x; $x: ret;"},
		{codeNoLabel, "bra $x; { $x: ret; }", "{ bra $x; } $x: ret;"},
		{codeUnknownOp, "frob.u32 %r1, %r2;", "mov.u32 %r1, %r2;"},
		{codeModifier, "add.rn.u32 %r1, %r2, %r3;", "add.rn.f32 %f1, %f2, %f3;"},
		{codeModifier, "mul.u32 %r1, %r2, %r3;", "mul.lo.u32 %r1, %r2, %r3;"},
		{codeModifier, "ld.global.v4.u64 {%rd1, %rd2, %rd3, %rd4}, [%rd1];", "ld.global.v2.u64 {%rd1, %rd2}, [%rd1];"},
		{codeOperands, "setp.eq.f16x2 %p1, %r1, %r2;", "setp.eq.f16x2 %p1|%p2, %r1, %r2;"},
		{codeModifier, "add.rz.f16 %rs1, %rs2, %rs3;", "add.rn.f16 %rs1, %rs2, %rs3;"},
		{codeModifier, "cvt.f16.bf16 %rs1, %rs2;", "cvt.rn.f16.bf16 %rs1, %rs2;"},
		{codeModifier, "cvt.rn.sat.bf16.f32 %rs1, %f2;", "cvt.rn.sat.f16.f32 %rs1, %f2;"},
		{codeType, "{ .reg .u16 %u; add.f16 %u, %rs2, %rs3; }", "{ .reg .f16 %u; add.f16 %u, %rs2, %rs3; }"},
		{codeOperands, "add.u32 %r1, %r2;", "add.u32 %r1, %r2, 1;"},
		{codeOperands, "add.u32 3, %r2, %r1;", "add.u32 %r3, %r2, %r1;"},
		{codeOperands, "mov.u32 %tid.x, %r1;", "mov.u32 %r1, %tid.x;"},
		{codeOperands, "ld.global.v2.u32 %r1, [%rd1];", "ld.global.v2.u32 {%r1, _}, [%rd1];"},
		{codeOperands, "ld.global.u32 %r1, [buf];", "ld.global.u32 %r1, [cell+4];"},
		{codeOperands, "mov.b64 {%r1, %r2, %r3}, %rd1;", "mov.b64 {%r1, %r2}, %rd1;"},
		{codeOperands, "add.u32 %r1, !%r2, %r3;", "and.pred %p1, !%p2, %p3;"},
		{codeType, "add.u32 %rd1, %r2, %r3;", "add.u64 %rd1, %rd2, %rd3;"},
		{codeType, "add.f32 %f1, %f2, 1;", "add.f32 %f1, %f2, 0f3F800000;"},
		{codeType, "add.f32 %f1, %r2, %fd1;", "add.f32 %f1, %r2, %f1;"},
		{codeType, "add.s32 %r1, %f2, %r2;", "add.s32 %r1, %r2, %r2;"},
		{codeType, "ld.global.u32 %r1, [%r2];", "ld.shared.u32 %r1, [%r2];"},
		{codeType, "ld.global.u32 %rs1, [%rd2];", "ld.global.u8 %r1, [%rd2];"},
		{codeType, "selp.u32 %r1, %r2, %r3, %r4;", "selp.u32 %r1, %r2, %r3, %p1;"},
		{codeParamBounds, "ld.param.u64 %rd1, [k_param_1];", "ld.param.u64 %rd1, [k_param_0];"},
		{codeParamBounds, "ld.param.u32 %r1, [k_param_0+8];", "ld.param.u32 %r1, [k_param_0+4];"},
		{codeParamBounds, "ld.param.v4.u32 {%r1, %r2, %r3, %r4}, [k_param_0];", "ld.param.v2.u32 {%r1, %r2}, [k_param_0];"},
		{codeCall, "call twice, (%r1);", "call (%r2), twice, (%r1);"},
		{codeCall, "{ .param .b64 x; call (%r1), twice, (x); }", "{ .param .b32 x; call (%r1), twice, (x); }"},
		{codeCall, "call k;", "call (_), twice, (3);"},
		{codeVar, ".shared .align 3 .u32 x;", ".shared .align 4 .u32 x;"},
		{codeVar, ".local .pred x;", ".local .u32 x;"},
		{codeVar, ".shared .u32 x[];", ".shared .u32 x[3];"},
		{codeGuard, "@%r1 ret;", "@!%p1 ret;"},
	} {
		for _, s := range []struct {
			body string
			ok   bool
		}{{c.bad, false}, {c.good, true}} {
			m, err := Parse(source.NewFile("k.ptx", []byte(kernelOf(s.body))))
			if err != nil {
				t.Errorf("%s: %v", s.body, err)
				continue
			}
			roundTrip(t, m)
			err = Verify(m)
			switch {
			case s.ok && err != nil:
				t.Errorf("%s: %v", s.body, err)
			case !s.ok && err == nil:
				t.Errorf("%s: accepted, want %s", s.body, c.code)
			case !s.ok && source.Diagnostics(err).Diags[0].Code != c.code:
				t.Errorf("%s: %v, want %s", s.body, err, c.code)
			}
		}
	}
}

// TestVerifyWithoutPositions: a module built by hand is named by function and
// instruction.
func TestVerifyWithoutPositions(t *testing.T) {
	m := &Module{Version: "7.0", Target: "sm_75", AddressSize: 64, Decls: []Decl{&Func{Entry: true, Name: "k", Body: []Stmt{
		&Inst{Op: "mov", Mods: []string{"u32"}, Args: []Operand{R("%r1"), I(0)}},
	}}}}
	want := `error: register %r1 is not declared in "mov.u32 %r1, 0" of k [P0102]`
	if err := Verify(m); err == nil || err.Error() != want {
		t.Errorf("got %v, want %s", err, want)
	}
}

func FuzzParse(f *testing.F) {
	for _, p := range []string{"testdata/*.txtar", "testdata/codes/*.txtar"} {
		names, _ := filepath.Glob(p)
		for _, n := range names {
			a, err := txtar.ParseFile(n)
			if err != nil {
				f.Fatal(err)
			}
			for _, s := range a.Files {
				f.Add(s.Data)
			}
		}
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		file := source.NewFile("fuzz.ptx", data)
		m, err := Parse(file)
		if err != nil {
			for _, d := range source.Diagnostics(err).Diags {
				if d.Pos.File != file || int(d.Pos.Offset) > len(data) {
					t.Fatalf("position out of the text: %v", d)
				}
			}
			return
		}
		_ = Verify(m)
		text := Print(m)
		again, err := Parse(source.NewFile("printed.ptx", []byte(text)))
		if err != nil {
			t.Fatalf("printed text does not parse: %v\n%s", err, text)
		}
		if second := Print(again); second != text {
			t.Fatalf("no fixed point:\n%s\n%s", text, second)
		}
	})
}

// ptxas returns the assembler, or skips the test.
func ptxas(t *testing.T) string {
	path := os.Getenv("PTXAS")
	if path == "" {
		path = "ptxas"
	}
	path, err := exec.LookPath(path)
	if err != nil {
		t.Skip("no ptxas: set PTXAS or PATH")
	}
	return path
}

// assemble runs ptxas on text for arch and returns its complaints.
func assemble(t *testing.T, path, arch, text string) string {
	t.Helper()
	file := filepath.Join(t.TempDir(), "x.ptx")
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	out, err := exec.Command(path, "-arch="+arch, file, "-o", filepath.Join(t.TempDir(), "x.cubin")).CombinedOutput()
	if err != nil {
		return string(out) + err.Error()
	}
	return ""
}

// TestPtxas assembles every golden for four generations of GPUs.
func TestPtxas(t *testing.T) {
	path := ptxas(t)
	archives(t, "testdata/*.txtar", func(t *testing.T, a *txtar.Archive) {
		for _, arch := range []string{"sm_75", "sm_80", "sm_90", "sm_100"} {
			if out := assemble(t, path, arch, string(section(a, "out.ptx"))); out != "" {
				t.Errorf("%s: %s", arch, out)
			}
		}
	})
}

// TestTable builds one instruction for every form and choice of types of the
// table: Verify takes each, and so does ptxas where there is one.
func TestTable(t *testing.T) {
	var body strings.Builder
	for _, r := range allRows() {
		if r.args == "call" || r.args == "u32 B" {
			continue // shapes of their own, in the goldens
		}
		for _, op := range strings.Fields(r.op) {
			forEachForm(op, r, func(in *Inst) { body.WriteString(in.String() + ";\n") })
		}
	}
	text := kernelOf("bra $L;\n$L:\n" + body.String())
	m, err := Parse(source.NewFile("table.ptx", []byte(text)))
	if err != nil {
		t.Fatal(err)
	}
	if err := Verify(m); err != nil {
		t.Fatal(err)
	}
	if out := assemble(t, ptxas(t), "sm_90", text); out != "" {
		t.Error(out)
	}
}

// TestNeeds assembles every form of the table for older targets: ptxas refuses those, and
// only those, of which Verify says that the module is too old for them.
func TestNeeds(t *testing.T) {
	path := ptxas(t)
	if testing.Short() {
		t.Skip("takes seconds")
	}
	for _, c := range [...]struct{ version, target string }{{"7.0", "sm_75"}, {"7.0", "sm_80"}, {"7.8", "sm_80"}, {"7.8", "sm_90"}} {
		var all []string
		for _, r := range allRows() {
			if r.args == "call" || r.args == "u32 B" {
				continue
			}
			for _, op := range strings.Fields(r.op) {
				forEachForm(op, r, func(in *Inst) { all = append(all, in.String()) })
			}
		}
		text := strings.NewReplacer(".version 9.0", ".version "+c.version, "sm_90", c.target).Replace(kernelOf("bra $L;\n$L:\n" + strings.Join(all, ";\n") + ";"))
		first := strings.Count(text[:strings.Index(text, "$L:\n")], "\n") + 2
		refused := map[int]string{}
		for _, m := range regexp.MustCompile(`line (\d+); error\s*: (.*)`).FindAllStringSubmatch(assemble(t, path, c.target, text), -1) {
			line, _ := strconv.Atoi(m[1])
			refused[line-first] = m[2]
		}
		m, err := Parse(source.NewFile("table.ptx", []byte(text)))
		if err != nil {
			t.Fatal(err)
		}
		body := m.Decls[len(m.Decls)-1].(*Func).Body
		i := 0
		for _, s := range body {
			in, ok := s.(*Inst)
			if !ok || in.Op == "bra" && i == 0 && in.Args[0].Name == "$L" && in.Pos.Line() < first {
				continue
			}
			v := &verifier{diags: &source.List{}, top: newScope(nil), fn: &Func{}, mod: m}
			for _, f := range table()[in.Op] {
				if ty, u, ok := f.match(in.Mods); ok {
					v.need = needs(in, ty, u)
					break
				}
			}
			if why, met := refused[i], v.need.Met(c.version, c.target); met != (why == "") {
				t.Errorf("%s %s: %s: %s, ptxas: %q", c.version, c.target, in, v.need, why)
			}
			i++
		}
	}
}

// forEachForm calls f with instructions of a row: with and without optional
// modifiers, and with every type.
func forEachForm(op string, r formRow, f func(*Inst)) {
	forms := table()[op]
	for i := range forms {
		fm := &forms[i]
		if !reflect.DeepEqual(fm.args, strings.Fields(r.args)) {
			continue
		}
		var expand func(i int, mods []string)
		expand = func(i int, mods []string) {
			if i == len(fm.mods) {
				in := &Inst{Op: op, Mods: mods}
				t, u, ok := fm.match(mods)
				if !ok || !sampleArgs(in, fm, t, u) {
					return
				}
				f(in)
				return
			}
			s := fm.mods[i]
			if s.optional {
				expand(i+1, mods)
			}
			choices := s.choices
			if s.bind == 0 && len(choices) > 2 {
				choices = choices[:2]
			}
			if s.optional {
				choices = choices[:1]
			}
			for _, c := range choices {
				expand(i+1, append(mods[:len(mods):len(mods)], c))
			}
		}
		expand(0, nil)
	}
}
