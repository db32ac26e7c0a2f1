package main

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"irgl/internal/compile"
	"irgl/internal/engine"
	"irgl/internal/infile"
	"irgl/internal/lower"
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
	workers  int
	capacity int
	room     int
	seed     uint64
	repeat   int
	stats    bool
	trace    string
	tune     string
	tuning   string
	family   bool
	compile  compileFlags
}

func (f *runFlags) add(flags *pflag.FlagSet) {
	f.graphFlags.add(flags)
	flags.StringVar(&f.mesh, "mesh", "", "read the mesh of a program that has one in `FILE`: .node, .ele or .poly (Triangle), .gr3 or .grd (SCHISM); --gen points:N[:seed=S] makes one")
	flags.StringVar(&f.outMesh, "out-mesh", "", "write the mesh that the program leaves to `FILE`, in the format of its ending or as a picture (.svg)")
	flags.StringVar(&f.device, "device", "auto", "run on `DEVICE`: auto, cuda (or cuda:1, ...), cpu, interp, simt")
	flags.BoolVar(&f.verify, "verify", false, "compare the answer with an independent one, node by node (bundled programs)")
	flags.BoolVar(&f.json, "json", false, "print the result as one JSON object")
	flags.StringVar(&f.out, "out", "", "write the values of all nodes to `FILE` (- for standard output)")
	flags.BoolVar(&f.stats, "stats", false, "print what each kernel took: time, launches, items popped, pushed and retried; atomics, barriers and transactions on simt")
	flags.StringVar(&f.trace, "trace", "", "write when each kernel and copy ran to `FILE`, for chrome://tracing or ui.perfetto.dev")
	flags.StringVar(&f.ptx, "ptx", "", "run the PTX in `FILE` in place of the compiler's (cuda, simt)")
	flags.IntVar(&f.workers, "workers", 0, "threads of the cpu device (default: all processors)")
	flags.IntVar(&f.capacity, "capacity", 0, "initial size of worklists, in items (default: the program's own; lists grow)")
	flags.IntVar(&f.room, "room", 0, "points and elements that a mesh has room for at first, beyond its own (meshes grow)")
	flags.Uint64Var(&f.seed, "seed", 0, "permute the order of what has none, on simt and interp")
	flags.IntVar(&f.repeat, "repeat", 1, "run `N` times and report the median time")
	flags.StringVar(&f.tune, "tune", "auto", "choose the throughput switches by the tuning file, or else by the graph: auto; off for none (`MODE`)")
	addTuning(flags, &f.tuning)
	flags.BoolVar(&f.family, "family", false, "of the bundled programs that solve the same problem, run the one that is likely the fastest on the graph")
	f.compile.add(flags)
}

// addTuning adds the flag that names the tuning file.
func addTuning(flags *pflag.FlagSet, path *string) {
	flags.StringVar(path, "tuning", engine.TuningFile(), "the tuning file that irgl tune writes and irgl run reads: `FILE`")
}

func runCommand() *cobra.Command {
	var f runFlags
	cmd := &cobra.Command{
		Use:   "run PROGRAM|FILE.irgl --graph FILE | --gen SPEC [program's flags]",
		Short: "Run a program on a graph",
		Long: `Run a bundled program, or one in a file, on a graph.

The parameters of the program's Host function are flags: node src is --src N
(and --source N), double damping is --damping X. Nodes have the numbers of the
graph's file. 'irgl run PROGRAM --help' lists them.

On cuda and simt a program is compiled with the throughput switches (--outline to
--block) that suit the graph: those that 'irgl tune' has found for it or for one like
it, or else a default for its kind. Any of these switches on the command line turns
the choice off for all of them, and --tune=off runs the program without any; --explain
and --json say which were used and why.

Several bundled programs may solve one problem, each of them fast on graphs of other
kinds. --family runs the one that 'irgl tune --family' has found for this graph, or else
the one for graphs of its kind.

The summary of the result goes to standard output: for each output property the
number of nodes whose value was set, and the minimum, maximum and sum of those;
each output value. --json prints them as an object, --out writes all values.`,
		Example: `  irgl run bfs --gen rmat:20:8 --source 0
  irgl run sssp --graph USA-road-d.NY.gr.gz --source 1 --verify
  irgl run pr --graph wiki-Vote.txt --tolerance 1e-12 --out ranks.txt
  irgl run tri --graph web.el.gz --family`,
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
		return usagef(cmd, "name a program: a bundled one (%s) or an .irgl file", strings.Join(engine.Programs(), ", "))
	}
	p, err := loadProgram(cmd, name)
	if err != nil {
		return err
	}
	values, err := addParams(flags, p)
	if err != nil {
		return err
	}
	if wantsHelp(args) {
		cmd.Long = p.Doc() + "\n\n" + cmd.Long
		return cmd.Help()
	}
	if err := flags.Parse(args); err != nil {
		return flagError(cmd, err)
	}
	if rest := flags.Args(); len(rest) > 1 {
		return usagef(cmd, "one program a run: what is %q?", rest[1])
	}
	if err := f.check(cmd, name); err != nil {
		return err
	}
	if _, mesh := p.Needs(); !mesh && (f.mesh != "" || f.outMesh != "") {
		return usagef(cmd, "%s has no mesh", p.Name())
	}
	p.Warnings(cmd.ErrOrStderr())
	return f.run(cmd, p, values)
}

// check refuses flags that cannot work before anything is read.
func (f *runFlags) check(cmd *cobra.Command, name string) error {
	if _, _, err := engine.ParseDevice(f.device); err != nil {
		return &usageError{cmd.CommandPath(), err}
	}
	switch {
	case f.repeat < 1:
		return usagef(cmd, "--repeat %d: run at least once", f.repeat)
	case f.workers < 0:
		return usagef(cmd, "--workers %d: 0 stands for all processors", f.workers)
	case f.capacity < 0:
		return usagef(cmd, "--capacity %d: 0 leaves the choice to the program", f.capacity)
	case f.room < 0:
		return usagef(cmd, "--room %d: 0 leaves the choice to the device", f.room)
	case f.verify && !slices.Contains(engine.Programs(), name):
		return usagef(cmd, "--verify: only bundled programs have an answer to compare with")
	case f.out == "-" && f.json:
		return usagef(cmd, "--out - and --json would mix on standard output: name a file")
	case f.trace == "-":
		return usagef(cmd, "--trace -: the trace needs a file")
	case f.family && !slices.Contains(engine.Programs(), name):
		return usagef(cmd, "--family: %s is no bundled program, and has none", name)
	case f.family && f.ptx != "":
		return usagef(cmd, "--family and --ptx: the PTX is that of one program")
	case f.tune != "auto" && f.tune != "off":
		return usagef(cmd, "--tune %s: there are auto and off", f.tune)
	}
	// A result that cannot be stored is better known before the run.
	for _, name := range []string{f.out, f.trace} {
		if name == "" || name == "-" {
			continue
		}
		if _, err := os.Stat(filepath.Dir(name)); err != nil {
			return err
		}
	}
	return nil
}

func wantsHelp(args []string) bool {
	return slices.Contains(args, "--help") || slices.Contains(args, "-h")
}

// programArg returns the first argument that is no flag and no flag's value.
func programArg(flags *pflag.FlagSet, args []string) string {
	for i := 0; i < len(args); i++ {
		a := args[i]
		switch {
		case a == "--" && i+1 < len(args):
			return args[i+1]
		case a == "-" || !strings.HasPrefix(a, "-"):
			return a
		}
		name, _, hasValue := strings.Cut(strings.TrimLeft(a, "-"), "=")
		known := flags.Lookup(name)
		switch {
		case hasValue, known != nil && known.NoOptDefVal != "":
		case known == nil && (i+1 == len(args) || strings.HasPrefix(args[i+1], "-")):
		default:
			i++ // its value, also of a flag that only the program has
		}
	}
	return ""
}

// A paramFlag is the value of a flag that stands for a parameter.
type paramFlag struct {
	param engine.Param
	value any // nil until it is set
}

func (v *paramFlag) String() string {
	if v == nil || v.value == nil {
		return ""
	}
	return fmt.Sprint(v.value)
}

func (v *paramFlag) Type() string { return v.param.Type }

func (v *paramFlag) Set(text string) error {
	var err error
	switch t := v.param.Type; {
	case t == "node":
		var n uint64
		n, err = strconv.ParseUint(text, 10, 64)
		v.value = engine.Node(n)
	case t == "bool":
		v.value, err = strconv.ParseBool(text)
	case t == "float", t == "double":
		v.value, err = strconv.ParseFloat(text, 64)
	case strings.HasPrefix(t, "unsigned"):
		v.value, err = strconv.ParseUint(text, 0, 64)
	default:
		v.value, err = strconv.ParseInt(text, 0, 64)
	}
	if err != nil {
		return fmt.Errorf("it is of type %s", v.param.Type)
	}
	return nil
}

// addParams adds a flag for each parameter of the program. --source stands for
// the first node.
func addParams(flags *pflag.FlagSet, p *engine.Program) ([]*paramFlag, error) {
	var out []*paramFlag
	var source *paramFlag
	for _, param := range p.Params() {
		v := &paramFlag{param: param}
		out = append(out, v)
		if flags.Lookup(param.Name) != nil {
			return nil, fmt.Errorf("the parameter %s of %s has the name of a flag of irgl run: rename it", param.Name, p.Name())
		}
		usage := "parameter of " + p.Name()
		if param.Default != "" {
			usage += " (default " + param.Default + ")"
		}
		f := flags.VarPF(v, param.Name, "", usage)
		if param.Type == "bool" {
			f.NoOptDefVal = "true"
		}
		if param.Type == "node" && source == nil {
			source = v
		}
	}
	if source != nil && flags.Lookup("source") == nil {
		flags.VarPF(source, "source", "", "the same as --"+source.param.Name)
	}
	return out, nil
}

func (f *runFlags) run(cmd *cobra.Command, p *engine.Program, values []*paramFlag) error {
	ctx := cmd.Context()
	args := engine.Args{}
	for _, v := range values {
		if v.value != nil {
			args[v.param.Name] = v.value
		} else if v.param.Default == "" {
			return usagef(cmd, "%s needs --%s (%s)", p.Name(), v.param.Name, v.param.Type)
		}
	}
	o := engine.Options{Device: f.device, Workers: f.workers, Seed: f.seed, Capacity: f.capacity, Room: f.room, Stats: f.stats, Trace: f.trace != "", Stdout: cmd.OutOrStdout()}
	if f.json || f.out == "-" {
		o.Stdout = cmd.ErrOrStderr() // standard output is for the result alone
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
		o.PTX = string(text)
	}
	start := time.Now()
	in, err := f.input(cmd, p)
	if err != nil {
		return err
	}
	loaded := time.Since(start)
	if f.family {
		if p, err = f.fastest(cmd, p, in, args, o); err != nil {
			return err
		}
	}
	working := spin(cmd, "compiling "+p.Name())
	x, err := p.Compile(ctx, o)
	working.done()
	if err != nil {
		return err
	}
	defer x.Close()
	for _, note := range x.Notes() {
		fmt.Fprintf(cmd.ErrOrStderr(), "irgl: note: %s\n", note)
	}
	if f.compile.explain {
		if err := f.explain(cmd, p, x, in, o.Compile); err != nil {
			return err
		}
	}
	if !f.family {
		if better := x.Faster(in.Graph); better != "" {
			fmt.Fprintf(cmd.ErrOrStderr(), "irgl: note: on such a graph %s is likely ten times as fast as %s, or more: --family chooses it\n", better, p.Name())
		}
	}
	working = spin(cmd, "running "+p.Name())
	r, err := runRepeated(func() (*engine.Result, error) { return x.RunOn(ctx, in, args) }, f.repeat)
	working.done()
	if err != nil {
		return err
	}
	r.Times.Load = float64(loaded.Microseconds()) / 1000
	return f.report(cmd, x, r)
}

// fastest returns the program of p's family that is likely the fastest, and says which
// that is.
func (f *runFlags) fastest(cmd *cobra.Command, p *engine.Program, in engine.Input, args engine.Args, o engine.Options) (*engine.Program, error) {
	name, from, err := p.Fastest(cmd.Context(), in.Graph, args, o)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(cmd.ErrOrStderr(), "irgl: note: running %s (%s)\n", name, from)
	return engine.Bundled(name)
}

// explain says which switches the program is compiled with for its input, and what
// they make of its loops.
func (f *runFlags) explain(cmd *cobra.Command, p *engine.Program, x *engine.Executable, in engine.Input, o compile.Options) error {
	if err := x.Prepare(cmd.Context(), in.Graph); err != nil {
		return err
	}
	text, from := x.Switches()
	if _, err := fmt.Fprintf(cmd.ErrOrStderr(), "switches: %s (%s)\n", cmp.Or(text, "none"), from); err != nil {
		return err
	}
	var err error
	if o.Lower, err = lower.ParseOptions(text); err != nil {
		return err
	}
	return f.compile.explained(cmd.ErrOrStderr(), p.Name()+".irgl", p.Source(), o)
}

// runRepeated runs n times and returns the result with the median time; the
// first run's preparation counts.
func runRepeated(once func() (*engine.Result, error), n int) (*engine.Result, error) {
	var results []*engine.Result
	for range n {
		r, err := once()
		if err != nil {
			return nil, err
		}
		results = append(results, r)
	}
	prepare := results[0].Times.Prepare
	slices.SortStableFunc(results, func(a, b *engine.Result) int { return cmp.Compare(a.Times.Run, b.Times.Run) })
	r := results[(n-1)/2]
	r.Times.Prepare = prepare
	return r, nil
}

// report verifies the result, writes the values, and prints the summary.
func (f *runFlags) report(cmd *cobra.Command, x *engine.Executable, r *engine.Result) error {
	var verdict error
	if f.verify {
		working := spin(cmd, "verifying")
		verdict = x.Verify(cmd.Context(), r)
		working.done()
		if verdict != nil && r.Verified == nil {
			return verdict
		}
	}
	if f.out != "" {
		if err := writeTo(cmd.Context(), cmd, f.out, r.WriteValues); err != nil {
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

// printResult writes what people want to see of a result.
func printResult(w io.Writer, x *engine.Executable, r *engine.Result) error {
	kind, about := x.Device()
	size := fmt.Sprintf("%d nodes, %d edges", r.Nodes, r.Edges)
	if r.Points > 0 {
		size = fmt.Sprintf("%d points, %d triangles", r.Points, r.Triangles)
	}
	if _, err := fmt.Fprintf(w, "%s on %s (%s): %s\n", r.Program, kind, about, size); err != nil {
		return err
	}
	if err := r.WriteSummary(w); err != nil {
		return err
	}
	if r.Verified != nil && *r.Verified {
		fmt.Fprintln(w, "verified: the answer is right")
	}
	if r.Kernels != nil {
		if err := r.WriteStats(w); err != nil {
			return err
		}
	}
	_, err := fmt.Fprintf(w, "time: load %.1f ms, prepare %.1f ms, compile %.1f ms, run %.3f ms; %d iterations, %d launches\n",
		r.Times.Load, r.Times.Prepare, r.Times.Compile, r.Times.Run, r.Iterations, r.Launches)
	return err
}
