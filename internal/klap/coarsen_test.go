package klap_test

import (
	"bytes"
	"fmt"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/golden"
	"irgl/internal/klap"
)

// TestThresholdAndCoarsen has the programs of testdata/run do with thresholding, coarsening and aggregation, in all
// combinations, what they do as they are.
func TestThresholdAndCoarsen(t *testing.T) {
	golden.Each(t, "testdata/run/*.txtar", func(t *testing.T, a *txtar.Archive) {
		p := parseProgram(t, t.Name(), a)
		plain, err := compiled(p.text, klap.Options{PerThread: true})
		if err != nil {
			t.Fatal(err)
		}
		want, direct, err := p.result(plain, 0)
		if err != nil {
			t.Fatal(err)
		}
		var table bytes.Buffer
		n := 0
		for _, g := range append([]string{"none"}, granularities...) {
			for _, c := range [][2]int{{16, 0}, {0, 3}, {40, 2}, {klap.Auto, klap.Auto}} {
				n++
				if testing.Short() && n%20 != len(p.text)%20 || n > 4 && (n+len(p.text))%2 == 0 {
					continue
				}
				o := klap.Options{PerThread: true, Threshold: c[0], Coarsen: c[1]}
				if err := o.SetGranularity(g); err != nil {
					t.Fatal(err)
				}
				name := fmt.Sprintf("%s threshold %d coarsen %d", g, c[0], c[1])
				u, err := compiled(p.text, o)
				if err != nil {
					t.Fatalf("%s: %v", name, err)
				}
				got, r, err := p.result(u, uint64(n))
				if err != nil {
					t.Errorf("%s: %v", name, err)
					continue
				}
				if !bytes.Equal(got, want) {
					t.Errorf("%s: %s", name, difference(got, want))
				}
				if r.Errors != direct.Errors {
					t.Errorf("%s: %d errors, want %d", name, r.Errors, direct.Errors)
				}
				if g == "none" {
					fmt.Fprintf(&table, "%s: %s\n", name, r.Counted())
				}
			}
		}
		if !testing.Short() {
			golden.Section(t, a, "transformed", table.String())
		}
	})
}
