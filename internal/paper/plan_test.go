package paper

import (
	"bytes"
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"irgl/internal/compile"
	"irgl/internal/engine"
	"irgl/internal/journal"
)

// timed returns a report with times in ms, by program, input and switches.
func timed(defaults string, cells ...any) *Report {
	rep := newReport(&Options{Device: "cuda"})
	for i := 0; i < len(cells); i += 4 {
		c := &Cell{Program: cells[i].(string), Input: cells[i+1].(string), Switches: compile.MustSwitches(cells[i+2].(string))}
		switch v := cells[i+3].(type) {
		case float64:
			c.Value, c.Verified = v, true
		case string:
			c.Failed = v
		}
		rep.add(c)
		rep.defaults[key{program: c.Program, input: c.Input}] = compile.MustSwitches(defaults)
	}
	return rep
}

// TestEstimate checks what is known of a run before it begins: nothing without another
// input, and as many times the default as there at the most.
func TestEstimate(t *testing.T) {
	s := &session{o: Options{Limit: 2 * time.Second}, rep: timed("outline=auto",
		"tri", "a", "outline=auto", 10.0, "tri", "a", "", 200.0,
		"tri", "b", "outline=auto", 5.0, "tri", "b", "", 50.0, "tri", "b", "coop=warp", cutOff+" 2s",
		"tri", "c", "outline=auto", 150.0, "mst", "c", "batch=2", 3.0)}
	for _, tt := range []struct {
		program, input, switches string
		want                     time.Duration
	}{
		{"tri", "c", "", 3 * time.Second}, {"tri", "c", "coop=warp", time.Minute}, {"tri", "c", "coop=block", 0},
		{"tri", "d", "", 0}, {"mst", "c", "", 0},
	} {
		if got := s.estimate(&Cell{Program: tt.program, Input: tt.input, Switches: compile.MustSwitches(tt.switches)}).Round(time.Millisecond); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	s.rep.Metric = "cost"
	if got := s.estimate(&Cell{Program: "tri", Input: "c"}); got != 0 {
		t.Errorf("a cost takes %v", got)
	}
}

// TestGaps checks the table of the defaults: means for each input and in all, and the
// worst, of programs that have something to compare with.
func TestGaps(t *testing.T) {
	rep := timed("outline=auto",
		"bfs", "a", "outline=auto", 4.0, "bfs", "a", "batch=4", 1.0, "bfs", "a", "batch=8", cutOff+" 1s",
		"cc", "a", "outline=auto", 1.0, "cc", "a", "", 3.0,
		"cc", "b", "outline=auto", 2.0, "cc", "b", "coop=warp", 1.0,
		"mis", "b", "outline=auto", 2.0, "tri", "b", "batch=2", 2.0)
	got := rep.gaps()
	var text strings.Builder
	for _, row := range got.Rows {
		fmt.Fprintln(&text, strings.Join(row, " | "))
	}
	want := "a | 2 | 2.00 | bfs 4.00 | outline=auto | batch=4\nb | 1 | 2.00 | cc 2.00 | outline=auto | coop=warp\nall | 3 | 2.00 | bfs 4.00 | outline=auto | batch=4\n"
	if text.String() != want {
		t.Errorf("%s\nwant\n%s", text.String(), want)
	}
	if notes := strings.Join(got.Notes, "\n"); !strings.Contains(notes, "- bfs on a takes 4.00 times as long with the default, `outline=auto` (4.000), as with `batch=4` (1.000)\n- cc on b takes 2.00") || strings.Count(notes, "\n") != 2 {
		t.Error(notes)
	}
}

// joined returns the texts of choices.
func joined(list []compile.Switches, between string) string {
	var texts []string
	for _, s := range list {
		texts = append(texts, s.String())
	}
	return strings.Join(texts, between)
}

// TestFastest checks which choices are verified: the fastest where a program was
// measured, and elsewhere by turns those of the inputs that were.
func TestFastest(t *testing.T) {
	rep := timed("", "bfs", "a", "batch=4", 1.0, "bfs", "a", "batch=2", 2.0, "bfs", "a", "coop=warp", 3.0, "bfs", "a", "np=fg", "wrong answer",
		"bfs", "b", "coop=block", 5.0, "bfs", "b", "batch=4", 6.0, "bfs", "b", "outline=auto", 7.0, "cc", "a", "np=wp", 1.0)
	for _, tt := range []struct {
		program, input string
		n              int
		want           string
	}{
		{"bfs", "a", 2, "batch=4 | batch=2"}, {"bfs", "a", 9, "batch=4 | batch=2 | coop=warp"},
		{"bfs", "c", 4, "batch=4 | coop=block | batch=2 | coop=warp"}, {"mis", "a", 4, ""}, {"cc", "b", 1, "np=wp"},
	} {
		if got := joined(fastest(rep.trials(), tt.program, tt.input, tt.n), " | "); got != tt.want {
			t.Errorf("%+v: %s", tt, got)
		}
	}
	if got := fastest(rep.trials(), "bfs", "a", 2, compile.MustSwitches("batch=4")); joined(got, " ") != "batch=2 coop=warp" {
		t.Errorf("beside batch=4: %v", got)
	}
}

// TestChecker checks what fails, and what there is no time for.
func TestChecker(t *testing.T) {
	ctx := context.Background()
	dev, err := engine.OpenSession(engine.Options{Device: "simt", Unchecked: true})
	if err != nil {
		t.Fatal(err)
	}
	defer dev.Close()
	in, err := open(ctx, "path:12:wmax=0")
	if err != nil {
		t.Fatal(err)
	}
	var list []*engine.Program
	for _, name := range []string{"cc", "sssp"} {
		p, err := engine.Bundled(name)
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	lines := []journal.Line{{Kind: kindCheck, Data: []byte(`{"program":"cc","input":"x","switches":"batch=4","failed":"wrong answer: 7"}`)}}
	o := CheckOptions{Fastest: 2, Measured: []Trial{
		{"cc", "x", engine.TuneTrial{Switches: compile.MustSwitches("batch=4"), Value: 1}}, {"cc", "x", engine.TuneTrial{Switches: compile.MustSwitches("outline=77"), Value: 2}},
	}}
	c, err := NewChecker(ctx, dev, o, nil, lines)
	if err != nil {
		t.Fatal(err)
	}
	arguments := func(p *engine.Program) (engine.Args, error) { return arguments(p, in), nil }
	if err := c.Input(in, "x", list, arguments); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	if err := c.WriteMarkdown(&b); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"| cc | x | 3 | 2 | 1 | 2 | 0 |\n", "| all |  | 3 | 2 | 1 | 2 | 0 |\n", "- cc on x, batch=4: wrong answer: 7\n", "- cc on x, outline=77: ", "- sssp on x: the program requires weights",
	} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("%q is not in\n%s", want, b.String())
		}
	}
	if failed, left := c.Failures(); failed != 2 || left != 0 {
		t.Errorf("%d failed, %d left out", failed, left)
	}
	if _, err := NewChecker(ctx, dev, o, nil, []journal.Line{{Kind: kindCheck, Data: []byte("7")}}); err == nil {
		t.Error("a damaged line was read")
	}
}
