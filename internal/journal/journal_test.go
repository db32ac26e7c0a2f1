package journal

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var head = Head{Device: "toy", Metric: "ms", Origin: Origin{Command: "bench", Tree: "today"}}

func texts(lines []Line) string {
	var b strings.Builder
	for _, l := range lines {
		fmt.Fprintf(&b, "%s %s\n", l.Kind, l.Data)
	}
	return b.String()
}

// TestResume checks that a journal is read back and gone on with, also one that a kill
// has cut short in the middle of a line.
func TestResume(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	if err := os.WriteFile(path, []byte(`{"kind":"journal","da`), 0o666); err != nil {
		t.Fatal(err)
	}
	j, lines, err := Resume(path, head)
	if err != nil || len(lines) != 0 {
		t.Fatal(lines, err)
	}
	for i := range 3 {
		if err := j.Add("cell", i); err != nil {
			t.Fatal(err)
		}
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, text[:len(text)-4], 0o666); err != nil {
		t.Fatal(err)
	}
	j, lines, err = Resume(path, head)
	if err != nil || texts(lines) != "cell 0\ncell 1\n" {
		t.Fatal(texts(lines), err)
	}
	if err := j.Add("more", map[string]int{"x": 7}); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	have, lines, err := Read(path)
	if err != nil || texts(lines) != "cell 0\ncell 1\nmore {\"x\":7}\n" || have != (Head{version, "toy", "ms", head.Origin}) {
		t.Error(have, texts(lines), err)
	}
	if _, err := Create(path, head); err == nil {
		t.Error("a journal that is there was begun anew")
	}
	for _, other := range []Head{{Device: "other", Metric: "ms"}, {Device: "toy", Metric: "cost"}} {
		if _, _, err := Resume(path, other); err == nil {
			t.Errorf("%v goes on with %v", other, have)
		}
	}
	var none *Journal
	if err := none.Add("cell", 1); err != nil {
		t.Error(err)
	}
	if err := none.Close(); err != nil {
		t.Error(err)
	}
}

// TestBad checks what is no journal.
func TestBad(t *testing.T) {
	path := filepath.Join(t.TempDir(), "j")
	for text, want := range map[string]string{
		"":                                    "it has no first line",
		"half":                                "it has no first line",
		"half\n":                              "line 1: invalid character",
		`{"kind":"cell"}` + "\n":              "its first line is not that of a journal",
		`{"kind":"journal","data":{}}` + "\n": "it is of version 0",
		`{"kind":"journal","data":{"version":1}}` + "\n{}\nx\n{}\n": "line 3: invalid character",
	} {
		if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
		if _, _, err := Read(path); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != text {
			t.Errorf("%q became %q, %v", text, after, err)
		}
	}
}

// FuzzRead checks that any text is read or refused, and that what is read goes on at
// the end of a line.
func FuzzRead(f *testing.F) {
	f.Add([]byte(`{"kind":"journal","data":{"version":1}}` + "\n" + `{"kind":"cell","data":1}` + "\n{"))
	f.Fuzz(func(t *testing.T, text []byte) {
		_, lines, size, err := parse(text)
		if err == nil && (size > len(text) || text[size-1] != '\n') {
			t.Errorf("%d lines, %d bytes of %q", len(lines), size, text)
		}
	})
}
