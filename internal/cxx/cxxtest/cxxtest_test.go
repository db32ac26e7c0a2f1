package cxxtest

import (
	"os"
	"os/exec"
	"strconv"
	"testing"

	"irgl/internal/compile"
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
			t.Fatal(err)
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
