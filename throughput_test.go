package irgl_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"irgl/internal/compile"
	"irgl/internal/engine"
	"irgl/internal/lower"
)

// TestThroughputPrograms runs the programs of the language's description and
// the examples with the throughput passes on: they print what the
// interpreter does.
func TestThroughputPrograms(t *testing.T) {
	texts := map[string]string{}
	for _, b := range blocks(t, "docs/language.md", "irgl") {
		texts[fmt.Sprintf("line%d", b.line)] = b.text
	}
	files, err := filepath.Glob("examples/*/*.irgl")
	if err != nil || len(files) < 7 {
		t.Fatalf("%d examples: %v", len(files), err)
	}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[strings.TrimSuffix(filepath.Base(file), ".irgl")] = string(text)
	}
	ran := 0
	for name, text := range texts {
		first, _, _ := strings.Cut(text, "\n")
		args, ok := strings.CutPrefix(first, "// run: ")
		if !ok {
			continue
		}
		ran++
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			p, err := engine.Parse(name+".irgl", []byte(text))
			if err != nil {
				t.Fatal(err)
			}
			want := runWith(t, p, engine.Options{Device: "interp"}, strings.Fields(args))
			for i := range 8 {
				if testing.Short() && i > 1 {
					break
				}
				o := engine.Options{Device: "simt", Seed: uint64(i), Compile: compile.Options{Lower: lower.Options{
					NP: lower.Schedulers(31 - i*3), Coop: lower.CoopLevel((i*3 + 2) % 4), Batch: 1 << (i % 4), BlockThreads: 32 << (i % 3),
					GridLoop: 2 + 3*i, Deal: i%2 == 0,
				}}}
				if diff := cmp.Diff(want, runWith(t, p, o, strings.Fields(args))); diff != "" {
					t.Errorf("%+v (-interp +run):\n%s", o.Compile.Lower, diff)
				}
			}
		})
	}
	if ran < 17 {
		t.Errorf("%d programs ran", ran)
	}
}
