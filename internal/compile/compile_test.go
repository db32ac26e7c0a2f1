package compile_test

import (
	"bytes"
	"errors"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/source"
	"irgl/syntax"
)

func itoa(n int) string { return strconv.Itoa(n) }

// bundled returns the texts of the bundled programs, which package programs
// embeds: it may not be imported from here.
func bundled(t testing.TB) map[string][]byte {
	t.Helper()
	files, err := filepath.Glob("../programs/*.irgl")
	if err != nil || len(files) == 0 {
		t.Fatal("no bundled programs: ", err)
	}
	texts := map[string][]byte{}
	for _, path := range files {
		b, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimSuffix(filepath.Base(path), ".irgl")] = b
	}
	return texts
}

// compiled compiles an .irgl or .cu text up to the stage called last.
func compiled(name, text, last string, o compile.Options) (*compile.Unit, error) {
	dialect := syntax.IrGL
	if filepath.Ext(name) == ".cu" {
		dialect = syntax.CUDA
	}
	return compile.Compile(source.NewFile(name, []byte(text)), dialect, last, o)
}

func emitted(t testing.TB, u *compile.Unit, form string) string {
	t.Helper()
	var b bytes.Buffer
	if err := u.Emit(&b, form); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

// TestStages checks that a compilation stops after the stage asked for, and
// what is there then.
func TestStages(t *testing.T) {
	const text = "Graph g { Node int a = 1; }\nKernel K(g) { ForAll (n In g.nodes) { n.a = 2; } }\nHost f() { Invoke K(g); }\n"
	var all []string
	for _, s := range compile.Stages() {
		all = append(all, s.Name)
		if s.Doc == "" {
			t.Errorf("%s has no description", s.Name)
		}
	}
	if got := strings.Join(all, " "); got != "parse check lower recheck ssagen opt ptxgen" {
		t.Fatalf("the stages are %s", got)
	}
	for i, last := range append(all, "") {
		u, err := compiled("a.irgl", text, last, compile.Options{Check: true, Lower: outlined})
		if err != nil {
			t.Fatal(err)
		}
		want := all
		if last != "" {
			want = all[:i+1]
		}
		var ran []string
		for _, s := range u.Times {
			ran = append(ran, s.Stage)
		}
		if !slices.Equal(ran, want) {
			t.Errorf("up to %q: %v ran", last, ran)
		}
		for form, stage := range map[string]string{"ast": "parse", "json": "check", "cu": "recheck", "ssa": "opt", "ptx": "ptxgen"} {
			err := u.Emit(io.Discard, form)
			if reached := slices.Contains(want, stage); reached != (err == nil) {
				t.Errorf("up to %q: emitting %s: %v", last, form, err)
			}
		}
	}
	u, err := compiled("a.cu", "__device__ int x;\n__global__ void k(void) { x = 1; }\n", "", compile.Options{Check: true, Lower: outlined})
	if err != nil {
		t.Fatal(err)
	}
	if len(u.Times) != len(all)-2 || u.CUDA != u.Tree || u.CUDAInfo != u.Info {
		t.Errorf("a .cu text is lowered: %v", u.Times)
	}
	if got := emitted(t, u, "cu"); strings.Contains(got, "#include") || !strings.Contains(got, "__global__ void k()") {
		t.Errorf("cu of a .cu text:\n%s", got)
	}
}

// TestErrors checks how each kind of failure is told.
func TestErrors(t *testing.T) {
	const host = "Host f() { }\n"
	for _, tt := range []struct{ name, text, last, code, want string }{
		{"a.irgl", "Graph {", "", "S", "a.irgl:1:"},
		{"a.irgl", host + "int f(int x) { return y; }", "", "C", "a.irgl:2:"},
		{"a.irgl", "int irgl_x = 1;\n" + host, "", "L0005", "a.irgl:1:5"},
		{"a.irgl", "Kernel K() { CBlock \"class x;\"; }\nHost f() { Invoke K(); }", "", "L0006", "a.irgl:1:14"},
		{"a.irgl", "Names N;\n" + "Host f() { int n = N; }\n", "opt", "L0006", "a.irgl:2:20"},
		{"a.cu", "__global__ void k(int n) { int a[n]; }", "", "C", "a.cu:1:"},
		{"a.cu", "__device__ void f(int *p);\n__global__ void k(int *p) { f(p); }", "", "", "a.cu:2:"},
	} {
		u, err := compiled(tt.name, tt.text, tt.last, compile.Options{Check: true, Lower: outlined})
		if u == nil {
			t.Fatal("no unit")
		}
		diags := source.Diagnostics(err)
		if diags == nil || len(diags.Diags) == 0 {
			t.Errorf("%s: %v, want diagnostics", tt.text, err)
			continue
		}
		if !strings.HasPrefix(string(diags.Diags[0].Code), tt.code) || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want code %s... at %s", tt.text, err, tt.code, tt.want)
		}
	}
	if _, err := compiled("a.irgl", host, "link", compile.Options{Lower: outlined}); err == nil || !strings.Contains(err.Error(), `no stage "link"`) {
		t.Errorf("an unknown stage: %v", err)
	}
	u, err := compiled("a.irgl", host, "", compile.Options{Lower: outlined})
	if err != nil {
		t.Fatal(err)
	}
	if err := u.Emit(io.Discard, "exe"); err == nil || !strings.Contains(err.Error(), `no form "exe"`) {
		t.Errorf("an unknown form: %v", err)
	}
	if u, err = compiled("a.cu", "__global__ void k() { }\n", "", compile.Options{Lower: outlined}); err != nil {
		t.Fatal(err)
	}
	for _, form := range []string{"ast", "cu", "ssa", "ptx"} {
		if err := u.Emit(failingWriter{}, form); !errors.Is(err, errFull) {
			t.Errorf("%s to a full disk: %v", form, err)
		}
	}
	o := compile.Options{Lower: outlined}
	o.PTX.Target = "sm_1"
	if _, err := compiled("a.irgl", host, "", o); err == nil || source.Diagnostics(err) != nil {
		t.Errorf("an unknown target: %v", err)
	}
	o = compile.Options{Lower: outlined}
	o.Opt.Switch = map[string]bool{"magic": true}
	if _, err := compiled("a.irgl", host, "", o); err == nil || !strings.Contains(err.Error(), "magic") {
		t.Errorf("an unknown pass: %v", err)
	}
}

var errFull = errors.New("full")

type failingWriter struct{}

func (failingWriter) Write([]byte) (int, error) { return 0, errFull }

// TestDeterminism compiles every program several times to the same bytes, and its
// .cu text again from that text; with -short every third twice.
func TestDeterminism(t *testing.T) {
	times := 4
	if testing.Short() {
		times = 2
	}
	for i, p := range programs(t) {
		if testing.Short() && i%3 != 1 {
			continue
		}
		first := map[string]string{}
		for i := range times {
			u := p.compiledOnce(t, true)
			if i > 0 {
				var err error
				if u, err = compiled(p.name+".irgl", p.text, "", compile.Options{Lower: outlined}); err != nil {
					t.Fatal(err)
				}
			}
			for _, form := range []string{"ast", "json", "cu", "ssa", "ptx"} {
				got := emitted(t, u, form)
				if i == 0 {
					first[form] = got
				} else if got != first[form] {
					t.Errorf("%s: two %s texts differ", p.name, form)
				}
			}
		}
		u, err := compiled(p.name+".cu", first["cu"], "", compile.Options{Lower: outlined, WrapSigned: true})
		if err != nil {
			t.Errorf("%s: the .cu text does not compile: %v", p.name, err)
			continue
		}
		if got := emitted(t, u, "ptx"); body(got) != body(first["ptx"]) {
			t.Errorf("%s: the PTX of the .cu text differs", p.name)
		}
	}
}

// body returns PTX without its leading comments, which name the source.
func body(ptx string) string {
	_, rest, _ := strings.Cut(ptx, ".version")
	return rest
}

// TestPTXAS assembles the PTX of all programs and listings for the devices we serve.
func TestPTXAS(t *testing.T) {
	tool := findTool(t, "PTXAS", "ptxas")
	for _, path := range writtenPTX(t) {
		for _, arch := range []string{"sm_75", "sm_80", "sm_90", "sm_100"} {
			out, err := exec.Command(tool, "-arch="+arch, "-o", os.DevNull, path).CombinedOutput()
			if err != nil || len(out) > 0 {
				t.Errorf("%s for %s: %v\n%s", path, arch, err, out)
			}
		}
	}
}

// BenchmarkCompile is .irgl text to PTX text. The wish is a median under 20 ms.
func BenchmarkCompile(b *testing.B) {
	texts := bundled(b)
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				u, err := compiled(name+".irgl", string(texts[name]), "", compile.Options{Lower: outlined})
				if err != nil {
					b.Fatal(err)
				}
				_ = u.PTXText()
			}
		})
	}
}
