package main

import (
	"bytes"
	"strings"
	"testing"
	"time"
)

// TestNoProgress checks that nothing is shown where messages do not go to a
// terminal: the displays do not exist, and their methods do nothing.
func TestNoProgress(t *testing.T) {
	var b bytes.Buffer
	cmd := newRoot()
	cmd.SetErr(&b)
	for _, p := range []*progress{spin(cmd, "working"), bar(cmd, "reading")} {
		if p != nil {
			t.Fatal("there is a display")
		}
		p.set(1, 2)
		p.done()
	}
	if b.Len() > 0 {
		t.Errorf("it showed %q", b.String())
	}
}

// TestProgress checks that work shows nothing before it has taken a second,
// then a line, drawn seldom and taken away at the end.
func TestProgress(t *testing.T) {
	var b bytes.Buffer
	p := &progress{out: &b, start: time.Now(), label: "quick"}
	p.set(1, 2)
	if b.Len() > 0 {
		t.Error("shown at once")
	}
	p.start = time.Now().Add(-2 * progressDelay)
	p.set(1e6, 4e6)
	p.set(2e6, 4e6) // too soon
	const line = "quick  25 % [=======                       ] 1.0 of 4.0 MB"
	if b.String() != "\r"+line {
		t.Errorf("drew %q", b.String())
	}
	p.done()
	if want := "\r" + line + "\r" + strings.Repeat(" ", len(line)) + "\r"; b.String() != want {
		t.Errorf("left %q, want %q", b.String(), want)
	}
}

func TestProgressLine(t *testing.T) {
	for _, test := range []struct {
		done, total int64
		want        string
	}{
		{-1, -1, "/ x, 3 s"},
		{5e5, -1, "x: 0.5 MB"},
		{5e5, 0, "x: 0.5 MB"},
		{9, 3, "x 100 % [==============================] 0.0 of 0.0 MB"},
	} {
		if got := progressLine("x", test.done, test.total, 3500*time.Millisecond, 1); got != test.want {
			t.Errorf("%d of %d: %q, want %q", test.done, test.total, got, test.want)
		}
	}
}
