package klaptest

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/klap"
)

// A tally counts the programs that transformations have reached: by the Report, and by launches that
// really were those of transformed kernels.
type tally struct {
	programs, launches           int
	warp, block, multi, grid     int
	threshold, coarsen, flat     int
	combined, exhausted, errored int
	limits                       int // forms that are too large for the emulator
}

func (c *tally) String() string {
	return fmt.Sprintf("%d launches; warp %d, block %d, multiblock %d, grid %d, flattened %d, threshold %d, coarsen %d, aggregated and another %d, exhausted pools %d, failing launches %d",
		c.launches, c.warp, c.block, c.multi, c.grid, c.flat, c.threshold, c.coarsen, c.combined, c.exhausted, c.errored)
}

// add counts a program in the form of a variant.
func (c *tally) add(v Variant, u *compile.Unit, got, want *Result) {
	if got.Exhausted > 0 {
		c.exhausted++
	}
	if want.Errors > 0 {
		c.errored++
	}
	if u.Klap == nil {
		return // read back from text
	}
	var aggregated, few, coarse bool
	for _, s := range u.Klap.Sites {
		aggregated = aggregated || s.Done != ""
		for _, text := range s.Before {
			few = few || strings.HasPrefix(text, "done by its thread")
			coarse = coarse || strings.HasPrefix(text, "a block does")
		}
	}
	var agg, coarsened bool
	for _, l := range got.Launched {
		agg = agg || strings.HasSuffix(l.Kernel, "_agg")
		coarsened = coarsened || strings.Contains(l.Kernel, "_coarse")
	}
	few = few && len(got.Launched) < len(want.Launched)
	coarse, aggregated = coarse && coarsened, aggregated && agg
	if aggregated {
		switch v.Options.Granularity {
		case klap.Warp:
			c.warp++
		case klap.Block:
			c.block++
		case klap.Multiblock:
			c.multi++
		case klap.Grid:
			c.grid++
		}
	}
	if flattens(u, got) {
		c.flat++
	}
	if few {
		c.threshold++
	}
	if coarse {
		c.coarsen++
	}
	if aggregated && (few || coarse) {
		c.combined++
	}
}

// flattens reports whether a program has launched a flattened kernel.
func flattens(u *compile.Unit, got *Result) bool {
	return u.Klap != nil && slices.ContainsFunc(u.Klap.Sites, func(s klap.Site) bool {
		return strings.Contains(s.Done, ", flattened") && slices.ContainsFunc(got.Launched, func(l Launched) bool {
			return l.Kernel == s.Child+"_agg" || l.Kernel == s.Child+"_coarse_agg"
		})
	})
}

// leaves reports whether a program has left all its launches to the kernel behind its own.
func leaves(u *compile.Unit, got, want *Result) bool {
	return u.Klap != nil && len(u.Klap.Behind) > 0 && len(got.Launched) == 0 && len(want.Launched) > 0
}

// check has each transformation reach enough of so many programs.
func (c *tally) check(t *testing.T, count uint64) {
	if count < 16 {
		return
	}
	if uint64(c.limits)*50 > count {
		t.Errorf("%d forms of %d programs are too large", c.limits, count)
	}
	for name, n := range map[string]int{"warp": c.warp, "block": c.block, "multiblock": c.multi, "grid": c.grid, "threshold": c.threshold, "coarsen": c.coarsen} {
		if uint64(n)*10 < count*3 {
			t.Errorf("%s reaches %d of %d programs, want 3 of 10", name, n, count)
		}
	}
}
