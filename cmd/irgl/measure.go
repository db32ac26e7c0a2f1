package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"irgl/internal/device/cuda"
	"irgl/internal/engine"
	"irgl/internal/journal"
	"irgl/internal/paper"
	"irgl/internal/source"
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

// check refuses flags that cannot work before anything is read; verb is what is done
// with switches, which some devices do not have.
func (f *measureFlags) check(cmd *cobra.Command, verb string) error {
	kind, _, err := engine.ParseDevice(f.device)
	switch {
	case err != nil:
		return &usageError{cmd.CommandPath(), err}
	case kind == "cpu" || kind == "interp":
		return usagef(cmd, "--device %s has no switches to %s: cuda and simt have", f.device, verb)
	case f.compilers < -1:
		return usagef(cmd, "--compilers %d: want 1 or more, 0 for none, or -1 for some", f.compilers)
	case f.limit <= 0:
		return usagef(cmd, "--limit %v: a run takes some time", f.limit)
	case f.resume && f.journal == "":
		return usagef(cmd, "--resume goes on with the file of --journal: name one")
	case kind == "auto":
		f.device, kind = "cuda", "cuda" // the CPU, which auto may be, has no switches
	}
	if f.compilers < 0 {
		f.compilers = someCompilers()
	}
	if kind != "cuda" { // the emulator loads at once
		f.compilers = 0
	}
	return nil
}

// someCompilers is how many processes compile ahead where no number is given.
func someCompilers() int { return max(0, min(8, runtime.GOMAXPROCS(0)-2)) }

// helper returns the command that compiles ahead, nil for none.
func (f *measureFlags) helper() []string { return helperFor(f.device) }

func helperFor(device string) []string {
	self, err := os.Executable()
	if err != nil {
		return nil
	}
	return []string{self, "jit", "--device", device}
}

// open opens a session, with help.
func (f *measureFlags) open() (*engine.Session, error) {
	s, err := engine.OpenSession(engine.Options{Device: f.device, Unchecked: true})
	if helper := f.helper(); err == nil && f.compilers > 0 && helper != nil {
		s.CompileAhead(f.compilers, helper...)
	}
	return s, orEmulate(err)
}

// orEmulate adds a hint to an error that says that there is no GPU.
func orEmulate(err error) error {
	if errors.Is(err, cuda.ErrNoDriver) || errors.Is(err, cuda.ErrNoDevice) {
		return fmt.Errorf("%w; --device simt measures costs on the emulator", err)
	}
	return err
}

// openJournal opens the journal of a session, nil for none, with what it has.
func (f *measureFlags) openJournal(s *engine.Session) (*journal.Journal, []journal.Line, error) {
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

// An output is a file of results.
type output struct {
	name  string
	write func(io.Writer) error
}

// writeAll writes results to a folder, each file complete or not at all.
func writeAll(ctx context.Context, cmd *cobra.Command, dir string, list []output) error {
	_, missing := os.Stat(dir)
	err := os.MkdirAll(dir, 0o777)
	for _, o := range list {
		if err == nil {
			err = writeTo(ctx, cmd, filepath.Join(dir, o.name), o.write)
		}
	}
	if err != nil && errors.Is(missing, fs.ErrNotExist) {
		_ = os.Remove(dir) // unless one of the files is in it
	}
	return err
}

// closeUnlessInterrupted closes a session; of one that was interrupted it would wait
// for the kernel.
func closeUnlessInterrupted(cmd *cobra.Command, s *engine.Session) {
	if cmd.Context().Err() == nil {
		_ = s.Close() // an error does not change what was measured
	}
}

// A line shows on a terminal what is being done, in one line that is written over.
func line(cmd *cobra.Command, text string) {
	if shows(cmd) {
		fmt.Fprintf(rawStderr(cmd), "\r%-110.110s", source.Visible(text))
	}
}

// endLine takes it away.
func endLine(cmd *cobra.Command) {
	if shows(cmd) {
		fmt.Fprintf(rawStderr(cmd), "\r%110s\r", "")
	}
}

// interrupted says that a report is not whole, when an interrupt has ended what
// it is about, or the loss of the device, and returns other errors.
func interrupted(cmd *cobra.Command, err error) error {
	if _, lost := errors.AsType[*paper.LostError](err); lost {
		fmt.Fprintf(cmd.ErrOrStderr(), "irgl: %v; a new process with --resume may go on\n", err)
		return errLost
	}
	if cmd.Context().Err() == nil {
		return err
	}
	fmt.Fprintln(cmd.ErrOrStderr(), "irgl: interrupted: the report has what was measured until then")
	return errPartial
}

// journalIn returns the journal of a folder of results, unless one was named.
func (f *measureFlags) journalIn(dir string) {
	if f.journal == "" && dir != "" {
		f.journal = filepath.Join(dir, "journal.jsonl")
	}
}
