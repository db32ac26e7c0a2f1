package source

import (
	"errors"
	"fmt"
	"strings"
	"testing"
)

func TestPosition(t *testing.T) {
	f := NewFile("a.irgl", []byte("ab\ncd\n\nef"))
	for _, c := range []struct {
		offset int
		want   string
	}{
		{0, "a.irgl:1:1"}, {2, "a.irgl:1:3"}, {3, "a.irgl:2:1"}, {6, "a.irgl:3:1"}, {7, "a.irgl:4:1"},
		{9, "a.irgl:4:3"}, {99, "a.irgl:4:3"}, {-1, "a.irgl:1:1"},
	} {
		if got := f.Pos(c.offset).String(); got != c.want {
			t.Errorf("offset %d: %s, want %s", c.offset, got, c.want)
		}
	}
	if got := (Pos{}).String(); got != "-" {
		t.Errorf("no position prints as %q", got)
	}
	for n, want := range map[int]string{0: "", 1: "ab", 3: "", 4: "ef", 5: ""} {
		if got := f.Line(n); got != want {
			t.Errorf("line %d is %q, want %q", n, got, want)
		}
	}
}

func TestRender(t *testing.T) {
	f := NewFile("x.irgl", []byte("\tint ü = lvel;\r\nnext\n"))
	var l List
	d := l.Errorf(f.Pos(10), f.Pos(14), "C0001", "there is no %s", "lvel")
	d.Hint = "did you mean level?"
	d.Notes = append(d.Notes, Diagnostic{Severity: Note, Pos: f.Pos(14), Message: "declared here"})
	var b strings.Builder
	l.Render(&b)
	want := strings.Join([]string{
		"x.irgl:1:11: error: there is no lvel [C0001]",
		"    1 | \tint ü = lvel;",
		"      | \t        ^~~~",
		"  hint: did you mean level?",
		"x.irgl:1:15: note: declared here",
		"    1 | \tint ü = lvel;",
		"      | \t            ^",
		"",
	}, "\n")
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestRenderOrigin checks that a diagnostic about a generated text names the place
// that it was generated from, and its notes theirs.
func TestRenderOrigin(t *testing.T) {
	f := NewFile("x.json", []byte("ab\ncd\n"))
	f.Origin = func(offset int) string {
		if offset < 3 {
			return ""
		}
		return fmt.Sprintf("x.cpp:%d", offset)
	}
	d := Diagnostic{Pos: f.Pos(4), Message: "late", Notes: []Diagnostic{{Severity: Note, Pos: f.Pos(0), Message: "early"}}}
	var b strings.Builder
	d.Render(&b)
	want := "x.json:2:2: error: late\n  from x.cpp:4\n    2 | cd\n      |  ^\nx.json:1:1: note: early\n    1 | ab\n      | ^\n"
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestRenderLongLine checks what is printed of lines that are too long to be printed
// whole.
func TestRenderLongLine(t *testing.T) {
	long := strings.Repeat("a", 5000)
	for _, tt := range []struct {
		name, line, at string // the range is that of at in line
		want, caret    string
	}{
		{"fits", strings.Repeat("b", 157) + "bad", "bad", strings.Repeat("b", 157) + "bad", strings.Repeat(" ", 157) + "^~~"},
		{"begins", "bad" + long, "bad", "bad" + long[:30] + "...", "^~~"},
		{"ends", long + "bad", "bad", "..." + long[:60] + "bad", strings.Repeat(" ", 63) + "^~~"},
		{"inside", long + "bad" + long, "bad", "..." + long[:60] + "bad" + long[:30] + "...", strings.Repeat(" ", 63) + "^~~"},
		{"range", "x = " + long, long, "x = " + long[:90] + "...", "    ^" + strings.Repeat("~", 59)},
		{"characters", strings.Repeat("\u00fc", 200) + "bad" + strings.Repeat("x\u00fc", 100), "bad",
			"..." + strings.Repeat("\u00fc", 30) + "bad" + strings.Repeat("x\u00fc", 10) + "...", strings.Repeat(" ", 33) + "^~~"},
		{"tabs", strings.Repeat("\t", 200) + "bad", "bad", "..." + strings.Repeat("\t", 60) + "bad", "   " + strings.Repeat("\t", 60) + "^~~"},
	} {
		f := NewFile("x", []byte(tt.line+"\n"))
		var l List
		from := strings.Index(tt.line, tt.at)
		l.Errorf(f.Pos(from), f.Pos(from+len(tt.at)), "C0001", "message")
		var b strings.Builder
		l.Render(&b)
		want := fmt.Sprintf("x:1:%d: error: message [C0001]\n    1 | %s\n      | %s\n", from+1, tt.want, tt.caret)
		if got := b.String(); got != want {
			t.Errorf("%s: got\n%s\nwant\n%s", tt.name, got, want)
		}
	}
}

func TestListOrderAndLimit(t *testing.T) {
	f := NewFile("y", []byte(strings.Repeat("x\n", 50)))
	var l List
	for i := 40; i > 0; i-- {
		l.Errorf(f.Pos(2*i), Pos{}, "C0002", "number %d", i)
		l.Errorf(f.Pos(2*i), Pos{}, "C0002", "number %d", i) // a repeat
	}
	l.Warnf(Pos{}, Pos{}, "", "without a place")
	var b strings.Builder
	l.Render(&b)
	text := b.String()
	if !strings.HasPrefix(text, "warning: without a place\ny:2:1: error: number 1 [C0002]\n") {
		t.Errorf("wrong order: %.80s", text)
	}
	if n := strings.Count(text, "error:"); n != 20 || !strings.HasSuffix(text, "and 20 more errors\n") {
		t.Errorf("%d errors are printed, and the end is %q", n, text[len(text)-30:])
	}
}

func TestDiagnosticsOfAnError(t *testing.T) {
	var l List
	if l.Err() != nil {
		t.Error("an empty list is an error")
	}
	l.Warnf(Pos{}, Pos{}, "", "only a warning")
	if l.Err() != nil {
		t.Error("a warning is an error")
	}
	l.Errorf(Pos{}, Pos{}, "S0001", "bad")
	err := fmt.Errorf("compile: %w", l.Err())
	if Diagnostics(err) != &l {
		t.Error("the list is lost in a wrapped error")
	}
	if got := l.Err().Error(); got != "error: bad [S0001]" {
		t.Errorf("the error's text is %q", got)
	}
	if Diagnostics(errors.New("other")) != nil {
		t.Error("another error has diagnostics")
	}
}

func TestComment(t *testing.T) {
	for text, want := range map[string]string{
		"a.irgl": "a.irgl", "größe.irgl": "größe.irgl", "a\nint x;": `a\nint x;`, "a\r\u2028b": `a\r\u2028b`,
		"a */ int x; /* b": "a * / int x; / * b", `say "a"`: `say "a"`, `a\`: `a\\.`, "**//": "** //",
	} {
		if got := Comment(text); got != want {
			t.Errorf("Comment(%q) = %q, want %q", text, got, want)
		}
	}
}
