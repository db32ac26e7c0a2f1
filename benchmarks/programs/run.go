package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/sync/errgroup"

	"irgl/internal/journal"
)

// A ran is a line of the journal: one run of one build. Turn 0 is the run whose answer is judged,
// without the recorder; nvcc has a second one, "again", where answers differ. Later turns are
// timed.
type ran struct {
	Program string `json:"program"`
	Build   string `json:"build"`
	Turn    int    `json:"turn"`
	Again   bool   `json:"again,omitempty"`
	Binary  string `json:"binary"` // identifies compiler, target and row
	outcome
	End     string   `json:"end,omitempty"` // of the record: exit, limit or signal
	Kernels []kernel `json:"kernels,omitempty"`
}

// key says which run it is; a program that is built anew is run anew.
func (r ran) key() string {
	return fmt.Sprintf("%s %s %d %v %s", r.Program, r.Build, r.Turn, r.Again, r.Binary)
}

// errIncomplete says that the time was over, or the run interrupted, before all was done.
var errIncomplete = errors.New("not all has run: the same command goes on")

// A runner runs programs. Its folder out has
//
//	journal.jsonl
//	output/SUITE/NAME.irgl, NAME.nvcc, NAME.nvcc.again   what was judged: output, and results from files
type runner struct {
	in, out       string
	device        string
	small         bool
	repeat        int
	limit, sample time.Duration
	log           *journal.Journal
	say           func(format string, args ...any)

	mu   sync.Mutex
	done map[string]ran
}

func runCommand() *cobra.Command {
	r := &runner{}
	var only pattern
	var jobs int
	var total time.Duration
	cmd := &cobra.Command{
		Use:   "run --in DIR --out DIR",
		Short: "Run both builds, judge their answers and time their kernels",
		Long: `Run what build or pack has made. First the answers: both builds of each program run once, several
programs at a time. Then the times: builds run by turns, one at a time, with the recorder of kernels, each until its end
or --sample after its first kernel. All goes into a journal, with which the same command goes on where it was
interrupted; exit status 3 says that there is more to do. report prints the tables.

With --device simt irgl's builds run on the emulator, with arguments for small sizes where the table has them, and
nothing is timed; the environment variable IRGL names the emulator.`,
		Args: cobra.NoArgs,
	}
	f := cmd.Flags()
	f.StringVar(&r.in, "in", "", "the `DIR` that build made, or an unpacked archive")
	f.StringVar(&r.out, "out", "", "the `DIR` of the journal and of outputs")
	f.Var(&only, "only", "programs whose names match")
	f.IntVar(&r.repeat, "repeat", 3, "timed runs of each build")
	f.IntVar(&jobs, "jobs", 1, "programs that run at once for their answers")
	f.DurationVar(&r.limit, "limit", 20*time.Second, "of each run")
	f.DurationVar(&r.sample, "sample", 3*time.Second, "end a timed run that long after its first kernel")
	f.DurationVar(&total, "total", 0, "of this command (default: none)")
	f.StringVar(&r.device, "device", "cuda", "cuda or simt")
	cmd.RunE = func(cmd *cobra.Command, _ []string) error {
		switch {
		case r.in == "" || r.out == "":
			return errors.New("run needs --in and --out")
		case r.device != "cuda" && r.device != "simt":
			return fmt.Errorf("--device %s: want cuda or simt", r.device)
		case r.repeat < 0 || jobs < 1 || r.limit <= 0 || r.sample < 0 || total < 0:
			return errors.New("--repeat and times are not negative, --jobs is at least 1")
		}
		programs, err := loadPrograms(r.in, only.Regexp)
		if err != nil {
			return err
		}
		r.say = func(format string, args ...any) { cmd.Printf(format+"\n", args...) }
		ctx := cmd.Context()
		if total > 0 {
			var cancel context.CancelFunc
			ctx, cancel = context.WithTimeout(ctx, total)
			defer cancel()
		}
		return r.all(ctx, programs, jobs)
	}
	return cmd
}

func (r *runner) all(ctx context.Context, programs []program, jobs int) (err error) {
	r.small = r.device == "simt"
	if r.in, err = filepath.Abs(r.in); err != nil {
		return err
	}
	if r.out, err = filepath.Abs(r.out); err != nil {
		return err
	}
	if err := os.MkdirAll(r.out, 0o777); err != nil {
		return err
	}
	var lines []journal.Line
	r.log, lines, err = journal.Resume(filepath.Join(r.out, "journal.jsonl"), journal.Head{Device: r.device, Metric: "ns"})
	if err != nil {
		return err
	}
	if r.done, err = finishedRuns(lines); err != nil {
		return errors.Join(err, r.log.Close())
	}
	err = r.judged(ctx, programs, jobs)
	if err == nil && r.device == "cuda" {
		err = r.timed(ctx, programs)
	}
	if ctx.Err() != nil && (err == nil || errors.Is(err, ctx.Err())) {
		err = errIncomplete
	}
	return errors.Join(err, r.log.Close())
}

// finishedRuns returns the runs of a journal by their keys.
func finishedRuns(lines []journal.Line) (map[string]ran, error) {
	done := map[string]ran{}
	for i, l := range lines {
		if l.Kind != "run" {
			continue
		}
		var x ran
		if err := json.Unmarshal(l.Data, &x); err != nil {
			return nil, fmt.Errorf("run %d of the journal: %w", i+1, err)
		}
		done[x.key()] = x
	}
	return done, nil
}

// builds returns the builds of a program that can run on the device.
func (r *runner) builds(p program) (names []string) {
	for _, c := range compilers {
		if d, ok := p.Builds[c]; ok && d.Reason == "" && (c == "irgl" || r.device == "cuda") {
			names = append(names, c)
		}
	}
	return names
}

// judged runs every build once, and nvcc's once more where the answers differ, since it may differ
// from itself.
func (r *runner) judged(ctx context.Context, programs []program, jobs int) error {
	group, ctx := errgroup.WithContext(ctx)
	group.SetLimit(jobs)
	for _, p := range programs {
		group.Go(func() error {
			for _, b := range r.builds(p) {
				if err := r.once(ctx, p, ran{Program: p.Name, Build: b}); err != nil {
					return err
				}
			}
			v, err := r.verdict(p)
			if err != nil || v.Verdict != fail || r.device != "cuda" || p.Builds["nvcc"].Reason != "" {
				return err
			}
			return r.once(ctx, p, ran{Program: p.Name, Build: "nvcc", Again: true})
		})
	}
	return group.Wait()
}

// verdict judges what has run of a program.
func (r *runner) verdict(p program) (verdict, error) {
	have := map[string]*finished{}
	for _, x := range []ran{{Build: "irgl"}, {Build: "nvcc"}, {Build: "nvcc", Again: true}} {
		x.Program, x.Binary = p.Name, p.Builds[x.Build].Compiler
		r.mu.Lock()
		done, ok := r.done[x.key()]
		r.mu.Unlock()
		if !ok {
			continue
		}
		text, err := os.ReadFile(outputFile(r.out, x))
		if err != nil {
			return verdict{}, err
		}
		have[x.Build+fmt.Sprint(x.Again)] = &finished{done.outcome, string(text)}
	}
	return judge(p.row, have["irglfalse"], have["nvccfalse"], have["nvcctrue"]), nil
}

func outputFile(out string, x ran) string {
	name := filepath.FromSlash(x.Program) + "." + x.Build
	if x.Again {
		name += ".again"
	}
	return filepath.Join(out, "output", name)
}

// timed runs both builds of the programs that have run to their ends or their limits by turns, the
// shortest first: what ends the command early should leave out few.
func (r *runner) timed(ctx context.Context, programs []program) error {
	for _, lib := range []string{"recorder.so", "libcupti.so"} {
		if !exists(filepath.Join(r.in, lib)) {
			r.say("no times: %s has no %s, which build --cupti makes", r.in, lib)
			return nil
		}
	}
	programs = slices.DeleteFunc(slices.Clone(programs), func(p program) bool { return len(r.builds(p)) < 2 || !r.worthTiming(p) })
	slices.SortStableFunc(programs, func(p, q program) int { return cmp.Compare(r.answerSeconds(p), r.answerSeconds(q)) })
	for turn := 1; turn <= r.repeat; turn++ {
		for _, p := range programs {
			order := r.builds(p)
			if turn%2 == 0 {
				order[0], order[1] = order[1], order[0]
			}
			for _, b := range order {
				if err := r.once(ctx, p, ran{Program: p.Name, Build: b, Turn: turn}); err != nil {
					return err
				}
			}
		}
	}
	return nil
}

// answerSeconds is how long both builds took when they were judged.
func (r *runner) answerSeconds(p program) (sum float64) {
	for _, b := range compilers {
		sum += r.done[ran{Program: p.Name, Build: b, Binary: p.Builds[b].Compiler}.key()].Seconds
	}
	return sum
}

// worthTiming reports whether both builds ran in the same way when they were judged.
func (r *runner) worthTiming(p program) bool {
	var status []string
	for _, b := range compilers {
		status = append(status, r.done[ran{Program: p.Name, Build: b, Binary: p.Builds[b].Compiler}.key()].Status)
	}
	usual := func(s string) bool { return s == statusOK || s == statusLimit || strings.HasPrefix(s, "exit ") }
	return usual(status[0]) && (status[0] == status[1] || status[0] != statusOK && status[1] == statusLimit || status[0] == statusLimit && usual(status[1]))
}

// once runs a build unless the journal has the run, and puts it there. A run that ctx has ended
// is not kept.
func (r *runner) once(ctx context.Context, p program, x ran) error {
	x.Binary = p.Builds[x.Build].Compiler
	r.mu.Lock()
	_, known := r.done[x.key()]
	r.mu.Unlock()
	if known {
		return nil
	}
	if err := errors.Join(ctx.Err(), checkDisk(r.out)); err != nil {
		return err
	}
	if err := r.execute(ctx, p, &x); err != nil {
		return fmt.Errorf("%s: %w", p.Name, err)
	}
	if x.Status == statusStopped {
		return ctx.Err()
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.done[x.key()] = x
	r.say("%s %s, turn %d: %s, %.1f s, %d kernels", p.Name, x.Build, x.Turn, x.Status, x.Seconds, len(x.Kernels))
	return r.log.Add("run", x)
}

// execute runs a build in a fresh copy of its inputs.
func (r *runner) execute(ctx context.Context, p program, x *ran) (err error) {
	from := filepath.Join(r.in, "programs", filepath.FromSlash(p.Name))
	work := filepath.Join(r.out, "work", fmt.Sprintf("%s.%s", strings.ReplaceAll(p.Name, "/", "_"), x.Build))
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(work)) }()
	tree := filepath.Join(work, "tree")
	if err := copyTree(filepath.Join(from, "files"), tree); err != nil {
		return err
	}
	folder := filepath.Join(tree, filepath.FromSlash(p.Folder))
	if err := copyTree(filepath.Join(from, x.Build), folder); err != nil {
		return err
	}
	env := []string{"IRGL_DEVICE=" + r.device}
	records := filepath.Join(work, "records")
	if x.Turn > 0 {
		if err := os.MkdirAll(records, 0o777); err != nil {
			return err
		}
		env = append(env, "CUDA_INJECTION64_PATH="+filepath.Join(r.in, "recorder.so"), "KERNELS_OUT="+records,
			"KERNELS_CUPTI="+filepath.Join(r.in, "libcupti.so"), fmt.Sprintf("KERNELS_MAX_MS=%d", r.sample.Milliseconds()))
	}
	command := p.Command
	if r.small && p.Small != "" {
		command = p.Small
	}
	x.outcome = execute(ctx, folder, command, env, r.limit)
	if x.Turn > 0 {
		x.Kernels, x.End, err = readRecords(records)
		return err
	}
	text := x.output
	for _, name := range p.Results {
		text = append(text, result(folder, name)...)
	}
	file := outputFile(r.out, *x)
	if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
		return err
	}
	return os.WriteFile(file, text, 0o666)
}

// maxNumbers is how many numbers of a binary result are compared, evenly spread over it.
const maxNumbers = 10000

// result returns a file that the program has written as text: a text file, or with :f32 behind
// its name the numbers of a binary one.
func result(folder, name string) []byte {
	name, format, _ := strings.Cut(name, ":")
	text, err := os.ReadFile(filepath.Join(folder, filepath.FromSlash(path.Clean(name))))
	if err != nil {
		return fmt.Appendf(nil, "\nresult %s: %v\n", name, errors.Unwrap(err))
	}
	if format != "f32" {
		var b bounded
		_, _ = b.Write(text) // it cannot fail
		return fmt.Appendf(nil, "\nresult %s\n%s", name, b.text())
	}
	n := len(text) / 4
	out := fmt.Appendf(nil, "\nresult %s: %d numbers\n", name, n)
	for i := 0; i < n; i += n/maxNumbers + 1 {
		out = fmt.Appendf(out, "%g\n", math.Float32frombits(binary.LittleEndian.Uint32(text[i*4:])))
	}
	return out
}
