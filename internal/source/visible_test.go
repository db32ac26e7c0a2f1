package source

import (
	"strings"
	"testing"
)

func TestVisible(t *testing.T) {
	for in, want := range map[string]string{
		"plain\ttext\nü 木": "plain\ttext\nü 木", "\x1b[2Jgone": `\x1b[2Jgone`, "a\rb\x00\x7f": `a\x0db\x00\x7f`,
		"\u009b31m": `\u009b31m`, "a\u202eb": `a\u202eb`, "bad\xff": `bad\xff`, "\ufffd": "\ufffd",
	} {
		if got := Visible(in); got != want {
			t.Errorf("%q is %q, want %q", in, got, want)
		}
	}
}

// TestRenderControl: a source and its name cannot steer the terminal, and the caret
// stays below what the message is about.
func TestRenderControl(t *testing.T) {
	f := NewFile("a\x1b[2J\nb.irgl", []byte("x = \"\x1b]0;title\x07\" + lvel;\n"))
	var l List
	at := strings.Index(string(f.Content), "lvel")
	l.Errorf(f.Pos(at), f.Pos(at+4), "C0001", "there is no %s", "l\x1bvel").Hint = "\x1bhint"
	var b strings.Builder
	l.Render(&b)
	want := strings.Join([]string{
		`a\x1b[2J\nb.irgl:1:20: error: there is no l\x1bvel [C0001]`,
		`    1 | x = "\x1b]0;title\x07" + lvel;`,
		`      |                          ^~~~`,
		`  hint: \x1bhint`, ``}, "\n")
	if got := b.String(); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}
