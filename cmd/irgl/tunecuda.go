package main

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"irgl/internal/atomicfile"
	"irgl/internal/bench"
	"irgl/internal/cudabuild"
	"irgl/internal/device/cuda"
	"irgl/internal/infile"
	"irgl/internal/serve"
	"irgl/internal/tune"
)

// ofLaunches are the flags of irgl tune that .cu programs have.
var ofLaunches = []string{"device", "limit", "budget", "candidates", "repeat", "dry-run", "json", "out", "verbose", "tuning", "build", "figure"}

// isCUDA reports whether the arguments of irgl tune are a CUDA program and, behind --, what it is run with.
func isCUDA(args []string) bool { return len(args) > 0 && filepath.Ext(args[0]) == ".cu" }

// cuda tunes the launches in device code of a CUDA program.
func (f *tuneFlags) cuda(cmd *cobra.Command, args []string) error {
	if n := cmd.ArgsLenAtDash(); len(args) > 1 && n != 1 {
		return usagef(cmd, "%s is CUDA: it is tuned alone, and its arguments are behind --", args[0])
	}
	for _, name := range changedFlags(cmd) {
		if !slices.Contains(ofLaunches, name) {
			return usagef(cmd, "--%s is for programs on graphs, and %s is CUDA", name, args[0])
		}
	}
	if err := f.measureFlags.check(cmd, "tune"); err != nil {
		return err
	}
	if f.repeat < 1 || f.budget < 0 || f.most < 0 {
		return usagef(cmd, "--repeat is at least 1, and a limit cannot be negative; 0 is no limit")
	}
	m := &launchMeasurer{f: f, source: args[0], args: args[1:], programs: map[tune.LaunchChoice]string{}}
	if err := m.begin(cmd); err != nil {
		return err
	}
	defer os.RemoveAll(m.dir)
	rep, err := tune.SearchLaunches(cmd.Context(), m, tune.LaunchOptions{Repeats: f.repeat, Candidates: f.most, Budget: f.budget, Progress: func(t *tune.LaunchTrial) {
		switch {
		case f.verbose && t.Failed != "":
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: %s\n", t.Choice, t.Failed)
		case f.verbose:
			fmt.Fprintf(cmd.ErrOrStderr(), "%s: %.4g\n", t.Choice, t.Value())
		default:
			line(cmd, t.Choice.String())
		}
	}})
	endLine(cmd)
	if rep == nil {
		return fmt.Errorf("%s: %w", args[0], err)
	}
	rep.Program, rep.Device, rep.Unit = args[0], m.about, m.unit
	print := rep.WriteMarkdown
	if f.asJSON {
		print = func(w io.Writer) error { return json.NewEncoder(w).Encode(rep) }
	}
	err = errors.Join(interrupted(cmd, err), writeTo(context.WithoutCancel(cmd.Context()), cmd, f.out, print))
	if err != nil || f.dry {
		return err
	}
	return m.save(cmd, rep.Best)
}

// changedFlags returns the names of the flags that were given.
func changedFlags(cmd *cobra.Command) []string {
	var out []string
	cmd.Flags().Visit(func(f *pflag.Flag) { out = append(out, f.Name) })
	return out
}

// A launchMeasurer builds a CUDA program for choices, and runs it.
type launchMeasurer struct {
	f        *tuneFlags
	source   string
	args     []string
	dir      string // of programs
	self     string
	about    string // the device
	unit     string
	figure   *regexp.Regexp // nil for the time of the process
	programs map[tune.LaunchChoice]string
}

// begin checks what the measurement needs.
func (m *launchMeasurer) begin(cmd *cobra.Command) error {
	m.about, m.unit = "SIMT emulator", "cost"
	if m.f.device != "simt" {
		list, err := cuda.List()
		if err != nil {
			return orEmulate(err)
		}
		m.about, m.unit = list[0].Name, "ms of the process"
	}
	if m.f.figure != bench.FigureElapsed {
		var err error
		if m.figure, err = regexp.Compile(m.f.figure); err != nil || m.figure.NumSubexp() != 1 {
			return usagef(cmd, "--figure %s: want %s, or a regular expression with one group, the number that the program prints", m.f.figure, bench.FigureElapsed)
		}
		m.unit = m.f.figure
	}
	o, err := cudabuild.ParseFlags(append(strings.Fields(m.f.build), m.source))
	if err != nil {
		return &usageError{cmd.CommandPath(), fmt.Errorf("--build: %w", err)}
	}
	if o.Mode != cudabuild.Program || o.Output != "" || o.Klap.On() {
		return usagef(cmd, "--build %s: these are flags for a program as it is written, without -o", m.f.build)
	}
	if _, err := os.Stat(m.source); err != nil {
		return infile.Plain(err)
	}
	if err := cudabuild.HasCompiler(o); err != nil {
		return err
	}
	if m.self, err = os.Executable(); err != nil {
		return err
	}
	m.dir, err = os.MkdirTemp("", "irgl-tune-")
	return err
}

// Identity builds the program of a choice, and returns a digest of it.
func (m *launchMeasurer) Identity(ctx context.Context, c tune.LaunchChoice) (string, error) {
	program := filepath.Join(m.dir, strconv.Itoa(len(m.programs)))
	o, err := cudabuild.ParseFlags(slices.Concat(strings.Fields(m.f.build), c.Flags(), []string{m.source, "-o", program}))
	if err != nil {
		return "", err
	}
	var said bytes.Buffer
	if err := cudabuild.Build(ctx, o, io.Discard, &said); err != nil {
		return "", fmt.Errorf("not built: %s", firstLine(said.String(), err.Error()))
	}
	text, err := os.ReadFile(program)
	if err != nil {
		return "", err
	}
	m.programs[c] = program
	return fmt.Sprintf("%x", sha256.Sum256(text)), nil
}

// Measure runs the program of a choice.
func (m *launchMeasurer) Measure(ctx context.Context, c tune.LaunchChoice) (float64, error) {
	ctx, cancel := context.WithTimeout(ctx, m.f.limit)
	defer cancel()
	program := m.programs[c]
	cmd := exec.CommandContext(ctx, program, m.args...)
	cmd.Env = append(os.Environ(), "IRGL_DEVICE="+strings.TrimSuffix(m.f.device, ":0"), "IRGL="+m.self)
	if m.f.device == "simt" && m.figure == nil {
		cmd.Env = append(cmd.Env, "IRGL_COUNTERS="+program+".json")
	}
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	start := time.Now()
	err := cmd.Run()
	took := time.Since(start)
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return 0, fmt.Errorf("ran for longer than %v", m.f.limit)
	case err != nil:
		return 0, fmt.Errorf("%w: %s", err, firstLine(stderr.String(), stdout.String()))
	case m.figure != nil:
		found := m.figure.FindStringSubmatch(stdout.String())
		if found == nil {
			return 0, errors.New("the program does not print the figure")
		}
		return strconv.ParseFloat(found[1], 64)
	case m.f.device == "simt":
		text, err := os.ReadFile(program + ".json")
		if err != nil {
			return 0, fmt.Errorf("the emulator has counted nothing: %w", err)
		}
		var counted serve.Counted
		err = json.Unmarshal(text, &counted)
		return tune.Cost(counted.Counters), err
	}
	return took.Seconds() * 1000, nil
}

// firstLine returns the first line of texts that is not empty.
func firstLine(texts ...string) string {
	for _, t := range texts {
		for l := range strings.Lines(t) {
			if l = strings.TrimSpace(l); l != "" {
				return l
			}
		}
	}
	return ""
}

// save writes the flags of the choice to a file that -optf reads.
func (m *launchMeasurer) save(cmd *cobra.Command, c tune.LaunchChoice) error {
	path := strings.TrimSuffix(m.source, ".cu") + ".flags"
	if cmd.Flags().Changed("tuning") {
		path = m.f.tuning
	}
	if err := atomicfile.KeepInput("--tuning", path, m.source); err != nil {
		return err
	}
	text := strings.Join(c.Flags(), "\n")
	if text != "" {
		text += "\n"
	}
	if err := atomicfile.Write(cmd.Context(), path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}); err != nil {
		return err
	}
	words := strings.Join(append([]string{"irgl cuda build"}, strings.Fields(m.f.build)...), " ")
	note(cmd, "the flags are in %s: %s -optf %s %s", path, words, path, m.source)
	return nil
}
