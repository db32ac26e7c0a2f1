package ptxgen

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/golden"
	"irgl/internal/ptx"
	"irgl/internal/source"
	"irgl/internal/ssa"
)

// parse reads and verifies a module.
func parse(t testing.TB, name string, text []byte) *ssa.Module {
	t.Helper()
	m, err := ssa.Parse(source.NewFile(name, text))
	if err != nil {
		t.Fatal(err)
	}
	if err := ssa.Verify(m); err != nil {
		t.Fatal(err)
	}
	return m
}

// options reads the lines "target sm_90", "version 8.0", "fuse" and "lines" of the section options.
func options(a *txtar.Archive) (o Options) {
	if f := golden.Find(a, "options"); f != nil {
		for line := range strings.Lines(string(f.Data)) {
			line = strings.TrimSpace(line)
			o.FuseMulAdd = o.FuseMulAdd || line == "fuse"
			o.Lines = o.Lines || line == "lines"
			if s, ok := strings.CutPrefix(line, "target "); ok {
				o.Target = s
			}
			if s, ok := strings.CutPrefix(line, "version "); ok {
				o.Version = s
			}
		}
	}
	return o
}

func TestGolden(t *testing.T) {
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, a *txtar.Archive) {
		m := parse(t, "in.ssa", golden.Find(a, "in.ssa").Data)
		before := m.String()
		out, err := Generate(m, options(a))
		if m.String() != before {
			t.Error("Generate changed the module")
		}
		if f := golden.Find(a, "error"); f != nil {
			if err == nil || err.Error() != strings.TrimSpace(string(f.Data)) {
				t.Errorf("error %v, want %s", err, f.Data)
			}
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		if err := ptx.Verify(out); err != nil {
			t.Errorf("not valid: %v\n%s", err, ptx.Print(out))
		}
		got := ptx.Print(out)
		again, err := Generate(m, options(a))
		if err != nil || ptx.Print(again) != got {
			t.Errorf("a second run gives another text: %v", err)
		}
		golden.Section(t, a, "want.ptx", got)
	})
}

// ptxasPath returns NVIDIA's assembler: $PTXAS or the one in PATH.
func ptxasPath(t *testing.T) string {
	t.Helper()
	if p := os.Getenv("PTXAS"); p != "" {
		return p
	}
	p, err := exec.LookPath("ptxas")
	if err != nil {
		t.Skip("no ptxas in PATH, and PTXAS is not set")
	}
	return p
}

// TestPtxas has NVIDIA's assembler accept every golden text, for each
// generation of devices from its target on.
func TestPtxas(t *testing.T) {
	ptxas := ptxasPath(t)
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, a *txtar.Archive) {
		t.Parallel()
		f := golden.Find(a, "want.ptx")
		if f == nil {
			t.Skip("an error is wanted")
		}
		file := filepath.Join(t.TempDir(), "a.ptx")
		if err := os.WriteFile(file, f.Data, 0o666); err != nil {
			t.Fatal(err)
		}
		for _, arch := range []string{"sm_75", "sm_80", "sm_90", "sm_100"} {
			if o := options(a); arch < o.Target && len(arch) == len(o.Target) {
				continue
			}
			out, err := exec.Command(ptxas, "--warning-as-error", "-arch="+arch, file, "-o", file+".cubin").CombinedOutput()
			if err != nil {
				t.Errorf("%s: %v\n%s", arch, err, out)
			}
		}
	})
}

func TestOptions(t *testing.T) {
	for _, test := range []struct{ target, version, wantTarget, wantVersion, err string }{
		{"", "", "sm_75", "7.0", ""},
		{"sm_90", "", "sm_90", "7.8", ""},
		{"sm_100a", "", "sm_100a", "8.6", ""},
		{"sm_200", "", "sm_200", latestVersion, ""},
		{"sm_80", "8.0", "sm_80", "8.0", ""},
		{"sm_70", "", "", "", "target sm_70 is too old: sm_75 is the oldest supported"},
		{"volta", "", "", "", `target "volta" is not of the form sm_75`},
	} {
		m, err := Generate(&ssa.Module{}, Options{Target: test.target, Version: test.version})
		if test.err != "" {
			if err == nil || err.Error() != test.err {
				t.Errorf("%s: error %v, want %s", test.target, err, test.err)
			}
			continue
		}
		if err != nil || m.Target != test.wantTarget || m.Version != test.wantVersion {
			t.Errorf("%s: %v, %v", test.target, m, err)
		}
	}
}

// TestCheckTarget checks which names of targets are known.
func TestCheckTarget(t *testing.T) {
	for target, want := range map[string]string{
		"sm_75": "", "sm_90": "", "sm_90a": "", "sm_100": "", "sm_100a": "", "sm_100f": "", "sm_121": "",
		"sm_999":  `there is no target "sm_999" (there are sm_75, sm_80, sm_86, sm_87, sm_89, sm_90, sm_100, sm_103, sm_110, sm_120, sm_121)`,
		"sm_80a":  `there is no target "sm_80a"`,
		"sm_90f":  `there is no target "sm_90f"`,
		"sm_90aa": `there is no target "sm_90aa"`,
		"sm_70":   "target sm_70 is too old",
		"volta":   `target "volta" is not of the form sm_75`,
	} {
		err := CheckTarget(target)
		if (want == "") != (err == nil) || err != nil && !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want %q", target, err, want)
		}
	}
}

// TestRefuse checks which targets have clusters, and where it is said that one has
// none: at the first kernel or operation that needs them.
func TestRefuse(t *testing.T) {
	const kernel = "func @k kernel cluster 2 1 1() {\nb0:\n  ret\n}\n"
	const user = "func @a(%p: i32) {\nb0:\n  ret\n}\nfunc @f() i32 {\nb0:\n  VALUE\n  v1 = const i32 1\n  ret v1\n}\n"
	for _, tt := range []struct {
		text, target, version string
		line                  int // 0 for no message
	}{
		{kernel, "", "", 1},
		{kernel, "sm_89", "", 1},
		{kernel, "sm_90", "7.7", 1},
		{kernel, "sm_90", "", 0},
		{kernel, "sm_100a", "", 0},
		{strings.Replace(user, "VALUE", `clusterbarrier "wait"`, 1), "sm_80", "", 7},
		{strings.Replace(user, "VALUE", `fence "cluster.acq_rel"`, 1), "sm_80", "8.0", 7},
		{strings.Replace(user, "VALUE", `v9 = special i32 "nclusterid.x"`, 1), "", "", 7},
		{strings.Replace(user, "VALUE", `barrier`, 1), "", "", 0},
	} {
		var diags source.List
		Refuse(parse(t, "in.ssa", []byte(tt.text)), Options{Target: tt.target, Version: tt.version}, &diags)
		line := 0
		for _, d := range diags.Diags {
			if line = d.Pos.Line(); d.Code != codeTarget || !strings.Contains(d.Hint, "--target=sm_90") || !strings.Contains(d.Hint, "[[scope(block, N)]]") {
				t.Errorf("%v, %s", d, d.Hint)
			}
		}
		if line != tt.line || len(diags.Diags) > 1 {
			t.Errorf("%s for %q %s: %v, want line %d", tt.text, tt.target, tt.version, diags.Diags, tt.line)
		}
	}
}

// TestAsmVersion: inline PTX raises a version of PTX that was not chosen.
func TestAsmVersion(t *testing.T) {
	m := parse(t, "in.ssa", []byte("func @k kernel() {\nb0:\n  asmmemory \": fence.proxy.async;\"\n  ret\n}\n"))
	for _, tt := range []struct{ target, chosen, want string }{
		{"sm_90", "", "8.0"}, {"sm_100", "", "8.6"}, {"sm_90", "8.3", "8.3"}, {"sm_90", "7.8", ""}, {"sm_89", "", ""}, {"sm_89", "8.0", ""},
	} {
		o := Options{Target: tt.target, Version: tt.chosen}
		var diags source.List
		Refuse(m, o, &diags)
		if refused := len(diags.Diags) == 1; refused != (tt.want == "") {
			t.Errorf("%v: %v", tt, diags.Diags)
		} else if !refused {
			if out, err := Generate(m, o); err != nil || out.Version != tt.want {
				t.Errorf("%v: %v, %v", tt, out, err)
			}
		}
	}
}

// FuzzGenerate generates any module that verifies: no panic, and what comes
// out is valid PTX that reads back.
func FuzzGenerate(f *testing.F) {
	for _, in := range golden.Seeds(f, []string{".ssa"}, "testdata/*.txtar") {
		f.Add(in.Data)
	}
	f.Fuzz(func(t *testing.T, text []byte) {
		m, err := ssa.Parse(source.NewFile("fuzz.ssa", text))
		if err != nil || ssa.Verify(m) != nil {
			return
		}
		out, err := Generate(m, Options{Target: "sm_90"})
		if err != nil {
			return
		}
		if err := ptx.Verify(out); err != nil {
			t.Fatalf("%v\n%s\n%s", err, m, ptx.Print(out))
		}
		printed := ptx.Print(out)
		back, err := ptx.Parse(source.NewFile("fuzz.ptx", []byte(printed)))
		if err != nil || ptx.Print(back) != printed {
			t.Fatalf("does not read back: %v\n%s", err, printed)
		}
	})
}
