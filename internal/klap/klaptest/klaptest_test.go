package klaptest

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/klap"
)

// programs returns which programs are checked: IRGL_KLAPTEST="FIRST COUNT", or so many.
func programs(t *testing.T, n uint64) (first, count uint64) {
	t.Helper()
	first, count = 0, n
	if testing.Short() {
		count = max(1, n/20)
	}
	if s := os.Getenv("IRGL_KLAPTEST"); s != "" {
		if _, err := fmt.Sscan(s, &first, &count); err != nil {
			t.Fatalf("IRGL_KLAPTEST=%q: %v", s, err)
		}
	}
	return first, count
}

// TestSeeds compares programs with their transformed forms, a variant of each granularity and one without.
// IRGL_KLAPTEST="0 1000" checks a thousand.
func TestSeeds(t *testing.T) {
	first, count := programs(t, 16)
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	var total tally
	var mu sync.Mutex
	onEach(first, count, func(seed uint64) {
		p := Generate(seed)
		want := reference(t, p, seed)
		if want == nil {
			return
		}
		mu.Lock()
		total.programs++
		total.launches += len(want.Launched)
		if total.programs%100 == 0 {
			t.Logf("%d programs: %s", total.programs, &total)
		}
		mu.Unlock()
		for i, v := range choose(seed) {
			text := i == int(seed%6)
			found, u, got := Check(p, want, v, text, 0, seed*7+1)
			if found != nil && strings.Contains(found.Text, "the stack overflows") {
				t.Logf("%v", found) // the registers of all frames together are more than the emulator keeps
				mu.Lock()
				total.limits++
				mu.Unlock()
				continue
			}
			if found != nil {
				report(t, found, text, 0, seed*7+1) // which changes the program
				break
			}
			mu.Lock()
			total.add(v, u, got, want)
			mu.Unlock()
		}
	})
	t.Logf("%d programs: %s", count, &total)
	total.check(t, count)
}

// onEach calls f for so many seeds, on all processors.
func onEach(first, count uint64, f func(seed uint64)) {
	var next atomic.Uint64
	var all sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		all.Go(func() {
			for i := next.Add(1) - 1; i < count; i = next.Add(1) - 1 {
				f(first + i)
			}
		})
	}
	all.Wait()
}

// reference returns what a program does as it is; nil if two schedules differ, or it fails.
func reference(t *testing.T, p *Program, seed uint64) *Result {
	t.Helper()
	list, err := p.plain(0, seed+5)
	switch {
	case err != nil:
		t.Errorf("seed %d as it is: %v\n%s", seed, err, p)
	case !bytes.Equal(list[0].Out, list[1].Out):
		t.Errorf("seed %d as it is has several results\n%s", seed, p)
	default:
		return list[0]
	}
	return nil
}

// report reduces a finding and writes it to testdata/new.
func report(t *testing.T, f *Finding, text bool, seeds ...uint64) {
	t.Helper()
	before := f.String()
	small := f
	if os.Getenv("IRGL_KLAPTEST_RAW") == "" {
		small = Reduce(f, text, 400, seeds...)
	}
	path := filepath.Join("testdata", "new", fmt.Sprintf("%d-%s.cu", f.Program.Seed, small.Variant.Options.Granularity))
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
		_ = os.WriteFile(path, []byte(small.Program.String()+"// "+small.String()+"\n"), 0o666)
	}
	t.Errorf("%s\nreduced, in %s: %s", before, path, small)
}

// TestFound checks the programs of testdata/found, which have been findings, in the form of some variants,
// and with IRGL_KLAPTEST of each.
func TestFound(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	files, err := filepath.Glob("testdata/found/*.cu")
	if err != nil || len(files) == 0 {
		t.Fatalf("no programs: %v", err)
	}
	for n, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		p, err := Parse(string(text))
		if err != nil {
			t.Fatalf("%s: %v", file, err)
		}
		want, err := p.Plain(0)
		if err != nil {
			t.Errorf("%s as it is: %v", file, err)
			continue
		}
		every := 9
		switch {
		case os.Getenv("IRGL_KLAPTEST") != "":
			every = 1
		case testing.Short():
			every = 60
		}
		for i, v := range append(Variants(), Frontiers()...) {
			if (i+n)%every != 0 {
				continue
			}
			if found, _, _ := Check(p, want, v, i%3 == 0, uint64(i)); found != nil {
				t.Errorf("%s: %v", file, found)
			}
		}
	}
}

// TestChains compares programs with kernels that launch themselves with their promoted forms.
func TestChains(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	first, count := programs(t, 16)
	promoted, all := map[string]int{}, Promotions()
	exhausted := 0
	var mu sync.Mutex
	onEach(first, count, func(seed uint64) {
		p := GenerateChain(seed)
		want := reference(t, p, seed)
		if want == nil {
			return
		}
		for i, form := range slices.Sorted(maps.Keys(all)) {
			v := all[form][seed%uint64(len(all[form]))]
			text := i == int(seed%8)
			found, u, got := Check(p, want, v, text, 0, seed*7+1)
			if found != nil {
				report(t, found, text, 0, seed*7+1) // which changes the program
				break
			}
			mu.Lock()
			if got.Exhausted > 0 {
				exhausted++
			}
			if promotes(form, u, got) {
				promoted[form]++
			}
			mu.Unlock()
		}
	})
	t.Logf("%d programs, promoted forms: %v, exhausted pools %d", count, promoted, exhausted)
	if count < 16 {
		return
	}
	for form := range all {
		if uint64(promoted[form])*10 < count*3 {
			t.Errorf("promotion in the form %s reaches %d of %d programs, want 3 of 10", form, promoted[form], count)
		}
	}
}

// promotes reports whether a program is promoted in a form: a kernel has been, and a promoted instance was launched.
func promotes(form string, u *compile.Unit, got *Result) bool {
	if u.Klap == nil { // read back from text
		return false
	}
	return slices.ContainsFunc(u.Klap.Sites, func(s klap.Site) bool {
		return slices.ContainsFunc(s.Before, func(done string) bool {
			overlapped := strings.Contains(done, ", overlapped")
			return strings.HasPrefix(done, "promoted") && overlapped == (form == "overlap" || form == "both")
		})
	}) && slices.ContainsFunc(got.Launched, func(l Launched) bool { return l.Kernel == "chain_from_kernel" })
}

// TestFrontiers compares programs that launch small children with the forms in which warps do these, and with flattened ones.
func TestFrontiers(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	first, count := programs(t, 10)
	all := Frontiers()
	var done, fewer, flat, behind, exhausted int
	var mu sync.Mutex
	onEach(first, count, func(seed uint64) {
		p := GenerateFrontier(seed)
		want := reference(t, p, seed)
		if want == nil {
			return
		}
		reached, saved, flattened, left := false, false, false, false
		of := uint64(len(all) / 5)
		for i := range uint64(5) {
			v := all[i*of+(seed+i)%of]
			found, u, got := Check(p, want, v, i == seed%9, 0, seed*7+1)
			if found != nil {
				report(t, found, i == seed%9, 0, seed*7+1) // which changes the program
				break
			}
			mu.Lock()
			if got.Exhausted > 0 {
				exhausted++
			}
			mu.Unlock()
			if u.Klap != nil && slices.ContainsFunc(u.Klap.Sites, func(s klap.Site) bool { return strings.Contains(s.Done, "done by warps") }) {
				reached = true
				saved = saved || len(got.Launched) == 0 || v.Options.Granularity == klap.Grid && len(got.Launched) == 1
			}
			flattened = flattened || flattens(u, got)
			left = left || v.Options.Threshold == 0 && leaves(u, got, want)
		}
		mu.Lock()
		defer mu.Unlock()
		if reached {
			done++
		}
		if saved {
			fewer++
		}
		if flattened {
			flat++
		}
		if left {
			behind++
		}
	})
	t.Logf("%d programs: %d with launches that warps do, %d of them with at most one launch left, %d with flattened ones, %d that leave all to the kernel behind them, exhausted pools %d", count, done, fewer, flat, behind, exhausted)
	if count >= 10 && flat*2 < int(count) {
		t.Errorf("launches of %d of %d programs are flattened, want half", flat, count)
	}
	if count >= 10 && behind*10 < int(count) {
		t.Errorf("%d of %d programs leave all launches to the kernel behind them, want one of ten", behind, count)
	}
	if count >= 10 && uint64(done)*2 < count {
		t.Errorf("warps do launches of %d of %d programs, want half", done, count)
	}
}
