package programs_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"irgl/internal/check"
	"irgl/internal/compile"
	"irgl/internal/lower"
	"irgl/internal/opt"
	"irgl/internal/plan"
	"irgl/internal/programs"
	"irgl/internal/source"
	"irgl/syntax"
)

// mixed returns o with other switches for some kernels and inner loops of a program.
func mixed(t *testing.T, info *check.Info, o lower.Options, draw *rand.Rand) lower.Options {
	t.Helper()
	set := func(p lower.Part, name string, value any) {
		t.Helper()
		if err := o.Set(name, fmt.Sprintf("%s:%v", p, value)); err != nil {
			t.Fatal(err)
		}
	}
	few := func() bool { return draw.IntN(3) == 0 }
	part := func(p lower.Part) {
		if few() {
			np := lower.Schedulers(draw.IntN(32)).String()
			if np == "" {
				np = "none"
			}
			set(p, "np", np)
			set(p, "np-"+[]string{"gr", "tb", "wp", "fg"}[draw.IntN(4)], 2+draw.IntN(12))
		}
		if few() {
			set(p, "coop", plan.CoopLevels[draw.IntN(len(plan.CoopLevels))])
		}
		if few() {
			set(p, "batch", 1<<draw.IntN(4))
			set(p, "eager", few())
		}
	}
	for _, fn := range info.Funcs {
		if fn.Decl.Kind != syntax.KernelFunc {
			continue
		}
		p := lower.Part{Kernel: fn.Object.Name}
		part(p)
		set(p, "deal", few())
		set(p, "backoff", []string{"list", "1", "2"}[draw.IntN(3)])
		set(p, "ldg", few())
		for i := range opt.InnerLoops(fn) {
			part(lower.Part{Kernel: p.Kernel, Loop: i + 1})
		}
	}
	return o
}

// TestParts runs every program with switches that differ between its kernels and its inner
// loops, drawn at random: the answers are right. Every stage is verified.
func TestParts(t *testing.T) {
	all := combinations()
	for k, name := range programs.Names() {
		if testing.Short() && k%3 != 1 {
			continue
		}
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			n := 8
			switch {
			case exhaustive():
				n = len(all)
			case testing.Short():
				n = 1
			}
			text, _ := programs.Text(name)
			var diags source.List
			info := check.Check(syntax.Parse(source.NewFile(name+".irgl", text), syntax.IrGL, &diags), &diags)
			var in []input
			for i := range n {
				draw := rand.New(rand.NewPCG(uint64(k), uint64(i)))
				lo := mixed(t, info, all[(k*53+i*29)%len(all)], draw)
				t.Run(strings.ReplaceAll(lo.String(), " ", ";"), func(t *testing.T) {
					u := compiled(t, name, compile.Options{Lower: lo})
					unused(t, u)
					if in == nil {
						in = slices.DeleteFunc(inputs(t, u, throughputGraphs), func(in input) bool { return in.Mesh != nil && len(in.Mesh.X) > 10 })
					}
					verifiedOn(t, name, u, u.PTXText(), machine{seed: draw.Uint64(), multiprocessors: 2, blocks: 4}, in, i%2)
				})
			}
		})
	}
}
