package pass_test

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"irgl/internal/pass"
)

// A tape is the program of these tests: passes append to it.
type tape struct{ s []string }

func appender(s string) func(*tape, *pass.Run) error {
	return func(t *tape, r *pass.Run) error {
		t.s = append(t.s, s)
		r.Count("appended", 1)
		return nil
	}
}

func perUnit(s string) func(*tape, *pass.Run) error {
	return func(t *tape, r *pass.Run) error {
		for _, unit := range []string{"f", "g"} {
			if err := r.Unit(unit, func() error {
				t.s = append(t.s, s+"."+unit)
				return nil
			}); err != nil {
				return err
			}
		}
		return nil
	}
}

func list(t *testing.T) *pass.List[*tape] {
	t.Helper()
	l, err := pass.NewList([]pass.Pass[*tape]{
		{Name: "a", Doc: "appends a", Source: "paper, 1", Fn: appender("a")},
		{Name: "b", Doc: "appends b", Fn: perUnit("b"), PerUnit: true},
		{Name: "c", Doc: "appends c | d", Fn: appender("c"), Off: true},
		{Name: "r", Doc: "appends r", Fn: appender("r"), Required: true},
		{Name: "late-a", Doc: "after r", Fn: appender("a2"), Repeats: "a"},
	}, []pass.Order{{Before: "a", After: "b", Reason: "b reads a"}})
	if err != nil {
		t.Fatal(err)
	}
	return l
}

func TestSwitch(t *testing.T) {
	for _, test := range []struct {
		on   map[string]bool
		want string
	}{
		{nil, "a b.f b.g r a2"},
		{map[string]bool{"a": false}, "b.f b.g r"},
		{map[string]bool{"a": false, "late-a": true}, "b.f b.g r a2"},
		{map[string]bool{"late-a": false}, "a b.f b.g r"},
		{map[string]bool{"c": true, "b": false}, "a c r a2"},
		{map[string]bool{"r": true}, "a b.f b.g r a2"},
	} {
		var tp tape
		report, err := list(t).Run(&tp, pass.Options[*tape]{Switch: test.on})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(tp.s, " "); got != test.want {
			t.Errorf("%v: got %s, want %s", test.on, got, test.want)
		}
		var steps []string
		for _, s := range report.Steps {
			steps = append(steps, s.Pass)
		}
		if test.on == nil && !slices.Equal(steps, []string{"a", "b", "r", "late-a"}) {
			t.Errorf("steps %v", steps)
		}
	}
}

func TestStats(t *testing.T) {
	report, err := list(t).Run(&tape{}, pass.Options[*tape]{})
	if err != nil {
		t.Fatal(err)
	}
	if got, want := report.Stats.String(), "a appended 2\nr appended 1\n"; got != want {
		t.Errorf("got %q, want %q: a repeat counts with the row it repeats", got, want)
	}
	if report.Stats.Get("a", "appended") != 2 || report.Stats.Get("a", "other") != 0 {
		t.Error("Get differs from String")
	}
}

// TestLimit: the run is cut after any number of units, but what is required
// runs nevertheless.
func TestLimit(t *testing.T) {
	for limit, want := range map[int]string{
		-1: "r", 1: "a r", 2: "a b.f r", 3: "a b.f b.g r", 4: "a b.f b.g r", 5: "a b.f b.g r a2", 0: "a b.f b.g r a2",
	} {
		var tp tape
		var log []string
		report, err := list(t).Run(&tp, pass.Options[*tape]{Limit: limit, OnUnit: func(n int, pass, unit string, skipped bool) {
			log = append(log, fmt.Sprintf("%d:%s.%s:%t", n, pass, unit, skipped))
		}})
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(tp.s, " "); got != want {
			t.Errorf("limit %d: got %s, want %s", limit, got, want)
		}
		if report.Units != 5 {
			t.Errorf("limit %d: %d units", limit, report.Units)
		}
		if limit == 2 && strings.Join(log, " ") != "1:a.:false 2:b.f:false 3:b.g:true 4:r.:false 5:late-a.:true" {
			t.Errorf("log %v", log)
		}
	}
}

func TestHooks(t *testing.T) {
	var out strings.Builder
	var before []string
	verified := 0
	_, err := list(t).Run(&tape{}, pass.Options[*tape]{
		Before:     func(name string, _ *tape) { before = append(before, name) },
		Verify:     func(*tape) error { verified++; return nil },
		PrintAfter: []string{"b", "c"},
		Print:      func(w io.Writer, t *tape) error { _, err := fmt.Fprintln(w, t.s); return err },
		Out:        &out,
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(before, " "); got != "a b r late-a" {
		t.Errorf("before: %s", got)
	}
	if verified != 5 {
		t.Errorf("verified %d times, want before the first pass and after each of 4", verified)
	}
	if got := out.String(); got != "; after b\n[a b.f b.g]\n; pass c did not run: it is off\n" {
		t.Errorf("printed %q", got)
	}
	out.Reset()
	if _, err := list(t).Run(&tape{}, pass.Options[*tape]{PrintAfter: []string{"all"}, Print: func(io.Writer, *tape) error { return nil }, Out: &out}); err != nil {
		t.Fatal(err)
	}
	if got := out.String(); strings.Contains(got, "did not run") {
		t.Errorf("printed %q after all", got)
	}
}

func TestBadOptions(t *testing.T) {
	for _, test := range []struct {
		o    pass.Options[*tape]
		want string
	}{
		{pass.Options[*tape]{Switch: map[string]bool{"x": true}}, `no pass "x"; the passes are a, b, c, r, late-a`},
		{pass.Options[*tape]{Switch: map[string]bool{"r": false}}, "pass r is required"},
		{pass.Options[*tape]{PrintAfter: []string{"y"}}, `no pass "y"`},
	} {
		var tp tape
		if _, err := list(t).Run(&tp, test.o); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
		if len(tp.s) > 0 {
			t.Errorf("passes ran: %v", tp.s)
		}
	}
}

func TestFaults(t *testing.T) {
	broken := errors.New("broken")
	verify := func(t *tape) error {
		if slices.Contains(t.s, "bad") {
			return broken
		}
		return nil
	}
	l := pass.MustList([]pass.Pass[*tape]{
		{Name: "good", Doc: "good", Fn: appender("x")},
		{Name: "bad", Doc: "bad", Fn: appender("bad"), Off: true},
		{Name: "dies", Doc: "dies", Off: true, PerUnit: true, Fn: func(t *tape, r *pass.Run) error {
			return r.Unit("@f", func() error { panic("ouch") })
		}},
		{Name: "fails", Doc: "fails", Off: true, Fn: func(*tape, *pass.Run) error { return broken }},
		{Name: "lies", Doc: "lies", Off: true, Fn: perUnit("l")},
	}, nil)
	for _, test := range []struct{ name, want string }{
		{"bad", "internal compiler error: after pass bad: broken"},
		{"dies", "internal compiler error: pass dies, at @f: panic: ouch"},
		{"fails", "broken"},
		{"lies", "pass lies: it has units, but its row does not say so"},
	} {
		report, err := l.Run(&tape{}, pass.Options[*tape]{Switch: map[string]bool{test.name: true}, Verify: verify})
		if err == nil || err.Error() != test.want {
			t.Errorf("%s: got %v, want %s", test.name, err, test.want)
		}
		if len(report.Steps) != 2 {
			t.Errorf("%s: %d steps", test.name, len(report.Steps))
		}
		internal, ok := errors.AsType[*pass.InternalError](err)
		if ok != (test.name == "bad" || test.name == "dies") {
			t.Errorf("%s: internal error: %t", test.name, ok)
		}
		if test.name == "dies" && len(internal.Stack) == 0 {
			t.Error("no stack")
		}
	}
	if _, err := l.Run(&tape{s: []string{"bad"}}, pass.Options[*tape]{Verify: verify}); !errors.Is(err, broken) {
		t.Errorf("broken input: got %v", err)
	}
}

func TestNewListRefuses(t *testing.T) {
	fn := appender("x")
	row := func(name string) pass.Pass[*tape] { return pass.Pass[*tape]{Name: name, Doc: "x", Fn: fn} }
	repeat := func(name, of string) pass.Pass[*tape] {
		p := row(name)
		p.Repeats = of
		return p
	}
	for _, test := range []struct {
		passes []pass.Pass[*tape]
		orders []pass.Order
		want   string
	}{
		{[]pass.Pass[*tape]{row("A")}, nil, `"A" is not a name`},
		{[]pass.Pass[*tape]{row("a"), row("a")}, nil, "pass a: there are two"},
		{[]pass.Pass[*tape]{{Name: "a", Doc: "x"}}, nil, "no doc or no function"},
		{[]pass.Pass[*tape]{{Name: "a", Fn: fn}}, nil, "no doc or no function"},
		{[]pass.Pass[*tape]{{Name: "a", Doc: "x", Fn: fn, Required: true, Off: true}}, nil, "it is required and off"},
		{[]pass.Pass[*tape]{repeat("b", "a"), row("a")}, nil, "it repeats a"},
		{[]pass.Pass[*tape]{row("a"), repeat("b", "a"), repeat("c", "b")}, nil, "it repeats b"},
		{[]pass.Pass[*tape]{row("a"), row("b")}, []pass.Order{{"b", "a", "so it is"}}, "b must run before a: so it is"},
		{[]pass.Pass[*tape]{row("a")}, []pass.Order{{"a", "a", "x"}}, "a must run before a"},
		{[]pass.Pass[*tape]{row("a"), row("b")}, []pass.Order{{"a", "b", ""}}, "no reason"},
		{[]pass.Pass[*tape]{row("a")}, []pass.Order{{"a", "z", "x"}}, "no such pass"},
	} {
		if _, err := pass.NewList(test.passes, test.orders); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("got %v, want %s", err, test.want)
		}
	}
}

// TestSelect: rows run in the order asked for, unless a constraint forbids it.
func TestSelect(t *testing.T) {
	for _, test := range []struct{ names, want, err string }{
		{"b", "b.f b.g", ""},
		{"late-a a", "a2 a", ""},
		{"a b a", "a b.f b.g a", ""},
		{"", "", ""},
		{"b a", "", "a must run before b: b reads a"},
		{"b a b", "b.f b.g a b.f b.g", ""},
		{"a x", "", `no pass "x"`},
	} {
		l, err := list(t).Select(strings.Fields(test.names))
		if err != nil || test.err != "" {
			if err == nil || test.err == "" || !strings.Contains(err.Error(), test.err) {
				t.Errorf("%s: %v, want %q", test.names, err, test.err)
			}
			continue
		}
		var tp tape
		if _, err := l.Run(&tp, pass.Options[*tape]{}); err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(tp.s, " "); got != test.want {
			t.Errorf("%s: got %s, want %s", test.names, got, test.want)
		}
	}
}

// TestShuffled: every order is one that Select allows, has all rows, and some
// differ.
func TestShuffled(t *testing.T) {
	l := list(t)
	seen := map[string]bool{}
	for seed := range uint64(50) {
		names := l.Shuffled(seed).Names()
		if _, err := l.Select(names); err != nil {
			t.Errorf("seed %d: %v", seed, err)
		}
		if slices.Index(names, "a") > slices.Index(names, "late-a") {
			t.Errorf("seed %d: a row's further run precedes it: %v", seed, names)
		}
		seen[strings.Join(names, " ")] = true
		slices.Sort(names)
		if got := strings.Join(names, " "); got != "a b c late-a r" {
			t.Errorf("seed %d: rows %s", seed, got)
		}
	}
	if len(seen) < 10 {
		t.Errorf("only %d orders of 5 rows under 2 constraints", len(seen))
	}
}

func ExampleList_WriteMarkdown() {
	fn := func(*tape, *pass.Run) error { return nil }
	l := pass.MustList([]pass.Pass[*tape]{
		{Name: "fold", Doc: "folds constants", Source: "gpucc, 3", Fn: fn},
		{Name: "check", Doc: "checks a|b", Fn: fn, Required: true},
		{Name: "late-fold", Doc: "what check exposed", Repeats: "fold", Fn: fn, Off: true},
	}, []pass.Order{{Before: "fold", After: "check", Reason: "it makes less to check"}})
	var b strings.Builder
	_ = l.WriteMarkdown(&b)
	fmt.Print(b.String())
	// Output:
	// | # | pass | default | what it does | source |
	// |---|---|---|---|---|
	// | 1 | `fold` | on | folds constants | gpucc, 3 |
	// | 2 | `check` | required | checks a\|b |  |
	// | 3 | `late-fold` | off | `fold` again: what check exposed |  |
	//
	// | pass | precedes | because |
	// |---|---|---|
	// | `fold` | `check` | it makes less to check |
}
