package main

import (
	"bytes"
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
	spin(cmd, "working").say(cmd, "building")
	if b.String() != "irgl: note: building\n" {
		t.Errorf("the note is %q", b.String())
	}
}

// TestProgressDelay checks that work shows nothing before it has taken a
// second.
func TestProgressDelay(t *testing.T) {
	p := newProgress("quick")
	p.set(1, 2)
	if p.bar != nil {
		t.Error("shown at once")
	}
	p.start = time.Now().Add(-2 * progressDelay)
	p.set(1, 2)
	if p.bar == nil {
		t.Error("not shown after a second")
	}
	p.say(nil, "still quick")
	if *p.label.Load() != "still quick" {
		t.Error("the label has not changed")
	}
	p.done()
}
