package check

import (
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/golden"
	"irgl/internal/source"
	"irgl/syntax"
)

// checkText parses and checks a text; the extension of name selects the
// dialect.
func checkText(name string, text []byte) (*Info, *source.List) {
	d := syntax.IrGL
	if strings.HasSuffix(name, ".cu") {
		d = syntax.CUDA
	}
	diags := new(source.List)
	f := syntax.Parse(source.NewFile(name, text), d, diags)
	info := Check(f, diags)
	diags.Sort()
	return info, diags
}

var (
	errorMark = regexp.MustCompile(`// (ERROR|WARNING) .*$`)
	markWord  = regexp.MustCompile(`ERROR|WARNING|"[^"]*"`)
)

// TestArchives checks every archive in testdata. Files ending in .irgl and
// .cu are checked: each line with // ERROR "regexp" or WARNING "regexp", or
// several, must give matching diagnostics, and no line may give any others. A section NAME.dump holds the
// wanted [Dump] of NAME, NAME.exprs its [DumpExprs].
func TestArchives(t *testing.T) {
	golden.Each(t, "testdata/*.txtar", func(t *testing.T, ar *txtar.Archive) {
		infos := map[string]*Info{}
		for i, f := range ar.Files {
			switch ext := filepath.Ext(f.Name); ext {
			case ".irgl", ".cu":
				info, diags := checkText(f.Name, f.Data)
				compareMarks(t, f.Name, string(f.Data), diags)
				infos[f.Name] = info
			case ".dump", ".exprs":
				info := infos[strings.TrimSuffix(f.Name, ext)]
				if info == nil {
					t.Fatalf("%s is of no file before it", f.Name)
				}
				got := Dump(info)
				if ext == ".exprs" {
					got = DumpExprs(info)
				}
				golden.Data(t, &ar.Files[i], got)
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
					if rest = withoutMatch(rest, severity, regexp.MustCompile(strings.Trim(w, `"`))); rest == nil {
						t.Errorf("%s:%d: no %s matches %s", name, n, severity, w)
						rest = got[n]
					}
				}
			}
		}
		for _, d := range rest {
			t.Errorf("unexpected: %v (%s)", d, d.Hint)
		}
	}
}

// withoutMatch returns list less the first diagnostic that re matches, and
// nil when there is none.
func withoutMatch(list []*source.Diagnostic, s source.Severity, re *regexp.Regexp) []*source.Diagnostic {
	for k, d := range list {
		if d.Severity == s && re.MatchString(d.Message+" ["+string(d.Code)+"] "+d.Hint) {
			return append(append([]*source.Diagnostic{}, list[:k]...), list[k+1:]...)
		}
	}
	return nil
}
