package bench

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"irgl/internal/golden"
	"irgl/internal/measured"
)

// TestCompareCommands runs the programs cat and true: figures that are printed, a matrix of the
// values of variables, a quotient.
func TestCompareCommands(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"a1": `{"ms":4,"k":[{"n":1},{"n":2}]}`, "a2": `{"ms":0.012345,"k":[]}`, "b1": `{"ms":2,"k":[{"n":7}]}`, "b2": `{"ms":1234.567,"k":[]}`,
	} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	o := CompareOptions{
		Title: "T", Repeat: 2, Vars: []Var{{"x", []string{"1", "2"}}}, Figures: []string{"ms"}, Ratio: "a / b",
		Commands: []Command{{"a", []string{"cat", dir + "/a{x}"}}, {"b", []string{"cat", dir + "/b{x}"}}},
	}
	page := func() string {
		b, err := Compare(t.Context(), o)
		if err != nil {
			t.Fatal(err)
		}
		b.AddOrigin("c", "", "m", "d")
		var out strings.Builder
		if err := measured.Markdown(&out, "f", []*measured.Block{b}, nil); err != nil {
			t.Fatal(err)
		}
		_, tables, _ := strings.Cut(out.String(), "by turns.\n\n")
		return tables
	}
	golden.Equal(t, "by commands", "| x | a | b | a / b |\n|---|---|---|---|\n| 1 | 4 | 2 | 2.00 |\n| 2 | 0.01235 | 1235 | 0.00 |\n", page())
	o.Commands, o.Ratio, o.Figures = o.Commands[:1], "", []string{"ms", "k.n"}
	golden.Equal(t, "by values", "| 1 | 2 |\n|---|---|\n| 4 / 3 | 0.01235 / 0 |\n", page())
	o.Vars, o.Figures, o.Commands = nil, []string{FigureElapsed, FigureProcessor}, []Command{{"true", []string{"true"}}}
	if text := page(); !strings.Contains(text, "| elapsed | processor |") {
		t.Error(text)
	}
	for figure, want := range map[string]string{"ms.x": "not a number", "k.z": `no "z"`, "": `no ""`} {
		o.Figures, o.Commands = []string{figure}, []Command{{"a", []string{"cat", dir + "/a1"}}}
		if _, err := Compare(t.Context(), o); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v", figure, err)
		}
	}
	o.Commands = []Command{{"none", []string{"cat", dir + "/none"}}}
	if _, err := Compare(t.Context(), o); err == nil || !strings.Contains(err.Error(), "No such file") {
		t.Error(err)
	}
	o.Commands = []Command{{"plain", []string{"echo", "text"}}}
	if _, err := Compare(t.Context(), o); err == nil || !strings.Contains(err.Error(), "one of the JSON") {
		t.Error(err)
	}
	var v any
	if err := json.Unmarshal([]byte(`{"a":{}}`), &v); err != nil {
		t.Fatal(err)
	}
	if _, err := at(v, []string{"a"}); err == nil {
		t.Error("an object is a number")
	}
}
