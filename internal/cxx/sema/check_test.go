package sema

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/cpp"
	"irgl/internal/cxx/hir"
	"irgl/internal/cxx/parse"
	"irgl/internal/golden"
	"irgl/internal/source"
)

// checkText preprocesses, parses and analyses a text.
func checkText(name string, text []byte, o Options) (*hir.Program, *source.List) {
	diags := new(source.List)
	pre := cpp.Preprocess(source.NewFile(name, text), cpp.Options{Dialect: cpp.CXX, Arch: 900}, diags)
	u := parse.Parse(pre, diags, parse.Options{})
	p := Check(u, diags, o)
	diags.Sort()
	return p, diags
}

var (
	errorMark = regexp.MustCompile(`// (ERROR|WARNING) .*$`)
	markWord  = regexp.MustCompile(`ERROR|WARNING|"[^"]*"`)
)

// TestArchives analyses every .cu section of the archives in testdata, with functions that no
// kernel reaches if its name begins with unreached: each line with
// // ERROR "regexp" or WARNING "regexp" must give matching diagnostics, and no line may
// give any others. A section that begins with // -Wextra has all warnings. A section NAME.hir
// is the wanted [hir.Print] of NAME.
func TestArchives(t *testing.T) {
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, ar *txtar.Archive) {
		programs := map[string]*hir.Program{}
		for i, f := range ar.Files {
			switch ext := filepath.Ext(f.Name); ext {
			case ".cu":
				o := Options{Unreached: strings.HasPrefix(f.Name, "unreached")}
				if strings.HasPrefix(string(f.Data), "// -Wextra\n") {
					o.Warnings = warnExtra
				}
				p, diags := checkText(f.Name, f.Data, o)
				compareMarks(t, f.Name, string(f.Data), diags)
				programs[f.Name] = p
			case ".hir":
				p := programs[strings.TrimSuffix(f.Name, ext)]
				if p == nil {
					t.Fatalf("%s is of no file before it", f.Name)
				}
				golden.Data(t, &ar.Files[i], hir.Print(p))
			default:
				t.Errorf("what is %s?", f.Name)
			}
		}
	})
}

// compareMarks compares diagnostics with the marks in the text.
func compareMarks(t *testing.T, name, text string, diags *source.List) {
	t.Helper()
	got := map[int][]*source.Diagnostic{}
	for _, d := range diags.Diags {
		got[d.Pos.Line()] = append(got[d.Pos.Line()], d)
	}
	for i, line := range strings.Split(text, "\n") {
		n := i + 1
		rest := got[n]
		if m := errorMark.FindString(line); m != "" {
			severity := source.Error
			for _, w := range markWord.FindAllString(m, -1) {
				switch w {
				case "ERROR":
					severity = source.Error
				case "WARNING":
					severity = source.Warning
				default:
					found := false
					re := regexp.MustCompile(strings.Trim(w, `"`))
					for j, d := range rest {
						if d.Severity == severity && re.MatchString(wholeText(d)) {
							rest, found = append(rest[:j:j], rest[j+1:]...), true
							break
						}
					}
					if !found {
						t.Errorf("%s:%d: no %s matches %s", name, n, severity, w)
					}
				}
			}
		}
		for _, d := range rest {
			t.Errorf("unexpected: %v", wholeText(d))
		}
	}
}

// wholeText is a diagnostic with its hint and notes on one line.
func wholeText(d *source.Diagnostic) string {
	s := d.Error()
	if d.Hint != "" {
		s += " hint: " + d.Hint
	}
	for i := range d.Notes {
		s += " " + d.Notes[i].Error()
	}
	return s
}

// TestInstances checks which kernels a text has: those that are no templates, explicit
// instantiations, and the instances that launches and the options name.
func TestInstances(t *testing.T) {
	text := `namespace n { template <class T, int N> __global__ void deep(T *p) { p[N] = T(N); } }
template <class T> __global__ void tk(T *p) { *p = T(1); }
template __global__ void tk(double *);
template <class T> __global__ void unused(T *p) { p->none(); }
__global__ void plain() {}
void host(float *f) {
	tk<<<1, 2>>>(f);
	n::deep<char, 3><<<1, 2>>>(nullptr);
}
`
	p, diags := checkText("k.cu", []byte(text), Options{Instances: []string{"n::deep<int, 5>", "tk<unsigned char>"}})
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, f := range p.Funcs {
		got = append(got, f.Symbol)
	}
	want := "_Z5plainv _Z2tkIdEvPT_ _Z2tkIfEvPT_ _ZN1n4deepIcLi3EEEvPT_ _ZN1n4deepIiLi5EEEvPT_ _Z2tkIhEvPT_"
	if s := strings.Join(got, " "); s != want {
		t.Errorf("got  %s\nwant %s", s, want)
	}
	_, diags = checkText("k.cu", []byte(text), Options{Instances: []string{"none<int>", "tk<"}})
	if n := diags.Errors(); n != 2 {
		t.Errorf("%d errors of instances that are not there: %v", n, diags.Err())
	}
}
