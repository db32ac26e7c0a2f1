// Command irgl compiles and runs graph algorithms written in IrGL, on NVIDIA
// GPUs through their driver alone and on the CPU where there is none.
//
//	irgl run bfs --gen rmat:20:8 --source 0
//	irgl run sssp --graph USA-road-d.NY.gr.gz --source 1 --verify
//	irgl build mine.irgl --emit=ptx -o mine.ptx
//	irgl graph info cnr-2000.el.gz
//
// The commands are run, tune, build, gen, opt, explain, check, fmt, programs, graph, devices, bench, cuda, klap, ptx, serve and version;
// each explains itself with --help. Results go to standard output, messages to
// standard error. The exit status is 0 for success, 1 for an error, 2 for a
// wrong use of the command line, 3 when measuring has lost the GPU and another process
// may go on with --resume, and 128 plus the signal's number when a signal ended the
// command: 130 for an interrupt, 143 for SIGTERM, 129 for SIGHUP.
package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strconv"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"irgl/internal/compile"
	"irgl/internal/engine"
	"irgl/internal/klap"
	runtypes "irgl/internal/run"
	"irgl/internal/source"
	"irgl/internal/suggest"
)

const (
	statusError       = 1
	statusUsage       = 2
	statusLost        = 3
	statusInterrupted = 130 // by an interrupt; [signalStatus] has that of any signal
)

// began is when the process did, nearly.
var began = time.Now()

func main() { os.Exit(run(os.Args[1:], os.Stdout, os.Stderr)) }

// run executes one command line and returns the exit status.
func run(args []string, stdout, stderr io.Writer) (status int) {
	defer func() {
		if v := recover(); v != nil {
			recovered(stderr, args, v)
			status = statusError
		}
	}()
	ctx, stop := interruptible(args)
	defer stop()
	root := newRoot(args...)
	root.SetArgs(args)
	out := &checkedWriter{w: stdout}
	messages := &visibleWriter{stderr}
	stderr = messages // what follows about an error, too
	root.SetOut(out)
	root.SetErr(messages)
	err := root.ExecuteContext(ctx)
	if err == nil {
		err = out.err // of a write that nobody looked at
	}
	var usage *usageError
	switch {
	case err == nil:
		return 0
	case errors.Is(err, errLost):
		return statusLost
	case errors.Is(err, errPartial):
		return signalStatus(ctx)
	case ctx.Err() != nil:
		fmt.Fprintln(stderr, "irgl: interrupted")
		return signalStatus(ctx)
	case errors.Is(err, errReported):
		return statusError
	case errors.As(err, &usage):
		fmt.Fprintf(stderr, "irgl: %v\n", err)
		fmt.Fprintf(stderr, "Run '%s --help' for how to use it.\n", usage.command)
		return statusUsage
	}
	if e, ok := errors.AsType[*klap.VariableError](err); ok {
		fmt.Fprintf(stderr, "irgl: %v\n  hint: %s\n", e, e.Hint())
		return statusUsage
	}
	if e, ok := errors.AsType[*exitStatus](err); ok {
		e.explain(stderr)
		return e.status()
	}
	if e, ok := errors.AsType[*programStatus](err); ok {
		return e.number
	}
	if c, ok := errors.AsType[*compile.Crash](err); ok {
		reportCrash(stderr, args, c)
		return statusError
	}
	engine.Explain(stderr, err)
	if hint := hintFor(err); hint != "" {
		fmt.Fprintf(stderr, "  hint: %s\n", hint)
	}
	return statusError
}

// A checkedWriter keeps the first error of a writer: a full disk or a closed pipe must
// not look like success.
type checkedWriter struct {
	w   io.Writer
	err error
}

func (c *checkedWriter) Write(b []byte) (int, error) {
	n, err := c.w.Write(b)
	if c.err == nil {
		c.err = err
	}
	return n, err
}

// A visibleWriter writes control characters as escapes: names and sources that
// messages quote come from others, and a terminal would obey them.
type visibleWriter struct{ w io.Writer }

func (v *visibleWriter) Write(b []byte) (int, error) {
	if _, err := io.WriteString(v.w, source.Visible(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}

// rawStderr returns standard error for progress, which moves the cursor, and for what
// programs print.
func rawStderr(cmd *cobra.Command) io.Writer {
	if v, ok := cmd.ErrOrStderr().(*visibleWriter); ok {
		return v.w
	}
	return cmd.ErrOrStderr()
}

// programStreams returns standard output and standard error for a process that irgl starts:
// the files themselves, so that what it writes to the two keeps its order, and a terminal
// is one for it.
func programStreams(cmd *cobra.Command) (stdout, stderr io.Writer) {
	stdout = cmd.OutOrStdout()
	if c, ok := stdout.(*checkedWriter); ok {
		stdout = c.w
	}
	return stdout, rawStderr(cmd)
}

// patience is how long a quick command runs before it listens for interrupts.
const patience = 20 * time.Millisecond

// endurance is how long a quick command may go on after an interrupt: compilation looks
// for none, and has nothing to clean up.
const endurance = time.Second

// echo is how long after an interrupt another one is taken for the same.
const echo = 200 * time.Millisecond

// A signalError is the cause of a context that a signal has ended.
type signalError struct{ signal os.Signal }

func (e *signalError) Error() string { return e.signal.String() + " signal received" }

// signalStatus returns the exit status of a command whose context a signal has ended.
func signalStatus(ctx context.Context) int {
	if e, ok := errors.AsType[*signalError](context.Cause(ctx)); ok {
		if n, ok := e.signal.(syscall.Signal); ok {
			return 128 + int(n)
		}
	}
	return statusInterrupted
}

// listen returns a context that the first interrupt, SIGTERM or SIGHUP ends; the
// signal is its cause. A second signal ends the process at once, unless it follows within
// echo: timeout(1) signals its child and then its process group. SIGHUP stays ignored
// if it was, as nohup wants it.
func listen(parent context.Context) context.Context {
	ctx, cancel := context.WithCancelCause(parent)
	signals := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		signals = append(signals, syscall.SIGHUP)
	}
	heard := make(chan os.Signal, 1)
	signal.Notify(heard, signals...)
	go func() {
		defer signal.Stop(heard)
		select {
		case s := <-heard:
			cancel(&signalError{s})
			time.Sleep(echo)
		case <-ctx.Done():
			cancel(nil)
		}
	}()
	return ctx
}

// interruptible returns the context of a command, which an interrupt ends; a
// second one ends the process at once. To listen takes threads, and these a
// tenth of the time in which a kernel is compiled: an interrupt of a quick
// command that has just begun ends the process without a word, as it would
// have before the first line of this program.
func interruptible(args []string) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancelCause(context.Background())
	if len(args) == 0 || !slices.ContainsFunc(commands, func(c command) bool { return c.quick && c.name == args[0] }) {
		return listen(ctx), func() { cancel(nil) }
	}
	var ended atomic.Bool
	timer := time.AfterFunc(patience, func() {
		heard := listen(ctx)
		context.AfterFunc(heard, func() {
			cancel(context.Cause(heard))
			time.AfterFunc(endurance, func() {
				if !ended.Load() {
					os.Exit(signalStatus(heard))
				}
			})
		})
	})
	return ctx, func() { ended.Store(true); timer.Stop(); cancel(nil) }
}

// hintFor returns what on the command line would put an error right, or "".
func hintFor(err error) string {
	if need, ok := errors.AsType[*runtypes.NeedWeightsError](err); ok {
		if need.Real {
			return "replace them by random ones, for instance --weights 100"
		}
		return "use a graph with weights, or give the edges random ones: --weights 100"
	}
	if negative, ok := errors.AsType[*runtypes.NegativeWeightError](err); ok {
		return negative.Hint()
	}
	if faults, ok := errors.AsType[*engine.FaultsError](err); ok {
		return faults.Hint()
	}
	return ""
}

// errReported is the error of a command that has said what is wrong itself.
var errReported = errors.New("reported")

// errPartial is that of a command which an interrupt has ended, and which has
// printed what it had by then and said so.
var errPartial = errors.New("interrupted")

// errLost is that of a command that has lost the device, and said so.
var errLost = errors.New("the device is lost")

// A usageError is a wrong use of the command line.
type usageError struct {
	command string
	err     error
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

func usagef(cmd *cobra.Command, format string, args ...any) error {
	return &usageError{cmd.CommandPath(), fmt.Errorf(format, args...)}
}

// argRange is a check of the number of arguments; most is -1 for no limit.
func argRange(least, most int) cobra.PositionalArgs {
	return func(cmd *cobra.Command, args []string) error {
		switch {
		case len(args) < least:
			return usagef(cmd, "an argument is missing: %s", cmd.UseLine())
		case most >= 0 && len(args) > most:
			return usagef(cmd, "one argument too many: %q%s", args[most], flagValueHint(cmd, args[most]))
		}
		return nil
	}
}

// flagValueHint says how a flag that is true or false gets its value, if an argument
// looks like one.
func flagValueHint(cmd *cobra.Command, arg string) string {
	if _, err := strconv.ParseBool(arg); err != nil {
		return ""
	}
	var names []string
	cmd.Flags().Visit(func(f *pflag.Flag) {
		if f.NoOptDefVal == "true" {
			names = append(names, f.Name)
		}
	})
	if len(names) == 0 {
		return ""
	}
	return fmt.Sprintf(" (a flag that is true or false takes its value behind =, as in --%s=%s)", names[0], arg)
}

// flagError makes an error of parsing flags one of usage, with a suggestion
// for a flag that does not exist.
func flagError(cmd *cobra.Command, err error) error {
	if missing, ok := errors.AsType[*pflag.NotExistError](err); ok && strings.Contains(missing.GetSpecifiedShortnames(), ".") {
		err = fmt.Errorf("%w; a file whose name starts with a dash is named ./-%s", err, missing.GetSpecifiedShortnames())
	}
	if missing, ok := errors.AsType[*pflag.NotExistError](err); ok && missing.GetSpecifiedShortnames() == "" {
		var names []string
		cmd.Flags().VisitAll(func(f *pflag.Flag) { names = append(names, f.Name) })
		if near, ok := suggest.Nearest(missing.GetSpecifiedName(), names); ok {
			err = fmt.Errorf("%w, did you mean --%s?", err, near)
		}
	}
	if invalid, ok := errors.AsType[*pflag.InvalidValueError](err); ok {
		if n, ok := errors.AsType[*strconv.NumError](err); ok {
			err = fmt.Errorf("--%s %s: want %s", invalid.GetFlag().Name, invalid.GetValue(), wanted(invalid.GetFlag(), n))
		}
	}
	return &usageError{cmd.CommandPath(), err}
}

// wanted says what values a flag takes whose value could not be read.
func wanted(f *pflag.Flag, err *strconv.NumError) string {
	what := "a number"
	switch t := f.Value.Type(); {
	case t == "bool":
		return "true or false"
	case strings.HasPrefix(t, "uint"):
		what = "a whole number from 0 on"
	case strings.HasPrefix(t, "int"):
		what = "a whole number"
	}
	if errors.Is(err, strconv.ErrRange) {
		return what + " that is not so large"
	}
	return what
}

// A command is a subcommand before it is made.
type command struct {
	name  string
	make  func() *cobra.Command
	quick bool // it is mostly done in milliseconds
}

var commands = []command{
	{"run", runCommand, false}, {"tune", tuneCommand, false}, {"build", buildCommand, true}, {"opt", optCommand, true}, {"explain", explainCommand, true},
	{"check", checkCommand, true}, {"fmt", fmtCommand, true}, {"programs", programsCommand, true}, {"graph", graphCommand, false},
	{"devices", devicesCommand, false}, {"gen", genCommand, true}, {"bench", benchCommand, false}, {"jit", jitCommand, false},
	{"serve", serveCommand, false}, {"cuda", cudaCommand, false}, {"klap", klapCommand, false}, {"ptx", ptxCommand, false},
}

// newRoot returns the command for the arguments. When the first is the name of
// a subcommand, the others are not made: they have a hundred flags together,
// and to make them takes longer than to compile a kernel.
func newRoot(args ...string) *cobra.Command {
	root := &cobra.Command{
		Use:           "irgl",
		Short:         "Graph algorithms in IrGL, compiled for GPUs and run on the CPU where there is none",
		Version:       engine.Version(),
		SilenceErrors: true,
		SilenceUsage:  true,
		Args:          noCommand,
		RunE:          func(cmd *cobra.Command, _ []string) error { return cmd.Help() },
	}
	root.SetFlagErrorFunc(flagError)
	root.SetUsageFunc(usage)
	root.PersistentPreRunE = func(cmd *cobra.Command, _ []string) error { return named(cmd) }
	for _, c := range commands {
		if len(args) > 0 && c.name == args[0] {
			root.AddCommand(c.make())
			return root
		}
	}
	for _, c := range commands {
		root.AddCommand(c.make())
	}
	root.AddCommand(versionCommand(root))
	root.SetHelpCommand(helpCommand())
	root.InitDefaultCompletionCmd()
	for _, c := range root.Commands() {
		if c.Name() == "completion" {
			c.Args = noCommand
			c.RunE = func(cmd *cobra.Command, _ []string) error { return cmd.Help() }
		}
	}
	return root
}

// noCommand refuses the arguments of a command that has only subcommands.
func noCommand(cmd *cobra.Command, args []string) error {
	if len(args) > 0 {
		return usagef(cmd, "there is no command %q%s", args[0], didYouMean(cmd, args[0]))
	}
	return nil
}

// helpCommand prints the help of any command.
func helpCommand() *cobra.Command {
	return &cobra.Command{
		Use:   "help [COMMAND]",
		Short: "Explain a command",
		RunE: func(cmd *cobra.Command, args []string) error {
			about, rest, err := cmd.Root().Find(args)
			if err != nil || about == cmd.Root() && len(rest) > 0 {
				return noCommand(cmd.Root(), args)
			}
			about.InitDefaultHelpFlag()
			return about.Help()
		},
	}
}

// versionCommand prints what --version prints.
func versionCommand(root *cobra.Command) *cobra.Command {
	return &cobra.Command{
		Use:   "version",
		Short: "Print the version",
		Args:  argRange(0, 0),
		RunE: func(cmd *cobra.Command, _ []string) error {
			_, err := fmt.Fprintf(cmd.OutOrStdout(), "irgl version %s\n", root.Version)
			return err
		},
	}
}

func didYouMean(cmd *cobra.Command, name string) string {
	cmd.SuggestionsMinimumDistance = 2
	if s := cmd.SuggestionsFor(name); len(s) > 0 {
		return fmt.Sprintf(", did you mean %q?", s[0])
	}
	return ""
}
