package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"irgl/internal/device"
	"irgl/internal/device/warm"
	"irgl/internal/pass"
	"irgl/internal/source"
)

// Options steer [Scalar].
type Options struct {
	Device device.Device // nil with CompileOnly
	Large  bool          // the large sizes
	Folder string        // of the benchmarks, see [Folder]; "" for those of [Kernels]
	// Macros, name to value, and Include, the folders of included files, are for the files of Folder.
	Macros  map[string]string
	Include []string
	Match   *regexp.Regexp // which benchmarks, by name; nil for all
	// Static counts the instructions of the PTX, and runs nothing.
	Static bool
	Target string // "" for the device's, or "sm_90" on the emulator
	Tools  Tools
	Repeat int // runs of each program; 0 for 15
	// CompileRepeat is how often compile times are taken, 0 for not.
	CompileRepeat int
	// CompileOnly measures compile times only: nothing runs, so that the machine
	// is idle between measurements.
	CompileOnly bool
	// Passes measures each pass separately; otherwise only all passes together are
	// measured against nvcc.
	Passes bool
	// Save is a directory for the PTX of each benchmark, irgl/NAME.ptx and
	// nvcc/NAME.ptx; "" for none.
	Save     string
	Progress func(done, all int, name string) // may be nil
	// Ahead compiles all texts of a benchmark in parallel with the device's
	// compiler before any is loaded; nil compiles them one by one.
	Ahead *warm.Pool
}

// A Result is the row of one benchmark.
type Result struct {
	Name, Suite string
	// Failed is the reason why our PTX has no measure: it did not compile or did
	// not run, or it is one of a folder that cannot ([Result.Left]).
	Failed string
	// NVCCFailed is the reason why nvcc's PTX has no measure, although requested,
	// including outputs that differ from ours.
	NVCCFailed string

	Ours, NVCC   Measure // NVCC.Value is 0 without one
	OursUse      Usage
	NVCCUse      Usage
	OursCost     Cost // to compile, as a process
	NVCCCost     Cost
	InProcess    time.Duration // to compile, without the start of a process, the median of five
	Counts       []pass.Count  // what the passes did
	Instructions [2]int        // lines of PTX that are instructions, ours and nvcc's

	// Off holds, for each of the report's passes, the measure without the pass.
	Off []Variant
	// Steps holds the measures with no pass, with the first, with the first two,
	// and so on.
	Steps []Variant
}

// A Variant is a benchmark with other passes switched on.
type Variant struct {
	Measure
	Same   bool   // the PTX is that of all passes
	Failed string // the reason for failure
}

// A Report is the result of [Scalar].
type Report struct {
	Device  device.Info
	Target  string
	Large   bool
	Metric  string // "ms", "instructions", which warps execute, or "PTX instructions"
	Repeat  int
	Passes  []string // nil if they were not measured
	Results []Result

	CompileOnly   bool
	CompileRepeat int
	Start         Cost // cost of our process when it only prints its version
}

// Scalar runs the benchmarks. An error is about the options or the device; errors of
// a benchmark are in its [Result]. When ctx ends, the report has the finished
// benchmarks, and the error is ctx's; it is nil if there are none.
func Scalar(ctx context.Context, o Options) (*Report, error) {
	rep := newReport(&o)
	chosen, err := o.choose(rep)
	if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "irgl-bench-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	if len(o.Tools.Self) > 0 && o.Tools.NVCC != "" && o.CompileRepeat > 0 {
		start, err := byTurns(ctx, dir, o.CompileRepeat, append(slices.Clone(o.Tools.Self), "--version"))
		if err != nil {
			return nil, err
		}
		rep.Start = start[0]
	}
	for i, s := range chosen {
		if o.Progress != nil {
			o.Progress(i, len(chosen), s.Name)
		}
		b := &bencher{o: &o, rep: rep, dir: dir, spec: s, texts: map[string]int{}}
		b.result.Name, b.result.Suite = s.Name, s.Suite
		err := b.run(ctx)
		if ctx.Err() != nil {
			if len(rep.Results) == 0 {
				return nil, ctx.Err()
			}
			return rep, ctx.Err()
		}
		if err != nil {
			b.result.Failed = o.reason(err)
		}
		rep.Results = append(rep.Results, b.result)
	}
	slices.SortStableFunc(rep.Results, func(x, y Result) int { return strings.Compare(x.Suite, y.Suite) })
	return rep, nil
}

// reason returns why a benchmark failed: the compiler may refuse what a folder has.
func (o *Options) reason(err error) string {
	if o.Folder != "" && source.Diagnostics(err) != nil {
		return refused + firstLine(err)
	}
	return err.Error()
}

// choose returns the benchmarks that the options ask for. Those that are refused are in the
// report.
func (o *Options) choose(rep *Report) ([]*Spec, error) {
	specs, err := Kernels()
	var left []Result
	if o.Folder != "" {
		specs, left, err = Folder(o.Folder, o.Macros, o.Include)
	}
	if err != nil {
		return nil, err
	}
	matches := func(name string) bool { return o.Match == nil || o.Match.MatchString(name) }
	var chosen []*Spec
	for _, s := range specs {
		if matches(s.Name) {
			chosen = append(chosen, s)
		}
	}
	for i := range left {
		if matches(left[i].Name) {
			rep.Results = append(rep.Results, left[i])
		}
	}
	if len(chosen)+len(rep.Results) == 0 {
		if o.Match == nil {
			return nil, fmt.Errorf("there are no kernels in %s", o.Folder)
		}
		return nil, fmt.Errorf("no benchmark's name matches %s", o.Match)
	}
	return chosen, nil
}

// newReport returns a report without results.
func newReport(o *Options) *Report {
	rep := &Report{
		Target: o.Target, Large: o.Large, Metric: "ms", Repeat: o.Repeat, CompileOnly: o.CompileOnly, CompileRepeat: o.CompileRepeat,
	}
	if rep.Repeat == 0 {
		rep.Repeat = 15
	}
	if o.Device != nil && !o.CompileOnly {
		rep.Device = o.Device.Info()
		if _, ok := o.Device.(device.Counting); ok {
			rep.Metric, rep.Repeat = "instructions", 1
		}
	}
	if o.Static {
		rep.Metric, rep.Repeat = MetricStatic, 1
	}
	if rep.Target == "" {
		rep.Target = "sm_90"
		if rep.Device.Kind == "cuda" {
			rep.Target = rep.Device.Target()
		}
	}
	if o.Passes && !o.CompileOnly {
		rep.Passes = PassNames()
	}
	return rep
}

// MetricStatic is the metric of a report of PTX texts that were not run.
const MetricStatic = "PTX instructions"

// A bencher computes the result of one benchmark.
type bencher struct {
	o      *Options
	rep    *Report
	dir    string
	spec   *Spec
	result Result

	x        *instance
	texts    map[string]int // index in programs by PTX text
	programs []*program     // nil where nothing runs
	counts   []int          // for each program, the instructions of its text
	failed   []error        // for each program, the reason why it is not measured
	want     [][]byte
}

// run compiles, compares, measures.
func (b *bencher) run(ctx context.Context) (err error) {
	s, r := b.spec, &b.result
	if r.OursCost, r.NVCCCost, err = b.o.Tools.compileTimes(ctx, b.dir, s, b.rep.Target, b.o.CompileRepeat); err != nil {
		return err
	}
	text, err := b.compile()
	if err != nil {
		return err
	}
	theirs, _, err := b.o.Tools.nvcc(ctx, b.dir, s, b.rep.Target)
	if err != nil {
		r.NVCCFailed = err.Error()
	}
	if err := b.save(text, theirs); err != nil {
		return err
	}
	r.Instructions = [2]int{instructions(text), instructions(theirs)}
	if b.o.CompileOnly {
		return nil
	}
	if b.o.Static {
		b.add(ctx, text)
		off, steps := b.variants(ctx)
		return errors.Join(b.count(off, steps), b.usage(ctx, text, theirs, -1))
	}
	if err := s.runnable(ctx, text, b.o.Large); err != nil {
		return errors.Join(err, b.usage(ctx, text, theirs, -1))
	}
	if b.x, err = newInstance(b.o.Device, s, b.o.Large); b.x != nil {
		defer func() {
			// Closing would wait for a kernel that an interrupt left running. The memory
			// is freed with the device.
			if ctx.Err() == nil {
				err = errors.Join(err, b.close())
			}
		}()
	}
	if err != nil {
		return err
	}
	ours := b.add(ctx, text)
	if b.failed[ours] != nil {
		return b.failed[ours]
	}
	nvcc := -1
	if theirs != "" {
		if nvcc = b.add(ctx, theirs); b.failed[nvcc] != nil {
			r.NVCCFailed = b.failed[nvcc].Error()
		}
	}
	if err := b.usage(ctx, text, theirs, nvcc); err != nil {
		return err
	}
	off, steps := b.variants(ctx)
	measures, err := b.measure(ctx)
	if err != nil {
		return err
	}
	r.Ours = measures[ours]
	if nvcc >= 0 {
		r.NVCC = measures[nvcc]
	}
	r.Off, r.Steps = b.resolveVariants(off, measures), b.resolveVariants(steps, measures)
	return nil
}

// count makes the numbers of instructions of the texts the measures.
func (b *bencher) count(off, steps []pending) error {
	measures := make([]Measure, len(b.counts))
	for i, n := range b.counts {
		measures[i].Value = float64(n)
	}
	r := &b.result
	r.Ours = measures[0]
	r.Off, r.Steps = b.resolveVariants(off, measures), b.resolveVariants(steps, measures)
	return nil
}

// compile compiles in this process, five times to measure the time.
func (b *bencher) compile() (string, error) {
	var text string
	var times []float64
	for range 5 {
		start := time.Now()
		t, stats, err := b.spec.Compile(b.rep.Target, nil, false)
		if err != nil {
			return "", err
		}
		text, b.result.Counts = t, stats.All()
		times = append(times, float64(time.Since(start)))
	}
	b.result.InProcess = time.Duration(median(times))
	return text, nil
}

// close unloads the programs and frees the buffers.
func (b *bencher) close() error {
	var errs []error
	for _, p := range b.programs {
		if p != nil {
			errs = append(errs, p.module.Close())
		}
	}
	return errors.Join(append(errs, b.x.close())...)
}

// save writes the PTX where the options ask for it.
func (b *bencher) save(ours, nvcc string) error {
	for dir, text := range map[string]string{"irgl": ours, "nvcc": nvcc} {
		if b.o.Save == "" || text == "" {
			continue
		}
		dir = filepath.Join(b.o.Save, dir)
		if err := os.MkdirAll(dir, 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(filepath.Join(dir, b.spec.Name+".ptx"), []byte(text), 0o666); err != nil {
			return err
		}
	}
	return nil
}

// add loads a text, unless it is loaded already, runs it and compares its
// results with those of the first one. It returns the program's index.
func (b *bencher) add(ctx context.Context, text string) int {
	if i, ok := b.texts[text]; ok {
		return i
	}
	i := len(b.programs)
	b.texts[text] = i
	b.counts = append(b.counts, instructions(text))
	if b.o.Static {
		b.programs, b.failed = append(b.programs, nil), append(b.failed, nil)
		return i
	}
	p, err := b.x.load(text)
	b.programs = append(b.programs, p)
	if err == nil {
		_, err = b.x.run(ctx, p)
	}
	var got [][]byte
	if err == nil {
		got, err = b.x.results()
	}
	if err == nil && b.want != nil {
		err = b.spec.compare(got, b.want)
	}
	b.failed = append(b.failed, err)
	if b.want == nil && err == nil {
		b.want = got
	}
	return i
}

// usage queries ptxas, or else the device.
func (b *bencher) usage(ctx context.Context, ours, theirs string, nvcc int) error {
	if b.o.Tools.PTXAS == "" {
		if b.rep.Device.Kind != "cuda" || len(b.programs) == 0 || b.programs[0] == nil {
			return nil // what the emulator calls registers are PTX's
		}
		b.result.OursUse = b.programs[0].usage()
		if nvcc >= 0 && b.programs[nvcc] != nil {
			b.result.NVCCUse = b.programs[nvcc].usage()
		}
		return nil
	}
	var err1, err2 error
	b.result.OursUse, err1 = b.o.Tools.ptxas(ctx, b.dir, ours, b.rep.Target)
	b.result.NVCCUse, err2 = b.o.Tools.ptxas(ctx, b.dir, theirs, b.rep.Target)
	return errors.Join(err1, err2)
}

// A pending is a variant before measurement: the index of its program, or the
// reason why there is none.
type pending struct {
	program int
	err     error
}

// variants compiles the benchmark without each pass, and with a growing set of
// passes.
func (b *bencher) variants(ctx context.Context) (off, steps []pending) {
	passes := b.rep.Passes
	var without [][]string
	for i := range passes {
		without = append(without, passes[i:i+1])
	}
	for i := range passes {
		without = append(without, passes[i:])
	}
	var list []pending
	for _, t := range b.compileAll(ctx, without) {
		if t.err != nil {
			list = append(list, pending{-1, t.err})
			continue
		}
		i := b.add(ctx, t.text)
		list = append(list, pending{i, b.failed[i]})
	}
	off, steps = list[:len(passes)], list[len(passes):]
	if len(passes) > 0 {
		steps = append(steps, pending{0, nil})
	}
	return off, steps
}

// A variantText is the PTX of a variant, or the reason why there is none.
type variantText struct {
	text string
	err  error
}

// compileAll compiles the benchmark with each set of passes, on all processors,
// and compiles new texts ahead with the device's compiler.
func (b *bencher) compileAll(ctx context.Context, without [][]string) []variantText {
	list := make([]variantText, len(without))
	var wait sync.WaitGroup
	slots := make(chan struct{}, runtime.GOMAXPROCS(0))
	for i, names := range without {
		slots <- struct{}{}
		wait.Go(func() {
			if list[i].err = ctx.Err(); list[i].err == nil {
				list[i].text, _, list[i].err = b.spec.Compile(b.rep.Target, Without(names...), false)
			}
			<-slots
		})
	}
	wait.Wait()
	if b.o.Ahead != nil {
		var texts []warm.Text
		for _, c := range list {
			if _, loaded := b.texts[c.text]; c.err == nil && !loaded {
				texts = append(texts, warm.Text{Name: b.spec.Name, PTX: c.text})
			}
		}
		_ = b.o.Ahead.Compile(ctx, texts) // texts that failed are compiled when loaded
	}
	return list
}

// measure measures the programs that run and whose results are right.
func (b *bencher) measure(ctx context.Context) ([]Measure, error) {
	var good []*program
	var places []int
	for i, p := range b.programs {
		if b.failed[i] == nil {
			good, places = append(good, p), append(places, i)
		}
	}
	list, err := b.x.measure(ctx, good, b.rep.Repeat)
	if err != nil {
		return nil, err
	}
	measures := make([]Measure, len(b.programs))
	for k, i := range places {
		measures[i] = list[k]
	}
	return measures, nil
}

func (b *bencher) resolveVariants(list []pending, measures []Measure) []Variant {
	var out []Variant
	for _, p := range list {
		v := Variant{Same: p.program == 0}
		if p.err != nil {
			v.Failed = p.err.Error()
		} else {
			v.Measure = measures[p.program]
		}
		out = append(out, v)
	}
	return out
}
