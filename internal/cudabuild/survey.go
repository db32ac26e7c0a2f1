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
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
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
	NoHost   bool // do not ask the host's compiler for the instances of templates
}

// fileLimit is how long one file may take.
const fileLimit = 30 * time.Second

// A surveyed is what became of one file.
type surveyed struct {
	suite   string
	path    string
	kernels []hostcode.Kernel
	in      int             // kernels that are in the PTX
	have    map[string]bool // the kernels of the PTX
	parts   []string        // the files that it includes
	partOf  string          // a file that includes this one and has its kernels
	err     string          // the first error; "" for an accepted file
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
	var hosts *builder
	if !o.NoHost {
		dir, err := os.MkdirTemp("", "irgl-survey-")
		if err != nil {
			return err
		}
		defer os.RemoveAll(dir)
		hosts = surveyHost(ctx, dir)
	}
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	for _, f := range files {
		group.Go(func() error {
			f.compile(ctx, &o, ptxas, hosts)
			return ctx.Err()
		})
	}
	if err := group.Wait(); err != nil {
		return err
	}
	adoptParts(files)
	files = slices.DeleteFunc(files, func(f *surveyed) bool { return len(f.kernels) == 0 })
	return printSurvey(w, files, &o, ptxas != "", hosts != nil)
}

// surveyHost returns a builder whose commands say nothing, or nil without a compiler.
func surveyHost(ctx context.Context, dir string) *builder {
	h, err := newHost(ctx, &Options{}, io.Discard, io.Discard)
	if err != nil {
		return nil
	}
	rt, err := newRuntime(h)
	if err != nil {
		return nil
	}
	return &builder{host: h, runtime: rt, dir: dir}
}

// stubs returns the symbols of the kernels that a source's host code launches; nil when
// the host's compiler does not take it.
func (b *builder) stubs(ctx context.Context, path string, o *Options) []string {
	dir, err := os.MkdirTemp(b.dir, "file-")
	if err != nil {
		return nil
	}
	defer os.RemoveAll(dir)
	h := *b.host
	h.ctx, h.opts = ctx, o
	asm, err := (&builder{host: &h, runtime: b.runtime, dir: dir}).assemblerText(path, filepath.Join(dir, "a"))
	if err != nil {
		return nil
	}
	kernels, _ := hostcode.Symbols(asm)
	return kernels
}

// adoptParts accepts files that do not compile by themselves, since they are parts of
// others that include them, where those have all of their kernels.
func adoptParts(files []*surveyed) {
	byPath := map[string][]*surveyed{}
	for _, f := range files {
		for _, p := range f.parts {
			byPath[filepath.Clean(p)] = append(byPath[filepath.Clean(p)], f)
		}
	}
	for _, f := range files {
		if f.err == "" {
			continue
		}
		for _, whole := range byPath[filepath.Clean(f.path)] {
			if whole.hasAll(f.kernels) {
				f.err, f.in, f.partOf = "", len(f.kernels), whole.path
				break
			}
		}
	}
}

func (f *surveyed) hasAll(kernels []hostcode.Kernel) bool {
	for _, k := range kernels {
		if !f.have[k.Name] {
			return false
		}
	}
	return true
}

// includesSource finds the inclusion of a source: of kernels, perhaps.
var includesSource = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)^\s*#\s*include\s*["<][^">]*\.cuh?[">]`)
})

// find returns the .cu files below a folder that define kernels, and those that include
// sources, which may.
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
		kernels := hostcode.Kernels(source.NewFile(path, text))
		if len(kernels) > 0 || includesSource().Match(text) {
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
func (f *surveyed) compile(ctx context.Context, o *SurveyOptions, ptxas string, hosts *builder) {
	start := time.Now()
	defer func() {
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
	opts.takeMakefile(filepath.Dir(f.path))
	opts.Includes = append(opts.Includes, above(f.path, o.Includes)...)
	d, diags, err := device(ctx, f.path, nil, opts)
	f.time = time.Since(start)
	if err == nil && hosts != nil && !f.count(d) {
		if kernels := hosts.stubs(ctx, f.path, opts); kernels != nil {
			d, diags, err = device(ctx, f.path, kernels, opts)
		}
	}
	if err != nil {
		f.err = err.Error()
		if diags != nil {
			f.err = firstError(diags, f.err)
		}
		return
	}
	f.parts = d.Includes
	f.count(d)
	for _, k := range f.kernels {
		switch {
		case f.have[k.Name] || f.err != "":
		case k.Template:
			f.err = "a template kernel has no instance: '" + k.Name + "'"
		default:
			f.err = "a kernel is not in the PTX: '" + k.Name + "'"
		}
	}
	if ptxas != "" && len(d.Kernels) > 0 {
		if err := assemble(ctx, ptxas, d.PTX, cmp.Or(o.Target, "sm_75")); err != nil {
			f.err, f.in = "ptxas: "+err.Error(), 0
		}
	}
}

// count notes which kernels the PTX has and reports whether it has all.
func (f *surveyed) count(d *Device) bool {
	f.have, f.in = map[string]bool{}, 0
	for _, k := range d.Kernels {
		f.have[baseName(k.Symbol)] = true
	}
	for _, k := range f.kernels {
		if f.have[k.Name] {
			f.in++
		}
	}
	return f.in == len(f.kernels)
}

// makeFlag is a flag of a Makefile that says what a source is compiled with; one that
// depends on a variable is left alone.
var makeFlag = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?m)\s-([ID])\s*([^\s$()"'\\]+)(?:\s|$)`)
})

// takeMakefile takes the folders and macros of the Makefile in a folder.
func (o *Options) takeMakefile(dir string) {
	text, err := os.ReadFile(filepath.Join(dir, "Makefile"))
	if err != nil {
		return
	}
	for _, m := range makeFlag().FindAllSubmatch(text, -1) {
		value := string(m[2])
		if m[1][0] == 'D' {
			_ = o.define(value)
		} else if !filepath.IsAbs(value) {
			o.Includes = append(o.Includes, filepath.Join(dir, value))
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

func printSurvey(w io.Writer, files []*surveyed, o *SurveyOptions, ptxas, host bool) error {
	if o.Files {
		for _, f := range files {
			if _, err := fmt.Fprintf(w, "%s: %d of %d kernels, %v%s\n", f.path, f.in, len(f.kernels), f.time.Round(time.Millisecond/10), suffix(": ", f.err)+suffix(", as a part of ", f.partOf)); err != nil {
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
	if !host {
		fmt.Fprintln(w, "\nThe host's compiler was not asked for the instances of template kernels: those are known that launches name.")
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
