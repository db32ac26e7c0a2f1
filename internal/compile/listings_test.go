package compile_test

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/compile"
	"irgl/internal/filecheck"
	"irgl/internal/golden"
	"irgl/internal/ssa"
)

// listed are the programs of which the goldens hold the whole of each form.
var listed = []string{"cc", "pr", "sssp_bf", "report1_min_edge"}

// A testProgram is a bundled program, or a listing of the two papers, which are in
// examples/listings.
type testProgram struct{ name, text string }

// programs returns the bundled programs and the listings.
func programs(t testing.TB) []testProgram {
	t.Helper()
	texts := bundled(t)
	var out []testProgram
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		out = append(out, testProgram{name, string(texts[name])})
	}
	files, err := filepath.Glob("../../examples/listings/*.irgl")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d listings: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		out = append(out, testProgram{strings.TrimSuffix(filepath.Base(file), ".irgl"), string(text)})
	}
	return out
}

// A compilation is one of programs: as they are, or with the host's loops on the device.
type compilation struct {
	name     string
	outlined bool
}

// units holds what compiledOnce has compiled.
var units = map[compilation]*compile.Unit{}

// compiledOnce compiles p with all checks on, once for all tests, none of which
// changes it.
func (p testProgram) compiledOnce(t testing.TB, outline bool) *compile.Unit {
	t.Helper()
	c := compilation{p.name, outline}
	if units[c] == nil {
		o := compile.Options{Check: true}
		if outline {
			o.Lower = outlined
		}
		u, err := compiled(p.name+".irgl", p.text, "", o)
		if err != nil {
			t.Fatal(err)
		}
		units[c] = u
	}
	return units[c]
}

// writtenPTX writes the PTX of all programs, and returns the files.
func writtenPTX(t *testing.T) (paths []string) {
	dir := t.TempDir()
	for _, p := range programs(t) {
		u := p.compiledOnce(t, true)
		path := filepath.Join(dir, p.name+".ptx")
		if err := os.WriteFile(path, []byte(u.PTXText()), 0o666); err != nil {
			t.Fatal(err)
		}
		paths = append(paths, path)
	}
	return paths
}

// TestListings compares every form of a few programs with goldens.
func TestListings(t *testing.T) {
	for _, p := range programs(t) {
		if !slices.Contains(listed, p.name) {
			continue
		}
		u := p.compiledOnce(t, false)
		for _, form := range []string{"ast", "json", "cu", "ssa", "ptx"} {
			golden.File(t, filepath.Join("testdata", "listings", p.name+"."+form), emitted(t, u, form))
		}
	}
}

// TestSizes compares how much of what each program becomes with
// testdata/sizes.txt, as it is and with the host's loops on the device.
func TestSizes(t *testing.T) {
	var b strings.Builder
	for _, p := range programs(t) {
		for i, how := range []string{"", " --outline=auto"} {
			u := p.compiledOnce(t, i == 1)
			fmt.Fprintf(&b, "%s%s\n  ssa:%s\n  ptx:%s\n", p.name, how, countSSA(u.SSA), countPTX(u.PTXText()))
		}
	}
	golden.File(t, filepath.Join("testdata", "sizes.txt"), b.String())
}

// countSSA counts what is in the functions of m that have a body.
func countSSA(m *ssa.Module) string {
	n := map[string]int{}
	for _, f := range m.Funcs {
		if len(f.Blocks) == 0 {
			continue
		}
		n["functions"]++
		for _, b := range f.Blocks {
			n["blocks"]++
			if b.Kind == ssa.BlockIf {
				n["branches"]++
			}
			for _, v := range b.Values {
				n["values"]++
				switch {
				case v.Op == ssa.OpLoad && v.Mem.ReadOnly:
					n["readonly"]++
				case v.Op == ssa.OpLoad:
					n["load"]++
				case v.Op == ssa.OpStore, v.Op == ssa.OpBarrier, v.Op == ssa.OpCall, v.Op == ssa.OpPhi, v.Op == ssa.OpFence:
					n[v.Op.String()]++
				case v.Op.IsAtomic():
					n["atomic"]++
				case v.Op.IsDivision():
					n["division"]++
				}
			}
		}
	}
	return counts(n, "functions", "blocks", "branches", "values", "phi", "load", "readonly", "store", "atomic", "barrier", "fence", "call", "division")
}

var mnemonic = regexp.MustCompile(`(?m)^\t(?:@!?%p[0-9]+ )?([a-z]+)[ .;]`)

// countPTX counts the instructions of a module.
func countPTX(text string) string {
	n := map[string]int{}
	for _, m := range mnemonic.FindAllStringSubmatch(text, -1) {
		n["instructions"]++
		n[m[1]]++
	}
	return counts(n, "instructions", "ld", "st", "atom", "red", "bar", "bra", "call", "setp", "mov", "cvt", "mul", "mad", "div", "rem")
}

// counts prints the counters of the names that are not 0, in their order.
func counts(n map[string]int, names ...string) string {
	var b strings.Builder
	for _, name := range names {
		if n[name] > 0 {
			fmt.Fprintf(&b, " %d %s", n[name], name)
		}
	}
	return b.String()
}

// TestChecks compares what is essential in the forms of programs with the
// directives in testdata/check: each archive states a rule, and its sections are
// named PROGRAM.FORM, perhaps with switches behind that.
func TestChecks(t *testing.T) {
	texts := map[string]string{}
	for _, p := range programs(t) {
		texts[p.name] = p.text
	}
	files, err := filepath.Glob("testdata/check/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal("no archives: ", err)
	}
	for _, file := range files {
		a, err := txtar.ParseFile(file)
		if err != nil {
			t.Fatal(err)
		}
		for _, section := range a.Files {
			words := strings.Fields(section.Name)
			name, form, _ := strings.Cut(words[0], ".")
			o := compile.Options{Check: true}
			o.PTX.Target = "sm_90"
			for _, w := range words[1:] {
				key, value, _ := strings.Cut(w, "=")
				if err := o.Lower.Set(key, value); err != nil {
					t.Fatalf("%s: %s: %v", file, section.Name, err)
				}
			}
			u, err := compiled(name+".irgl", texts[name], "", o)
			if err != nil {
				t.Fatalf("%s: %s: %v", file, section.Name, err)
			}
			if err := filecheck.Check(emitted(t, u, form), string(section.Data)); err != nil {
				t.Errorf("%s: %s: %v", file, section.Name, err)
			}
		}
	}
}
