package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"irgl"
	"irgl/internal/device"
	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
	"irgl/internal/device/warm"
	"irgl/internal/journal"
	"irgl/internal/paper"
)

// measureFlags are those of the commands that try choices of switches on a device.
type measureFlags struct {
	device    string
	limit     time.Duration
	compilers int
	journal   string
	resume    bool
}

func (f *measureFlags) add(flags *pflag.FlagSet) {
	flags.StringVar(&f.device, "device", "auto", "run on `DEVICE`: auto (the first GPU), cuda (or cuda:1, ...), simt")
	flags.DurationVar(&f.limit, "limit", 20*time.Second, "cut off runs after this `TIME`, and repeat no longer than it")
	flags.IntVar(&f.compilers, "compilers", -1, "have `N` processes compile for the GPU before choices are run (-1: some; 0: none)")
	flags.StringVar(&f.journal, "journal", "", "add each measurement to `FILE` at once")
	flags.BoolVar(&f.resume, "resume", false, "go on with the journal: what is in it is not measured again")
}

// check refuses flags that cannot work before anything is read; verb is what devices
// without switches have none to do with.
func (f *measureFlags) check(cmd *cobra.Command, verb string) error {
	kind, _, err := irgl.ParseDevice(f.device)
	switch {
	case err != nil:
		return &usageError{cmd.CommandPath(), err}
	case kind == "cpu" || kind == "interp":
		return usagef(cmd, "--device %s has no switches to %s: cuda and simt have", f.device, verb)
	case f.limit <= 0:
		return usagef(cmd, "--limit %v: a run takes some time", f.limit)
	case f.resume && f.journal == "":
		return usagef(cmd, "--resume goes on with the file of --journal: name one")
	case kind == "auto":
		f.device, kind = "cuda", "cuda" // the CPU, which auto may be, has no switches
	}
	if f.compilers < 0 {
		f.compilers = max(0, min(8, runtime.GOMAXPROCS(0)-2))
	}
	if kind != "cuda" { // the emulator loads at once
		f.compilers = 0
	}
	return nil
}

// helper returns the command that compiles ahead, nil for none.
func (f *measureFlags) helper() []string {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{self, "jit", "--device", f.device}
}

// open opens a session, with help.
func (f *measureFlags) open() (*irgl.Session, error) {
	s, err := irgl.OpenSession(irgl.Options{Device: f.device, Unchecked: true})
	if helper := f.helper(); err == nil && f.compilers > 0 && helper != nil {
		s.CompileAhead(f.compilers, helper...)
	}
	return s, err
}

// openJournal opens the journal of a session, nil for none, with what it has.
func (f *measureFlags) openJournal(s *irgl.Session) (*journal.Journal, []journal.Line, error) {
	if f.journal == "" {
		return nil, nil, nil
	}
	kind, about := s.Device()
	head := journal.Head{Device: about, Metric: "ms"}
	if kind == "simt" {
		head.Metric = "cost"
	}
	if f.resume {
		return journal.Resume(f.journal, head)
	}
	j, err := journal.Create(f.journal, head)
	return j, nil, err
}

// closeUnlessInterrupted closes a session; of one that was interrupted it would wait
// for the kernel.
func closeUnlessInterrupted(cmd *cobra.Command, s *irgl.Session) {
	if cmd.Context().Err() == nil {
		_ = s.Close() // what was measured stands
	}
}

// A line shows on a terminal what is being done, in one line that is written over.
func line(cmd *cobra.Command, text string) {
	if shows(cmd) {
		fmt.Fprintf(cmd.ErrOrStderr(), "\r%-110.110s", text)
	}
}

// endLine takes it away.
func endLine(cmd *cobra.Command) {
	if shows(cmd) {
		fmt.Fprintf(cmd.ErrOrStderr(), "\r%110s\r", "")
	}
}

// interrupted says that a report is not whole, when an interrupt has ended what
// it is about, and returns other errors.
func interrupted(cmd *cobra.Command, err error) error {
	if cmd.Context().Err() == nil {
		return err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "irgl: interrupted: the report has what was measured until then")
	return errPartial
}

// jitCommand is the other end of --compilers.
func jitCommand() *cobra.Command {
	name := "cuda"
	cmd := &cobra.Command{
		Use:    "jit",
		Short:  "Have the GPU's driver compile PTX into its cache, as another process of irgl asks",
		Hidden: true,
		Args:   argRange(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			kind, ordinal, err := irgl.ParseDevice(name)
			if err != nil {
				return &usageError{cmd.CommandPath(), err}
			}
			return warm.Serve(cmd.InOrStdin(), cmd.OutOrStdout(), func() (device.Device, error) {
				if kind == "simt" {
					return simt.Open(simt.Options{}), nil
				}
				return cuda.Open(ordinal)
			})
		},
	}
	cmd.Flags().StringVar(&name, "device", name, "compile for `DEVICE`: cuda (or cuda:1, ...), simt")
	return cmd
}

// verifyFlags are the flags of irgl bench verify.
type verifyFlags struct {
	measureFlags
	inputs  inputFlags
	fastest int
	from    []string
	budget  time.Duration
	out     string
}

func benchVerifyCommand() *cobra.Command {
	var f verifyFlags
	cmd := &cobra.Command{
		Use:   "verify [PROGRAM...] --graph FILE | --gen SPEC",
		Short: "Verify the default and the fastest switches of programs on graphs",
		Long: `Run each bundled program, or those that are named, on each graph and mesh with its
default switches and with the fastest that journals of 'irgl tune' and 'irgl bench paper'
have, and verify every answer. On a graph that was measured they are the fastest there; on
another, by turns those of the graphs that were. Where fewer were measured, the defaults
for other kinds of graphs take their places.

The table says how many choices passed. The exit status is 1 when one failed or was left
out; the lines below the table say which, and why.`,
		Example: `  irgl bench verify --from paper/journal.jsonl --gen rmat:20:8:wmax=100 --graph road.gr --budget 5m
  irgl bench verify bfs cc --fastest 3 --gen rmat:7:8 --device simt`,
		Args: argRange(0, -1),
	}
	flags := cmd.Flags()
	f.inputs.add(flags)
	f.add(flags)
	flags.IntVar(&f.fastest, "fastest", 10, "choices beside the default, for each program and graph: `N`")
	flags.StringArrayVar(&f.from, "from", nil, "take the fastest from the journal `FILE`; may be given several times")
	flags.DurationVar(&f.budget, "budget", 0, "begin nothing more after this `TIME` (0: no limit)")
	flags.StringVar(&f.out, "out", "", "write the table to `FILE`")
	flags.SortFlags = false
	cmd.RunE = func(cmd *cobra.Command, args []string) error { return f.main(cmd, args) }
	cmd.ValidArgsFunction = completePrograms
	return cmd
}

func (f *verifyFlags) main(cmd *cobra.Command, args []string) (err error) {
	if err := errors.Join(f.check(cmd, "verify"), f.inputs.check(cmd)); err != nil {
		return err
	}
	if f.fastest < 0 || f.budget < 0 {
		return usagef(cmd, "--fastest and --budget are not negative")
	}
	o := paper.CheckOptions{Fastest: f.fastest, Limit: f.limit, Progress: func(text string) { line(cmd, text) }}
	if f.budget > 0 {
		o.Until = time.Now().Add(f.budget)
	}
	if o.Measured, err = paper.Measured(f.from...); err != nil {
		return err
	}
	if len(args) == 0 {
		args = irgl.Programs()
	}
	programs, err := bundledPrograms(args)
	if err != nil {
		return err
	}
	s, err := f.open()
	if err != nil {
		return err
	}
	defer closeUnlessInterrupted(cmd, s)
	to, lines, err := f.openJournal(s)
	if err != nil {
		return err
	}
	c, err := paper.NewChecker(cmd.Context(), s, o, to, lines)
	if err != nil {
		return err
	}
	err = f.inputs.each(cmd, func(in irgl.Input, name string) error {
		var list []*irgl.Program
		for _, p := range programs {
			if fitsInput(p, in) {
				list = append(list, p)
			}
		}
		return c.Input(in, name, list, func(p *irgl.Program) (irgl.Args, error) { return f.inputs.arguments(p, in) })
	})
	endLine(cmd)
	err = errors.Join(interrupted(cmd, err), to.Close())
	if err != nil && !errors.Is(err, errPartial) {
		return err
	}
	err = errors.Join(err, writeTo(context.WithoutCancel(cmd.Context()), cmd, f.out, c.WriteMarkdown))
	if failed, left := c.Failures(); failed+left > 0 {
		fmt.Fprintf(cmd.ErrOrStderr(), "irgl: %d choices failed, %d were left out; the table says which\n", failed, left)
		err = errors.Join(err, errReported)
	}
	return err
}

// bundledPrograms returns bundled programs by their names.
func bundledPrograms(names []string) ([]*irgl.Program, error) {
	var list []*irgl.Program
	for _, name := range names {
		p, err := irgl.Bundled(name)
		if err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// journalIn returns the journal of a folder of results, unless one was named.
func (f *measureFlags) journalIn(dir string) {
	if f.journal == "" && dir != "" {
		f.journal = filepath.Join(dir, "journal.jsonl")
	}
}
