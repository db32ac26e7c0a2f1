package hosteval

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"

	"irgl/internal/cudabuild"
)

// The programs of testdata/faults are pairs: a fault, and, with REPAIRED defined, its repaired twin. A comment FAULT names the rule
// at the line of the fault, IN stands for it where the fault is in a function of a header that is inlined, and ALSO is at the lines of the other sites that the report has to name. LEAKS and INSTRUCTIONS n are
// options of the emulator.

// A reported is what the JSON form of a report has, as far as the test looks at it.
type reported struct {
	Findings []struct {
		Name  string
		Sites []struct {
			Role  string
			Stack []struct {
				File string
				Line int
			}
		}
	}
}

// TestFaults runs each program and its twin.
func TestFaults(t *testing.T) {
	paths, err := filepath.Glob("testdata/faults/*.cu")
	if err != nil || len(paths) < 60 {
		t.Fatalf("%d programs, %v", len(paths), err)
	}
	for _, path := range paths {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".cu"), func(t *testing.T) {
			t.Parallel()
			checkFault(t, path)
		})
	}
}

// TestRulesShown checks that a program shows each rule of a report.
func TestRulesShown(t *testing.T) {
	elsewhere := map[string]string{
		"undeclared": "a CBlock of IrGL: cblock.txtar of cmd/irgl",
	}
	paths, err := filepath.Glob("testdata/faults/*.cu")
	if err != nil {
		t.Fatal(err)
	}
	shown := map[string]bool{}
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range faultMark.FindAllSubmatch(text, -1) {
			for _, name := range strings.Split(string(m[1]), "|") {
				shown[name] = true
			}
		}
	}
	page, err := os.ReadFile("../../docs/findings.md") // generated of all rules
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile("(?m)^\\| F[0-9]{4} \\| `([a-z-]+)`").FindAllSubmatch(page, -1)
	if len(list) < 30 {
		t.Errorf("%d rules", len(list))
	}
	for _, m := range list {
		name := string(m[1])
		if shown[name] == (elsewhere[name] != "") {
			t.Errorf("rule %s: shown %t, elsewhere %q", name, shown[name], elsewhere[name])
		}
		delete(shown, name)
	}
	for name := range shown {
		t.Errorf("there is no rule %s", name)
	}
}

var (
	faultMark  = regexp.MustCompile(`// FAULT ([\w|-]+)`)
	limitMark  = regexp.MustCompile(`INSTRUCTIONS (\d+)`)
	archMark   = regexp.MustCompile(`ARCH (sm_\d+)`)
	inMark     = regexp.MustCompile(`// IN (\S+): (\S+)`)
	alsoMark   = regexp.MustCompile(`// ALSO$`)
	leaksMark  = regexp.MustCompile(`(?m)^// .* LEAKS$`)
	commentary = "// "
)

func checkFault(t *testing.T, path string) {
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.HasPrefix(text, []byte(commentary)) {
		t.Errorf("%s does not begin with what is wrong in it", path)
	}
	options := ""
	if leaksMark.Match(text) {
		options = "leaks=1"
	}
	if m := limitMark.FindSubmatch(text); m != nil {
		options = "instructions=" + string(m[1])
	}
	var flags []string
	if m := archMark.FindSubmatch(text); m != nil {
		flags = append(flags, "-arch="+string(m[1]))
	}
	repaired, said := runReported(t, path, options, append(flags, "-DREPAIRED")...)
	if len(repaired.Findings) > 0 || said != "" {
		t.Errorf("the repaired program: %+v\n%s", repaired.Findings, said)
	}
	got, said := runReported(t, path, options, flags...)
	var want string
	var also []int
	line, file := 0, filepath.Base(path)
	for i, l := range strings.Split(string(text), "\n") {
		if m := faultMark.FindStringSubmatch(l); m != nil {
			want, line = m[1], i+1
		}
		if m := inMark.FindStringSubmatch(l); m != nil {
			file, want = m[1], m[2]
		}
		if alsoMark.MatchString(l) {
			also = append(also, i+1)
		}
	}
	if len(got.Findings) != 1 {
		t.Fatalf("%d findings, want one of rule %s at line %d\n%s", len(got.Findings), want, line, said)
	}
	f := got.Findings[0]
	if !slices.Contains(strings.Split(want, "|"), f.Name) {
		t.Errorf("rule %s, want %s\n%s", f.Name, want, said)
	}
	var lines []int
	for _, s := range f.Sites {
		if len(s.Stack) > 0 {
			lines = append(lines, s.Stack[0].Line)
		}
	}
	first := lines[:min(1, len(lines))]
	if strings.HasPrefix(want, "race") { // the sides are in the order of the run
		first = lines
	}
	if line != 0 && !slices.Contains(first, line) {
		t.Errorf("lines %v, want %d first\n%s", lines, line, said)
	}
	if len(f.Sites) == 0 || len(f.Sites[0].Stack) == 0 || filepath.Base(f.Sites[0].Stack[0].File) != file {
		t.Errorf("want a place in %s\n%s", file, said)
	}
	for _, n := range also {
		if !slices.Contains(lines, n) {
			t.Errorf("lines %v, want %d too\n%s", lines, n, said)
		}
	}
}

// runReported runs a program, and returns the report about it and what was written to standard error.
func runReported(t *testing.T, path, options string, flags ...string) (r reported, said string) {
	t.Helper()
	o, err := cudabuild.ParseFlags(append(flags, path))
	if err != nil {
		t.Fatal(err)
	}
	p, diags, err := Compile(t.Context(), path, o)
	if err != nil || p == nil {
		var b bytes.Buffer
		diags.Render(&b)
		t.Fatalf("%v\n%s", err, b.String())
	}
	file := filepath.Join(t.TempDir(), "report.json")
	var stdout, stderr bytes.Buffer
	_, err = p.Run(context.Background(), Run{Device: "simt", Args: []string{"p"}, Stdout: &stdout, Stderr: &stderr, Report: "json:" + file, Options: options})
	if err != nil {
		fmt.Fprintln(&stderr, err)
	}
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(text, &r); err != nil {
		t.Fatal(err)
	}
	return r, stderr.String()
}
