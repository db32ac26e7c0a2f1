package cxxtest

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/golden"
	"irgl/internal/ssa/opt"
)

// options are all passes and none.
func options() []compile.Options {
	off := map[string]bool{}
	for _, pass := range opt.Passes().Names() {
		off[pass] = false
	}
	return []compile.Options{{}, {Opt: opt.Options{Switch: off, InlineBudget: -1}}}
}

// recorded is how many functions have their answers in testdata/answers.txt.
const recorded = 20

// TestRecorded compares the first functions with g++'s recorded answers. With -update it
// records them.
func TestRecorded(t *testing.T) {
	var funcs []*Func
	for i := range recorded {
		funcs = append(funcs, Generate(uint64(i)))
	}
	const path = "testdata/answers.txt"
	if golden.Updating() {
		want, err := Host("g++", funcs)
		if err != nil {
			t.Fatal(err)
		}
		golden.File(t, path, table(want))
	}
	for _, o := range options() {
		got, refusal := Device(funcs, o)
		if refusal != nil {
			t.Fatalf("function %d: %s", refusal.Index, refusal.Text)
		}
		text, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		golden.Equal(t, path, string(text), table(got))
	}
}

// table writes the answers of each function on a line.
func table(list [][]int64) string {
	var b strings.Builder
	for _, answers := range list {
		fmt.Fprintln(&b, answers)
	}
	return b.String()
}

// TestRandom compares random functions with g++'s answers: IRGL_CXX is how many, from the
// seed IRGL_CXX_SEED on.
func TestRandom(t *testing.T) {
	gxx, err := exec.LookPath("g++")
	if err != nil {
		t.Skip("no g++")
	}
	count, first := 50, 0
	if s := os.Getenv("IRGL_CXX"); s != "" {
		if count, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	if s := os.Getenv("IRGL_CXX_SEED"); s != "" {
		if first, err = strconv.Atoi(s); err != nil {
			t.Fatal(err)
		}
	}
	const batch = 100
	for done := 0; done < count; done += batch {
		var funcs []*Func
		for i := done; i < min(done+batch, count); i++ {
			funcs = append(funcs, Generate(uint64(first+i)))
		}
		want, err := Host(gxx, funcs)
		if err != nil {
			t.Errorf("seeds from %d: %v", first+done, err)
			continue
		}
		found := Check(funcs, want, options())
		for i, f := range found {
			if i < 8 {
				f = Reduce(gxx, f, options())
			}
			t.Errorf("seed %d: %s\n%s", f.Func.Seed, f.Reason, f.Func.Text())
		}
		t.Logf("%d functions, %d findings", len(funcs), len(found))
	}
}
