package tune

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"
	"testing"
)

// fakeLaunches are programs whose time is known: block and a threshold of 64 are best together; promotion
// changes nothing, and some choices fail.
type fakeLaunches struct {
	runs map[string]int
	fail string // of the program as it is
}

func (f *fakeLaunches) Identity(_ context.Context, c LaunchChoice) (string, error) {
	c.Promote = ""
	if c.Coarsen == 32 {
		return "", errors.New("does not\nbuild")
	}
	return c.String(), nil
}

func (f *fakeLaunches) Measure(_ context.Context, c LaunchChoice) (float64, error) {
	f.runs[c.String()]++
	v := 10.0
	switch c.Granularity {
	case "block":
		v = 4
	case "grid":
		return 1, errors.New("exit status 1")
	case "":
		if f.fail != "" {
			return 0, errors.New(f.fail)
		}
	}
	if c.Threshold == 64 {
		v /= 2
	}
	return v + math.Abs(float64(c.Coarsen)), nil
}

// TestSearchLaunches finds the best along the switches, measures no device code twice but the finalists', and reports failures.
func TestSearchLaunches(t *testing.T) {
	f := &fakeLaunches{runs: map[string]int{}}
	rep, err := SearchLaunches(t.Context(), f, LaunchOptions{Repeats: 3})
	if err != nil || rep.Best.String() != "--granularity=block --threshold=64" || rep.Ended != "" {
		t.Fatalf("%v, %v", rep, err)
	}
	for c, n := range f.runs {
		if strings.Contains(c, "promote") || n != 1 && n != 3 {
			t.Errorf("%s: %d runs", c, n)
		}
	}
	if f.runs["none"] != 3 {
		t.Errorf("none was run %d times", f.runs["none"])
	}
	rep.Program, rep.Device, rep.Unit = "a.cu", "a GPU", "ms"
	var page strings.Builder
	if err := rep.WriteMarkdown(&page); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"a.cu on a GPU: --granularity=block --threshold=64\n", "| --granularity=block --threshold=64 | 2.0000 | 5.00 | 3 |  |\n", "| --granularity=grid |  |  |  | exit status 1 |\n", "does not build",
		"\nNo device code changes with --promote: "} {
		if !strings.Contains(page.String(), want) {
			t.Errorf("no %q in\n%s", want, &page)
		}
	}
}

// TestSearchLaunchesEnds: limits end a search, a program that fails as it is written has none, and a choice that gains
// nothing is none.
func TestSearchLaunchesEnds(t *testing.T) {
	rep, err := SearchLaunches(t.Context(), &fakeLaunches{runs: map[string]int{}}, LaunchOptions{Repeats: 1, Candidates: 2})
	if err != nil || rep.Best != (LaunchChoice{}) || rep.Ended != "the limit of 2 candidates" || len(rep.Trials) != 2 {
		t.Errorf("%+v, %v", rep, err)
	}
	if rep, err = SearchLaunches(t.Context(), &fakeLaunches{runs: map[string]int{}}, LaunchOptions{Repeats: 1, Budget: 1}); err != nil || rep.Ended != "the budget of 1ns" {
		t.Errorf("%+v, %v", rep, err)
	}
	if _, err := SearchLaunches(t.Context(), &fakeLaunches{runs: map[string]int{}, fail: "exit status 2"}, LaunchOptions{Repeats: 1}); fmt.Sprint(err) != "exit status 2" {
		t.Error(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	n := 0
	rep, err = SearchLaunches(ctx, &fakeLaunches{runs: map[string]int{}}, LaunchOptions{Repeats: 1, Progress: func(*LaunchTrial) {
		if n++; n == 3 {
			cancel()
		}
	}})
	if !errors.Is(err, context.Canceled) || len(rep.Trials) != 3 {
		t.Errorf("%+v, %v", rep, err)
	}
}
