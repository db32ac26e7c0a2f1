package cudabuild

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"irgl/internal/cxx/hostcode"
	"irgl/internal/source"
	"irgl/internal/table"
)

// SurveyOptions say what is surveyed and how it is compiled.
type SurveyOptions struct {
	Includes []string // folders of headers, of a file's folder and those above it
	Defines  []string // NAME or NAME=VALUE
	Match    string   // of the paths; "" for all
	Target   string
	Files    bool // list the files
}

// fileLimit is how long one file may take.
const fileLimit = 30 * time.Second

// A surveyed is what became of one file.
type surveyed struct {
	suite   string
	path    string
	kernels []hostcode.Kernel
	in      int    // kernels that are in the PTX
	err     string // the first error; "" for an accepted file
	time    time.Duration
}

// Survey compiles the .cu files below folders and prints what became of them.
func Survey(ctx context.Context, folders []string, o SurveyOptions, w io.Writer) error {
	var files []*surveyed
	for _, folder := range folders {
		list, err := find(folder, o.Match)
		if err != nil {
			return err
		}
		files = append(files, list...)
	}
	ptxas := findPtxas()
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range files {
		group.Go(func() error {
			f.compile(ctx, &o, ptxas)
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	return printSurvey(w, files, &o, ptxas != "")
}

// find returns the .cu files below a folder that define kernels.
func find(folder, match string) ([]*surveyed, error) {
	var out []*surveyed
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || filepath.Ext(path) != ".cu" || !strings.Contains(path, match) {
			return err
		}
		text, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		if kernels := hostcode.Kernels(source.NewFile(path, text)); len(kernels) > 0 {
			out = append(out, &surveyed{suite: filepath.Base(filepath.Clean(folder)), path: path, kernels: kernels})
		}
		return nil
	})
	return out, err
}

func findPtxas() string {
	if p := os.Getenv("PTXAS"); p != "" {
		return p
	}
	path, _ := exec.LookPath("ptxas")
	return path
}

// compile compiles one file and compares the kernels of its PTX with those of its text.
func (f *surveyed) compile(ctx context.Context, o *SurveyOptions, ptxas string) {
	start := time.Now()
	defer func() {
		f.time = time.Since(start)
		if v := recover(); v != nil {
			f.err = fmt.Sprintf("panic: %v %s", v, panicPlace(debug.Stack()))
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, fileLimit)
	defer cancel()
	opts := &Options{Target: o.Target}
	for _, d := range o.Defines {
		if err := opts.define(d); err != nil {
			f.err = err.Error()
			return
		}
	}
	opts.Includes = above(f.path, o.Includes)
	d, diags, err := device(ctx, f.path, nil, opts)
	if err != nil {
		f.err = err.Error()
		if diags != nil {
			f.err = firstError(diags, f.err)
		}
		return
	}
	have := map[string]bool{}
	for _, k := range d.Kernels {
		have[baseName(k.Symbol)] = true
	}
	for _, k := range f.kernels {
		switch {
		case have[k.Name]:
			f.in++
		case f.err == "" && k.Template:
			f.err = "a template kernel has no instance: " + k.Name
		case f.err == "":
			f.err = "a kernel is not in the PTX: " + k.Name
		}
	}
	if ptxas != "" && len(d.Kernels) > 0 {
		if err := assemble(ctx, ptxas, d.PTX, cmp.Or(o.Target, "sm_75")); err != nil {
			f.err = "ptxas: " + err.Error()
			f.in = 0
		}
	}
}

// firstError returns the first of the diagnostics that is an error, or what is known.
func firstError(list *source.List, known string) string {
	for _, d := range list.Diags {
		if d.Severity == source.Error {
			return fmt.Sprintf("%s [%s]", d.Message, d.Code)
		}
	}
	return known
}

// above returns folders of headers in a file's folder and the four above it that there are.
func above(path string, folders []string) []string {
	var out []string
	dir := filepath.Dir(path)
	for range 5 {
		for _, f := range folders {
			p := filepath.Join(dir, f)
			if st, err := os.Stat(p); err == nil && st.IsDir() {
				out = append(out, p)
			}
		}
		if up := filepath.Dir(dir); up != dir {
			dir = up
		}
	}
	return out
}

// assemble runs ptxas over a text.
func assemble(ctx context.Context, ptxas, text, target string) error {
	cmd := exec.CommandContext(ctx, ptxas, "-arch="+target, "-o", os.DevNull, "-")
	if runtime.GOOS == "linux" {
		cmd.Args[len(cmd.Args)-1] = "/dev/stdin"
	}
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	if _, failed := errors.AsType[*exec.ExitError](err); failed {
		line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return errors.New(line)
	}
	return err
}

// panicPlace returns the function that a panic came from.
func panicPlace(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "panic(") && i+2 < len(lines) {
			return lines[i+2]
		}
	}
	return ""
}

func printSurvey(w io.Writer, files []*surveyed, o *SurveyOptions, ptxas bool) error {
	if o.Files {
		for _, f := range files {
			if _, err := fmt.Fprintf(w, "%s: %d of %d kernels, %v%s\n", f.path, f.in, len(f.kernels), f.time.Round(time.Millisecond/10), suffix(": ", f.err)); err != nil {
				return err
			}
		}
		fmt.Fprintln(w)
	}
	t := table.New("suite", "files", "accepted", "%", "kernels", "in PTX", "%")
	total := surveyRow{}
	bySuite := map[string]*surveyRow{}
	var suites []string
	errs := map[string]int{}
	for _, f := range files {
		r := bySuite[f.suite]
		if r == nil {
			r = &surveyRow{}
			bySuite[f.suite] = r
			suites = append(suites, f.suite)
		}
		r.add(f)
		total.add(f)
		if f.err != "" {
			errs[general(f.err)]++
		}
	}
	for _, s := range suites {
		t.Add(bySuite[s].cells(s)...)
	}
	t.Add(total.cells("all")...)
	if err := t.WriteMarkdown(w); err != nil {
		return err
	}
	if !ptxas {
		fmt.Fprintln(w, "\nThere is no ptxas: that it takes the PTX was not checked.")
	}
	if len(errs) == 0 {
		return nil
	}
	t = table.New("files", "first error")
	for _, e := range slices.SortedFunc(maps.Keys(errs), func(a, b string) int {
		return cmp.Or(cmp.Compare(errs[b], errs[a]), cmp.Compare(a, b))
	}) {
		t.Add(fmt.Sprint(errs[e]), e)
	}
	fmt.Fprintln(w)
	return t.WriteMarkdown(w)
}

type surveyRow struct{ files, accepted, kernels, in int }

func (r *surveyRow) add(f *surveyed) {
	r.files++
	r.kernels += len(f.kernels)
	r.in += f.in
	if f.err == "" {
		r.accepted++
	}
}

func (r *surveyRow) cells(name string) []string {
	return []string{name, fmt.Sprint(r.files), fmt.Sprint(r.accepted), percent(r.accepted, r.files), fmt.Sprint(r.kernels), fmt.Sprint(r.in), percent(r.in, r.kernels)}
}

func percent(n, of int) string {
	if of == 0 {
		return "-"
	}
	return fmt.Sprintf("%.1f", 100*float64(n)/float64(of))
}

func suffix(sep, s string) string {
	if s == "" {
		return ""
	}
	return sep + s
}

// general returns an error's text without the names in it, so that equal errors are counted together.
func general(text string) string {
	var b strings.Builder
	quoted := false
	for _, c := range text {
		switch {
		case c == '\'' || c == '`':
			quoted = !quoted
			b.WriteRune(c)
			if quoted {
				b.WriteString("...")
			}
		case !quoted:
			b.WriteRune(c)
		}
	}
	if quoted { // an apostrophe
		return text
	}
	return b.String()
}
