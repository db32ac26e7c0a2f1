package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"irgl/internal/atomicfile"
	"irgl/internal/compile"
	"irgl/internal/engine"
	"irgl/internal/infile"
	"irgl/internal/source"
	"irgl/mesh"
)

// runFlags are the flags of irgl run that do not depend on the program.
type runFlags struct {
	graphFlags
	mesh     string
	outMesh  string
	device   string
	verify   bool
	json     bool
	out      string
	ptx      string
	reports  string
	workers  int
	capacity int
	room     int
	seed     uint64
	prepare  string
	repeat   int
	stats    bool
	trace    string
	tune     string
	tuning   string
	program  string
	compile  compileFlags
}

func (f *runFlags) add(flags *pflag.FlagSet) {
	grouped(flags, groupInput, func() {
		f.graphFlags.add(flags)
		flags.StringVar(&f.mesh, "mesh", "", "read the mesh of a program that has one in `FILE`: .node, .ele or .poly (Triangle), .gr3 or .grd (SCHISM); --gen points:N[:seed=S] makes one")
	})
	grouped(flags, groupOutput, func() {
		flags.StringVar(&f.out, "out", "", "write the values of all nodes to `FILE`, compressed if it ends in .gz or .zst (- for standard output)")
		flags.StringVar(&f.outMesh, "out-mesh", "", "write the mesh that the program leaves to `FILE`, in the format of its ending or as a picture (.svg)")
		flags.BoolVar(&f.json, "json", false, "print the result as one JSON object")
		flags.BoolVar(&f.verify, "verify", false, "compare the answer with an independent one, node by node (bundled programs)")
	})
	grouped(flags, groupDevice, func() {
		flags.StringVar(&f.device, "device", "auto", "run on `DEVICE` auto, cuda (or cuda:1, ...), cpu, interp, simt")
		flags.StringVar(&f.prepare, "prepare", "auto", "on cuda and simt make the graph fit the program on `WHERE`: device, host, or auto, the device for cuda; what it has no memory for is done on the host")
		flags.IntVar(&f.workers, "workers", 0, "run the cpu device with `N` threads (default: one a processor)")
		flags.IntVar(&f.capacity, "capacity", 0, "give worklists room for `N` items at first (default: the program's own choice); lists grow")
		flags.IntVar(&f.room, "room", 0, "give a mesh room for `N` points and elements beyond its own at first; meshes grow")
		flags.Uint64Var(&f.seed, "seed", 0, "permute the order of what has none by `SEED`, on simt and interp")
		flags.IntVar(&f.repeat, "repeat", 1, "run `N` times and report the median time")
	})
	grouped(flags, groupSwitches, func() {
		flags.StringVar(&f.program, "program", "", "solve the problem by `PROGRAM` rather than by the one that suits the graph")
		flags.StringVar(&f.tune, "tune", "auto", "with `MODE` auto, choose the throughput switches by the tuning file, or else by the graph; with off, choose none")
		addTuning(flags, &f.tuning)
	})
	f.compile.add(flags)
	grouped(flags, groupDebug, func() {
		flags.BoolVar(&f.stats, "stats", false, "print what each kernel took: time, launches, items popped, pushed and retried; atomics, barriers and transactions on simt")
		flags.StringVar(&f.trace, "trace", "", "write when each kernel and copy ran to `FILE`, for chrome://tracing or ui.perfetto.dev")
		flags.StringVar(&f.reports, "report", "", "report what the emulator (--device simt) finds: `FORMAT[:FILE]`, of text, json, sarif and junit, or several with commas between them")
		flags.StringVar(&f.ptx, "ptx", "", "run the PTX in `FILE` in place of the compiler's (cuda, simt)")
	})
}

// addTuning adds the flag that names the tuning file.
func addTuning(flags *pflag.FlagSet, path *string) {
	flags.StringVar(path, "tuning", engine.TuningFile(), "the tuning file that irgl tune writes and irgl run reads: `FILE`")
}

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run PROBLEM|PROGRAM|FILE.irgl --graph FILE | --gen SPEC [program's flags]",
		Short: "Solve a problem on a graph, or run a program",
		Long: `Solve a problem on a graph, or run a bundled program or one in a file.

'irgl programs' lists the problems and the programs that solve them. For a problem the
program runs that suits the graph and the device: the fastest that 'irgl tune' has found
for this graph, or else the one for graphs of its kind. --program says which one is to
run. A program whose name is not a problem's can be named in place of the problem.

The parameters of the program's Host function are flags: node src is --src N
(and --source N), double damping is --damping X. Nodes have the numbers of the
graph's file. 'irgl run PROGRAM --help' lists them.

On cuda and simt a program is compiled with the throughput switches (--outline to
--block) that suit the graph: those that 'irgl tune' has found for it or for one like
it, or else a default for its kind. Any of these switches on the command line turns
the choice off for all of them, and --tune=off runs the program without any; --explain
and --json say which were used and why.

` + partsHelp + `

The summary of the result goes to standard output: for each output property the
number of nodes whose value was set, and the minimum, maximum and sum of those;
each output value. --json prints them as an object, --out writes all values.`,
		Example: `  irgl run bfs --gen rmat:20:8 --source 0
  irgl run sssp --graph USA-road-d.NY.gr.gz --source 1 --verify
  irgl run pr --graph wiki-Vote.txt --tolerance 1e-12 --out ranks.txt
  irgl run tri --graph web.el.gz --program tri_or`,
		DisableFlagsInUseLine: true,
		// The program's own flags are not known before its text is read.
		DisableFlagParsing: true,
	}
	f.add(cmd.Flags())
	cmd.Flags().SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.main(cmd, args) }
	cmd.ValidArgsFunction = f.completeRun
	return cmd
}

// main parses the flags with those of the program added, and runs it.
func (f *runFlags) main(cmd *cobra.Command, args []string) error {
	flags := cmd.Flags()
	name := programArg(flags, args)
	if name == "" {
		if wantsHelp(args) {
			return cmd.Help()
		}
		if i := slices.IndexFunc(args, func(a string) bool { return strings.HasPrefix(a, "-") && strings.HasSuffix(a, ".irgl") }); i >= 0 {
			return usagef(cmd, "name a program; a file whose name starts with a dash is named ./%s", args[i])
		}
		return usagef(cmd, "name a program: a bundled one (%s) or an .irgl file", strings.Join(engine.Programs(), ", "))
	}
	c, err := choose(cmd, name, flagArg(args, "program"))
	if err != nil {
		return err
	}
	var values []*paramFlag
	grouped(flags, groupProgram, func() { values, err = c.addParams(flags) })
	if err != nil {
		return err
	}
	if wantsHelp(args) {
		cmd.Long = c.doc() + "\n\n" + cmd.Long
		return cmd.Help()
	}
	if err := flags.Parse(args); err != nil {
		return flagError(cmd, err)
	}
	if rest := flags.Args(); len(rest) > 1 {
		return usagef(cmd, "one program a run: unexpected %q%s", rest[1], flagValueHint(cmd, rest[1]))
	}
	if err := errors.Join(named(cmd), f.check(cmd, &c)); err != nil {
		return err
	}
	if _, mesh := c.solvers[0].Needs(); !mesh && (f.mesh != "" || f.outMesh != "" || f.room != 0) {
		return usagef(cmd, "%s has no mesh", c.solvers[0].Name())
	}
	c.solvers[0].Warnings(cmd.ErrOrStderr())
	return f.run(cmd, &c, values)
}

// check refuses flags that cannot work before anything is read.
func (f *runFlags) check(cmd *cobra.Command, c *chosen) error {
	if _, _, err := engine.ParseDevice(f.device); err != nil {
		return &usageError{cmd.CommandPath(), err}
	}
	limits := engine.Options{Workers: f.workers, Capacity: f.capacity, Room: f.room, Prepare: f.prepare}.Check()
	switch {
	case f.repeat < 1:
		return usagef(cmd, "--repeat %d: run at least once", f.repeat)
	case limits != nil:
		return usagef(cmd, "--%w", limits)
	case f.format != "" && f.gen != "":
		return usagef(cmd, "--format is that of a file, and --gen makes the graph")
	case f.verify && !c.solvers[0].Known():
		return usagef(cmd, "--verify: only bundled programs have an answer to compare with")
	case f.out == "-" && f.json:
		return usagef(cmd, "--out - and --json would mix on standard output: name a file")
	case f.outMesh == "-":
		return usagef(cmd, "--out-mesh -: a mesh needs a file")
	case f.trace == "-":
		return usagef(cmd, "--trace -: the trace needs a file")
	case c.problem != "" && f.ptx != "":
		return usagef(cmd, "--ptx: the PTX is that of one program: say which by --program")
	case f.tune != "auto" && f.tune != "off":
		return usagef(cmd, "--tune %s: there are auto and off", f.tune)
	}
	if f.reports != "" && f.device != "simt" {
		return usagef(cmd, "--report is about what the emulator finds: --device simt")
	}
	if f.outMesh != "" {
		if err := mesh.CheckPath(f.outMesh); err != nil {
			return usagef(cmd, "--out-mesh %w", err)
		}
	}
	// A result that cannot be stored is better known before the run.
	if f.out == "-" {
		if err := checkStdout(cmd); err != nil {
			return err
		}
	}
	return f.checkFiles(cmd)
}

// checkFiles checks the names of the files to be written.
func (f *runFlags) checkFiles(cmd *cobra.Command) error {
	named := map[string]string{} // the flag, by the path
	for _, flag := range []struct{ name, file string }{{"out", f.out}, {"trace", f.trace}, {"out-mesh", f.outMesh}} {
		if flag.file == "" || flag.file == "-" {
			continue
		}
		dir, err := filepath.EvalSymlinks(filepath.Dir(flag.file))
		if err != nil {
			return err
		}
		path := filepath.Join(dir, filepath.Base(flag.file))
		if info, err := os.Stat(path); err == nil {
			if !info.Mode().IsRegular() {
				continue // /dev/null takes all
			}
			if path, err = filepath.EvalSymlinks(path); err != nil {
				return err
			}
		}
		if path, err = filepath.Abs(path); err != nil {
			return err
		}
		if other := named[path]; other != "" {
			return usagef(cmd, "--%s and --%s are both %s: name two files", other, flag.name, flag.file)
		}
		named[path] = flag.name
	}
	return nil
}

func wantsHelp(args []string) bool {
	return slices.Contains(args, "--help") || slices.Contains(args, "-h")
}

func (f *runFlags) run(cmd *cobra.Command, c *chosen, values []*paramFlag) error {
	ctx, p := cmd.Context(), c.solvers[0]
	args := engine.Args{}
	for _, v := range values {
		if f := cmd.Flags().Lookup("source"); v.param.Name != "source" && f != nil && f.Value == pflag.Value(v) && f.Changed && cmd.Flags().Changed(v.param.Name) {
			return usagef(cmd, "--source and --%s are the same: give one of them", v.param.Name)
		}
		if v.value != nil {
			if err := c.allows(v); err != nil {
				return usagef(cmd, "--%s %v: %w", v.param.Name, v.value, err)
			}
			args[v.param.Name] = v.value
		} else if v.param.Default == "" {
			return usagef(cmd, "%s needs --%s (%s)", p.Name(), v.param.Name, v.param.Type)
		}
	}
	o := engine.Options{Device: f.device, Workers: f.workers, Seed: f.seed, Capacity: f.capacity, Room: f.room, Prepare: f.prepare, Stats: f.stats, Trace: f.trace != "", Stdout: cmd.OutOrStdout()}
	if f.json || f.out == "-" {
		o.Stdout = rawStderr(cmd) // standard output is for the result alone
	}
	if err := f.compile.set(&o.Compile, cmd.ErrOrStderr()); err != nil {
		return &usageError{cmd.CommandPath(), err}
	}
	o.Auto, o.Tuning = f.tune == "auto" && !f.compile.switched(cmd.Flags()), f.tuning
	if f.ptx != "" {
		text, err := infile.ReadFile(ctx, f.ptx)
		if err != nil {
			return err
		}
		if len(bytes.TrimSpace(text)) == 0 {
			return fmt.Errorf("%s is empty: it has no PTX to run", f.ptx)
		}
		o.PTX = string(text)
	}
	reporter, err := newReporter(cmd, p.Name(), f.reports, o.Seed)
	if err != nil {
		return err
	}
	if f.weights != "" { // made where the graph is prepared
		if o.Weights.Max, o.Weights.Seed, err = parseWeights(f.weights); err != nil {
			return &usageError{cmd.CommandPath(), err}
		}
		f.weights = ""
	}
	o.Opening = engine.OpenAhead(f.device)
	defer o.Opening.Close()
	start := time.Now()
	in, err := f.input(cmd, p)
	if err != nil {
		return err
	}
	loaded := time.Since(start)
	from := ""
	if c.problem != "" {
		o.Runs = f.repeat
		if p, from, err = engine.Choose(ctx, c.problem, in.Graph, args, o); err != nil {
			return err
		}
	}
	working := spin(cmd, "compiling "+p.Name())
	o.SlowBuild = func() { working.say(cmd, "building "+p.Name()+" for the CPU with the Go toolchain") }
	x, err := p.CompileFor(ctx, o, in)
	working.done()
	if err != nil {
		return err
	}
	defer x.Close()
	notes := 0
	note := func() {
		for ; notes < len(x.Notes()); notes++ {
			fmt.Fprintf(cmd.ErrOrStderr(), "irgl: note: %s\n", x.Notes()[notes])
		}
	}
	note()
	if f.compile.explain {
		if err := f.explain(cmd, p, x, in, o.Compile); err != nil {
			return err
		}
	}
	working = spin(cmd, "running "+p.Name())
	r, repeats, err := runRepeated(func() (*engine.Result, error) { return x.RunOn(ctx, in, args) }, f.repeat)
	working.done()
	total := time.Since(began) - repeats
	note() // of what the graph has made known
	if err := errors.Join(err, reporter.report(cmd, x, err)); err != nil {
		return err
	}
	r.Problem, r.ProgramFrom = c.problem, from
	r.Times.Account(loaded, total)
	return f.report(cmd, x, r)
}

// explain says which switches the program is compiled with for its input, and what
// they make of its loops.
func (f *runFlags) explain(cmd *cobra.Command, p *engine.Program, x *engine.Executable, in engine.Input, o compile.Options) error {
	if err := x.Prepare(cmd.Context(), in.Graph); err != nil {
		return err
	}
	switches, from := x.Switches()
	if _, err := fmt.Fprintf(cmd.ErrOrStderr(), "switches: %s (%s)\n", switches.OrNone(), from); err != nil {
		return err
	}
	o.Lower = switches.Options()
	return f.compile.explained(cmd.ErrOrStderr(), p.Name()+".irgl", p.Source(), o)
}

// runRepeated runs n times and returns the result with the median time, and what the other
// runs took; the first run's preparation counts.
func runRepeated(once func() (*engine.Result, error), n int) (*engine.Result, time.Duration, error) {
	var results []*engine.Result
	var others float64 // ms
	for range n {
		r, err := once()
		if err != nil {
			return nil, 0, err
		}
		results = append(results, r)
		others += r.Times.Run
	}
	first := results[0].Times
	slices.SortStableFunc(results, func(a, b *engine.Result) int { return cmp.Compare(a.Times.Run, b.Times.Run) })
	r := results[(n-1)/2]
	r.Times.Prepare, r.Times.PrepareOnDevice, r.Times.Upload = first.Prepare, first.PrepareOnDevice, first.Upload
	return r, time.Duration((others - r.Times.Run) * float64(time.Millisecond)), nil
}

// report verifies the result, writes the values, and prints the summary.
func (f *runFlags) report(cmd *cobra.Command, x *engine.Executable, r *engine.Result) error {
	var verdict error
	if f.verify {
		working := spin(cmd, "verifying")
		verdict = x.Verify(cmd.Context(), r)
		working.done()
		if verdict != nil && r.Verified() == nil {
			return verdict
		}
	}
	if f.out != "" {
		if err := writeValues(cmd, f.out, r); err != nil {
			return err
		}
	}
	if f.trace != "" {
		if err := writeTo(cmd.Context(), cmd, f.trace, r.WriteTrace); err != nil {
			return err
		}
	}
	if !f.stats {
		r.Kernels = nil // recorded for the trace alone
	}
	var err error
	if f.outMesh != "" {
		if err := writeMesh(cmd, f.outMesh, r); err != nil {
			return err
		}
	}
	switch {
	case f.json:
		err = json.NewEncoder(cmd.OutOrStdout()).Encode(r)
	case f.out == "-": // standard output has the values, and nothing else
		err = printResult(cmd.ErrOrStderr(), x, r)
	default:
		err = printResult(cmd.OutOrStdout(), x, r)
	}
	return errors.Join(verdict, err)
}

// writeValues writes the values to a file, compressed if its ending says so, or to
// standard output.
func writeValues(cmd *cobra.Command, path string, r *engine.Result) error {
	if path == "-" {
		return r.WriteValues(cmd.OutOrStdout())
	}
	return atomicfile.WriteCompressed(cmd.Context(), path, r.WriteValues)
}

// printResult writes what people want to see of a result.
func printResult(w io.Writer, x *engine.Executable, r *engine.Result) error {
	kind, about := x.Device()
	if r.Problem != "" {
		if _, err := fmt.Fprintf(w, "%s by %s (%s)\n", r.Problem, r.Program, r.ProgramFrom); err != nil {
			return err
		}
	}
	size := r.Size()
	if _, err := fmt.Fprintf(w, "%s on %s (%s): %s\n", source.Visible(r.Program), kind, about, size); err != nil {
		return err
	}
	if err := r.WriteSummary(w); err != nil {
		return err
	}
	if same := r.Verified(); same != nil && *same {
		fmt.Fprintln(w, "verified: the answer is right")
	}
	if r.Kernels != nil {
		if err := r.WriteStats(w); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "time: %s; %d iterations, %d launches\n", r.Times, r.Iterations, r.Launches)
	return err
}
