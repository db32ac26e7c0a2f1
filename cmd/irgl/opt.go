package main

import (
	"bytes"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"irgl/internal/compile"
	"irgl/internal/infile"
	"irgl/internal/source"
	"irgl/internal/ssa/opt"
	"irgl/internal/suggest"
)

// scalarFlags switch passes, in all commands that compile.
type scalarFlags struct {
	off, on []string
	passes  []string
	limit   int
	print   []string
}

func (f *scalarFlags) add(flags *pflag.FlagSet) {
	grouped(flags, groupSwitches, func() {
		flags.StringSliceVar(&f.off, "disable", nil, "switch off passes: `PASS`,...")
		flags.StringSliceVar(&f.on, "enable", nil, "switch on passes: `PASS`,...")
		flags.StringSliceVar(&f.passes, "passes", nil, "run these passes only, in this order (docs/passes.md has all, in order): `PASS`,...")
	})
	grouped(flags, groupDebug, func() {
		flags.IntVar(&f.limit, "opt-bisect-limit", 0, "stop optimising after `N` steps, to find the one that matters")
		flags.StringSliceVar(&f.print, "print-after", nil, "print the program after these passes, or all, on standard error: `PASS`,...")
	})
}

// set puts the flags into the options of the passes; --passes takes scalar passes,
// the others also take those of all. What --print-after prints goes to out.
func (f *scalarFlags) set(o *opt.Options, all []string, out io.Writer) error {
	for i, list := range [][]string{f.passes, f.off, f.on, f.print} {
		passes := all
		if i == 0 {
			passes = opt.Passes().Names()
		}
		for _, name := range list {
			if !slices.Contains(passes, name) && (name != "all" || i < 3) { // only --print-after takes all
				return fmt.Errorf("there is no pass %q (there are %s)%s", name, strings.Join(passes, ", "), suggest.Hint(name, passes))
			}
		}
	}
	if f.passes != nil {
		if _, err := opt.Passes().Select(f.passes); err != nil {
			return fmt.Errorf("--passes: %w", err)
		}
	}
	if f.limit < 0 {
		return fmt.Errorf("--opt-bisect-limit %d: want 1 or more, or 0 for no limit", f.limit)
	}
	o.Passes, o.Before = f.passes, beforePass
	o.Limit, o.PrintAfter, o.Out = f.limit, f.print, out
	if f.limit > 0 {
		o.OnUnit = func(n int, pass, unit string, _ bool) {
			if n == f.limit {
				fmt.Fprintf(out, "irgl: step %d, the last, is %s\n", n, strings.TrimSpace(pass+" "+unit))
			}
		}
	}
	o.Switch = map[string]bool{}
	for _, name := range f.on {
		o.Switch[name] = true
	}
	for _, name := range f.off {
		o.Switch[name] = false
	}
	return compile.CheckPasses(o.Switch)
}

// checkForm refuses what is not one of the forms, or names an analysis that does
// not exist.
func checkForm(form string, forms []string) error {
	name, _, _ := strings.Cut(form, "=")
	if !slices.Contains(forms, name) {
		return fmt.Errorf("there is no form %q (there are %s)%s", name, strings.Join(forms, ", "), suggest.Hint(name, forms))
	}
	if name == "go" && name == form {
		return nil // made by another package
	}
	_, err := compile.StageFor(form)
	return err
}

// analysesHelp lists the analyses that --emit=analysis prints. The text names what
// they are of.
func analysesHelp(of string) string {
	tree, ssa := compile.Analyses()
	list := slices.Concat(tree, ssa)
	if !strings.Contains(of, "tree") {
		list = ssa
	}
	var b strings.Builder
	fmt.Fprintf(&b, "--emit=analysis=NAME,... prints these analyses of %s, and without a list all:\n\n", of)
	for _, a := range list {
		fmt.Fprintf(&b, "  %-15s %s\n", a.Name, a.Doc)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// optForms are the forms that irgl opt prints.
var optForms = []string{"ssa", "analysis", "ptx"}

// An optCommand holds the flags of irgl opt.
type optFlags struct {
	scalar              scalarFlags
	emit, out, target   string
	verify, list, times bool
	stats               bool
}

func optCommand() *cobra.Command {
	var f optFlags
	cmd := &cobra.Command{
		Use:   "opt FILE.ssa [--passes=PASS,...] [--emit=ssa|analysis|ptx] [-o OUT]",
		Short: "Run scalar passes on a program in SSA form",
		Long: `Read a program in the text form of irgl build --emit=ssa (- is standard input), run
scalar passes on it, verify it after each, and print the result. Without --passes
all passes run, in the order of docs/passes.md; --passes= runs none, so that
irgl opt FILE.ssa --passes= only verifies.

` + analysesHelp("the SSA form"),
		Example: `  irgl build bfs --emit=ssa --passes= -o bfs.ssa    # as it was before the passes
  irgl opt bfs.ssa --passes=mem2reg,constfold --stats
  irgl opt bfs.ssa --emit=analysis=loops,divergence
  irgl opt bfs.ssa --emit=ptx --target=sm_90 -o bfs.ptx`,
		RunE: func(cmd *cobra.Command, args []string) error {
			if f.list {
				return listPasses(cmd.OutOrStdout())
			}
			if err := argRange(1, 1)(cmd, args); err != nil {
				return err
			}
			return f.main(cmd, args[0])
		},
	}
	flags := cmd.Flags()
	f.scalar.add(flags)
	flags.StringVar(&f.emit, "emit", "ssa", "the `FORM` to print: ssa, analysis or analysis=NAME,..., ptx")
	flags.StringVarP(&f.out, "output", "o", "", "write to `FILE` (default: standard output)")
	flags.StringVar(&f.target, "target", "", "optimise for, and make PTX for, `ARCH` and later, such as sm_90 (default: sm_75)")
	flags.BoolVar(&f.verify, "verify", true, "verify the program after every pass")
	flags.BoolVar(&f.stats, "stats", false, "say on standard error what the passes counted and how long the functions became")
	flags.BoolVar(&f.times, "time-passes", false, "say on standard error how long each pass took")
	flags.BoolVar(&f.list, "list", false, "list the passes in order, and what each does")
	flags.SetNormalizeFunc(func(_ *pflag.FlagSet, name string) pflag.NormalizedName {
		if name == "dump-after" {
			name = "print-after"
		}
		return pflag.NormalizedName(name)
	})
	cmd.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return []string{"ssa"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return cmd
}

func (f *optFlags) main(cmd *cobra.Command, path string) error {
	var o compile.Options
	if err := f.scalar.set(&o.Opt, opt.Passes().Names(), cmd.ErrOrStderr()); err != nil {
		return &usageError{cmd.CommandPath(), err}
	}
	if err := checkTarget(f.target); err != nil {
		return &usageError{cmd.CommandPath(), err}
	}
	if err := checkForm(f.emit, optForms); err != nil {
		return &usageError{cmd.CommandPath(), err}
	}
	o.PTX.Target, o.Check = f.target, f.verify
	if f.stats {
		o.Stats = cmd.ErrOrStderr()
	}
	if f.times {
		o.Times = cmd.ErrOrStderr()
	}
	collectLess()
	name, text, err := ssaText(cmd, path)
	if err != nil {
		return err
	}
	last, err := compile.StageFor(f.emit)
	if err != nil {
		return err
	}
	u, err := compile.CompileSSA(source.NewFile(name, text), last, o)
	if err != nil {
		return err
	}
	var b bytes.Buffer
	if err := u.Emit(&b, f.emit); err != nil {
		return err
	}
	return writeTo(cmd.Context(), cmd, f.out, func(w io.Writer) error {
		_, err := w.Write(b.Bytes())
		return err
	})
}

// ssaText returns the name and text of a file in SSA form; "-" is standard input.
func ssaText(cmd *cobra.Command, path string) (string, []byte, error) {
	if path == "-" {
		text, err := infile.ReadText(cmd.Context(), cmd.InOrStdin())
		return "standard-input.ssa", text, err
	}
	text, err := infile.ReadFile(cmd.Context(), path)
	return path, text, err
}

// listPasses prints a pass a line, in order: name, whether it runs by default,
// what it does.
func listPasses(w io.Writer) error {
	var b strings.Builder
	for _, p := range opt.Passes().Passes() {
		state, doc := "on", p.Doc
		if p.Off {
			state = "off"
		}
		if p.Repeats != "" {
			doc = p.Repeats + " again"
		}
		fmt.Fprintf(&b, "%-20s %-4s %s\n", p.Name, state, doc)
	}
	_, err := io.WriteString(w, b.String())
	return err
}
