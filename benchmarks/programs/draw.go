package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/spf13/cobra"
)

// A pair is a kernel and the file that defines it, from the suite's folder src.
type pair struct{ file, kernel string }

func (p pair) program() string { return p.file[:strings.Index(p.file, "/")] }

func (p pair) String() string { return p.file + " " + p.kernel }

func drawCommand() *cobra.Command {
	var sources, except string
	var seed uint64
	var kernels int
	cmd := &cobra.Command{
		Use:   "draw --sources DIR --seed N --kernels N",
		Short: "Draw kernels of HeCBench at random",
		Long: `Draw kernels of HeCBench and print their programs as a table for build --table, in the order in
which they were drawn, with what each needs. The pairs of a file below src/*-cuda and a kernel that it defines,
in the order of their texts "FILE KERNEL", are put into the order of Python's random.Random(SEED).shuffle. Those
of --except are left out, and the first N of the others are drawn.`,
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVar(&sources, "sources", "", "the `DIR` with a checkout of HeCBench")
	f.Uint64Var(&seed, "seed", 20261124, "of the order")
	f.IntVar(&kernels, "kernels", 100, "how many are drawn")
	f.StringVar(&except, "except", "", "leave out what the lines of `FILE` say: a program's folder, or a file and a kernel; a table names its programs")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		if sources == "" || kernels < 1 {
			return errors.New("draw needs --sources, and --kernels of at least 1")
		}
		src := filepath.Join(sources, "HeCBench", "src")
		all, err := kernelsOf(src)
		if err != nil {
			return err
		}
		left := all
		if except != "" {
			text, err := os.ReadFile(except)
			if err != nil {
				return err
			}
			left = without(all, string(text))
		}
		drawn := draw(left, seed, kernels)
		cmd.Printf("# %d of %d kernels, %d of them left out, by random.Random(%d).shuffle\n", len(drawn), len(all), len(all)-len(left), seed)
		return printDraw(cmd.Context(), cmd.OutOrStdout(), src, drawn)
	}
	return cmd
}

// kernelsOf returns the kernels that the files of src's CUDA programs define, sorted.
func kernelsOf(src string) ([]pair, error) {
	var out []pair
	folders, err := filepath.Glob(filepath.Join(src, "*-cuda"))
	if err != nil {
		return nil, err
	}
	if len(folders) == 0 {
		return nil, fmt.Errorf("%s has no CUDA programs", src)
	}
	for _, folder := range folders {
		err := filepath.WalkDir(folder, func(p string, d fs.DirEntry, err error) error {
			if err != nil || !d.Type().IsRegular() || !cudaFile.MatchString(p) {
				return err
			}
			text, err := os.ReadFile(p)
			if err != nil {
				return err
			}
			rel, err := filepath.Rel(src, p)
			for _, k := range kernelsIn(string(text)) {
				out = append(out, pair{filepath.ToSlash(rel), k})
			}
			return err
		})
		if err != nil {
			return nil, err
		}
	}
	slices.SortFunc(out, func(a, b pair) int { return strings.Compare(a.String(), b.String()) })
	return slices.Compact(out), nil
}

var (
	cudaFile   = regexp.MustCompile(`\.(cu|cuh|h|hpp|inl|c|cpp)$`)
	noCode     = regexp.MustCompile(`(?s)/\*.*?\*/|//[^\n]*|"(?:\\.|[^"\\\n])*"|(?m:^[ \t]*#[ \t]*define(?:[^\n]*\\\n)*[^\n]*)`)
	identifier = regexp.MustCompile(`[A-Za-z_]\w*`)
)

// kernelsIn returns the names of the kernels that a text defines, in its order. It knows
// neither macros nor conditions of the preprocessor.
func kernelsIn(text string) (names []string) {
	text = noCode.ReplaceAllString(text, " ")
	for {
		_, rest, found := strings.Cut(text, "__global__")
		if !found {
			return names
		}
		text = rest
		name, end := "", 0
		for { // the name stands in front of the first parentheses that are not an attribute's
			open := strings.IndexByte(rest[end:], '(')
			if open < 0 {
				return names
			}
			words := identifier.FindAllString(templateArguments.ReplaceAllString(rest[end:end+open], " "), -1)
			end = closing(rest, end+open)
			if end < 0 {
				return names
			}
			if len(words) > 0 && words[len(words)-1] != "__launch_bounds__" && words[len(words)-1] != "__attribute__" && words[len(words)-1] != "__cluster_dims__" {
				name = words[len(words)-1]
				break
			}
		}
		if strings.HasPrefix(strings.TrimSpace(rest[end:]), "{") && !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
}

var templateArguments = regexp.MustCompile(`<[^<>()]*>`)

// closing returns the place behind the parenthesis that closes the one at open, or -1.
func closing(text string, open int) int {
	depth := 0
	for i := open; i < len(text); i++ {
		switch text[i] {
		case '(':
			depth++
		case ')':
			if depth--; depth == 0 {
				return i + 1
			}
		}
	}
	return -1
}

// without leaves out the pairs that a list names: by the first word of a line a program's
// folder, by the first two a pair. Lines of a table name programs behind their key.
func without(all []pair, list string) (left []pair) {
	out := map[string]bool{}
	for _, l := range strings.Split(list, "\n") {
		words := strings.Fields(l)
		switch {
		case len(words) == 0 || strings.HasPrefix(l, "#"):
		case len(words) == 1:
			out[strings.TrimSuffix(words[0], "/")] = true
		case words[0] == "program":
			out[words[1]] = true
		default:
			out[words[0]+" "+words[1]] = true
		}
	}
	for _, p := range all {
		if !out[p.program()] && !out[p.String()] {
			left = append(left, p)
		}
	}
	return left
}

// draw returns the first n pairs of sorted ones in the order that the seed gives.
func draw(sorted []pair, seed uint64, n int) []pair {
	order := slices.Clone(sorted)
	newMersenne(seed).shuffle(len(order), func(i, j int) { order[i], order[j] = order[j], order[i] })
	return order[:min(n, len(order))]
}

// hecbench is the suite of all draws; the built-in table has its commit.
func hecbench() (row, error) {
	rows, err := loadTable("", regexp.MustCompile(`^hecbench/`))
	if err != nil {
		return row{}, err
	}
	return rows[0], nil
}

// printDraw writes the programs of pairs as a table.
func printDraw(ctx context.Context, w io.Writer, src string, drawn []pair) error {
	r, err := hecbench()
	if err != nil {
		return err
	}
	var b strings.Builder
	fmt.Fprintf(&b, "suite hecbench\nrepository %s\ncommit %s\nfolder src\nbuild %s\nrun %s\n", r.Suite.Repository, r.Suite.Commit, r.Build, r.Run)
	for _, key := range [][2]string{{"pass", r.Pass}, {"fail", r.Fail}, {"ignore", r.Ignore}} {
		if key[1] != "" {
			fmt.Fprintf(&b, "%s %s\n", key[0], key[1])
		}
	}
	var order []string
	kernels, files := map[string][]string{}, map[string][]string{}
	for _, p := range drawn {
		name := p.program()
		if kernels[name] == nil {
			order = append(order, name)
		}
		if !slices.Contains(kernels[name], p.kernel) {
			kernels[name] = append(kernels[name], p.kernel)
		}
		files[name] = append(files[name], p.String())
	}
	for _, name := range order {
		fmt.Fprintf(&b, "\n")
		for _, f := range files[name] {
			fmt.Fprintf(&b, "# %s\n", f)
		}
		for _, need := range needs(ctx, src, name) {
			fmt.Fprintf(&b, "# needs %s\n", need)
		}
		fmt.Fprintf(&b, "program %s\nkernels %s\n", name, strings.Join(kernels[name], " "))
	}
	_, err = io.WriteString(w, b.String())
	return err
}

var library = regexp.MustCompile(`(?:^|\s)-l([\w+.-]+)`)

// needs says what a program of HeCBench needs beside its folder and the compiler.
func needs(ctx context.Context, src, name string) (list []string) {
	folder := filepath.Join(src, name)
	text, err := os.ReadFile(filepath.Join(folder, "Makefile"))
	if err != nil {
		return []string{"a Makefile"}
	}
	for _, m := range library.FindAllStringSubmatch(string(text), -1) {
		if l := "the library " + m[1]; !slices.Contains(list, l) && m[1] != "m" && m[1] != "stdc++" {
			list = append(list, l)
		}
	}
	run, err := makefileRun(ctx, folder)
	if err != nil {
		return append(list, "a target run: "+err.Error())
	}
	_, lack := outside(path.Dir(filepath.ToSlash(src)), path.Join("src", name), run)
	for _, l := range lack {
		list = append(list, l+", which the repository does not have")
	}
	return list
}
