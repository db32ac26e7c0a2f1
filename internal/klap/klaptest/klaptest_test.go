package klaptest

import (
	"bytes"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"strings"
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
	for seed := first; seed < first+count; seed++ {
		if done := seed - first; done > 0 && done%100 == 0 {
			t.Logf("%d programs: %s", done, &total)
		}
		p := Generate(seed)
		want, err := p.Plain(0)
		if err != nil {
			t.Errorf("seed %d as it is: %v\n%s", seed, err, p)
			continue
		}
		if again, err := p.Plain(seed + 5); err != nil || !bytes.Equal(again.Out, want.Out) {
			t.Errorf("seed %d as it is has several results: %v\n%s", seed, err, p)
			continue
		}
		total.programs++
		total.launches += len(want.Launched)
		for i, v := range choose(seed) {
			text := i == int(seed%6)
			found, u, got := Check(p, want, v, text, 0, seed*7+1)
			if found != nil && strings.Contains(found.Text, "the stack overflows") {
				t.Logf("%v", found) // the registers of all frames together are more than the emulator keeps
				total.limits++
				continue
			}
			if found != nil {
				report(t, found, text, 0, seed*7+1) // which changes the program
				break
			}
			total.add(v, u, got, want)
		}
	}
	t.Logf("%d programs: %s", count, &total)
	total.check(t, count)
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
		for i, v := range Variants() {
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
	for seed := first; seed < first+count; seed++ {
		p := GenerateChain(seed)
		want, err := p.Plain(0)
		if err != nil {
			t.Errorf("seed %d as it is: %v\n%s", seed, err, p)
			continue
		}
		if again, err := p.Plain(seed + 5); err != nil || !bytes.Equal(again.Out, want.Out) {
			t.Errorf("seed %d as it is has several results: %v\n%s", seed, err, p)
			continue
		}
		for i, form := range slices.Sorted(maps.Keys(all)) {
			v := all[form][seed%uint64(len(all[form]))]
			text := i == int(seed%8)
			found, u, got := Check(p, want, v, text, 0, seed*7+1)
			if found != nil {
				report(t, found, text, 0, seed*7+1) // which changes the program
				break
			}
			if got.Exhausted > 0 {
				exhausted++
			}
			if promotes(form, u, got) {
				promoted[form]++
			}
		}
	}
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
