package nvccdiff

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"irgl/internal/cudabuild"
	"irgl/internal/table"
)

// Folders compares the kernels of the .cu files below folders, each a suite: all of them, or a
// sample of a number of files that the seed draws. It prints a line for each kernel, and a table.
func Folders(ctx context.Context, folders []string, sample int, o Options, w io.Writer) error {
	type file struct{ suite, path string }
	var files []file
	for _, folder := range folders {
		paths, err := cudabuild.Sources(folder, o.Survey.Match)
		if err != nil {
			return err
		}
		for _, p := range paths {
			files = append(files, file{filepath.Base(filepath.Clean(folder)), p})
		}
	}
	if sample > 0 && sample < len(files) {
		rng := rand.New(rand.NewPCG(o.Seed, 0))
		rng.Shuffle(len(files), func(i, j int) { files[i], files[j] = files[j], files[i] })
		files = files[:sample]
	}
	counts := map[string]*[numOutcomes]int{}
	special := map[string]int{} // kernels that ran with special numbers
	exact := map[string]int{}   // kernels whose results are all equal bit for bit
	var suites []string
	for _, f := range files {
		if ctx.Err() != nil {
			break
		}
		if counts[f.suite] == nil {
			counts[f.suite] = new([numOutcomes]int)
			suites = append(suites, f.suite)
		}
		for _, r := range File(ctx, f.path, o) {
			counts[f.suite][r.Outcome]++
			if r.Runs > 0 && r.Exact == r.Runs {
				exact[f.suite]++
			}
			if r.Special > 0 {
				special[f.suite]++
			}
			fmt.Fprintf(w, "%s: %s: %s%s\n", r.File, r.Kernel, r.Outcome, suffix(": ", r.Detail))
		}
	}
	slices.Sort(suites)
	t := table.New(slices.Concat([]string{"suite"}, outcomeNames[:], []string{"bit for bit", "with special numbers"})...)
	for _, s := range suites {
		row := []string{s}
		for _, n := range counts[s] {
			row = append(row, fmt.Sprint(n))
		}
		t.Add(append(row, fmt.Sprint(exact[s]), fmt.Sprint(special[s]))...)
	}
	fmt.Fprintln(w)
	if err := t.WriteMarkdown(w); err != nil {
		return err
	}
	return ctx.Err()
}

func suffix(sep, s string) string {
	if s == "" {
		return ""
	}
	return sep + s
}
