package difftest

import (
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"
)

// search checks the programs of n seeds from first on, with two others of the
// variants each, and reduces what it finds.
func search(t *testing.T, c *Checker, first, n uint64) {
	const batch = 8
	next := make(chan uint64)
	go func() {
		defer close(next)
		for s := first; s < first+n; s += batch {
			next <- s
		}
	}()
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			for s := range next {
				var programs []*Program
				for i := s; i < min(s+batch, first+n); i++ {
					programs = append(programs, Generate(i))
				}
				found, err := c.Check(programs)
				if err != nil {
					t.Errorf("seeds from %d: %v", s, err)
				}
				for _, f := range found {
					report(t, c, f)
				}
			}
		})
	}
	wg.Wait()
}

// report reduces a finding and keeps it under testdata/found.
func report(t *testing.T, c *Checker, f *Finding) {
	small := c.Reduce(f, 30*time.Second)
	path := filepath.Join("testdata", "found", f.Program.Name+".cu")
	text := fmt.Sprintf("// %v\n// reduced: %v\n%s", f, small, small.Program.body())
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err == nil {
		_ = os.WriteFile(path, []byte(text), 0o666)
	}
	t.Errorf("%v\nreduced, in %s: %v\n%s", f, path, small, small.Program.body())
}

// TestSeeds checks a fixed set of programs. IRGL_DIFFTEST="FIRST COUNT" checks
// other ones instead.
func TestSeeds(t *testing.T) {
	c := NewChecker()
	c.Others = 2
	first, n := uint64(0), uint64(48)
	if testing.Short() {
		n = 8
	}
	if s := os.Getenv("IRGL_DIFFTEST"); s != "" {
		if _, err := fmt.Sscan(s, &first, &n); err != nil {
			t.Fatalf("IRGL_DIFFTEST=%q: %v", s, err)
		}
	}
	if c.GCC == "" {
		t.Log("no gcc in PATH: the variants are compared with one another only")
	}
	search(t, c, first, n)
}
