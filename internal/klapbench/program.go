package klapbench

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/sync/errgroup"

	"irgl/internal/cudabuild"
	"irgl/internal/klap/suite"
	"irgl/internal/serve"
)

// An outcome is what a run of a program has given.
type outcome struct {
	Value    float64        `json:"value,omitempty"`    // ms, or warp instructions on the emulator
	Launches int64          `json:"launches,omitempty"` // that the program prints
	Counts   *serve.Counted `json:"counts,omitempty"`   // by the emulator
	Said     string         `json:"said,omitempty"`     // on standard error
	Failed   string         `json:"failed,omitempty"`   // why there is no value
	Probed   []float64      `json:"probed,omitempty"`   // what the probe of the choice gives: milliseconds of parts, or an occupancy
	Round    int            `json:"round,omitempty"`    // of the host's launches, whose parts are switched off

	program string
}

// simtName is the emulator's name in journals.
const simtName = "SIMT emulator"

// The metrics.
const (
	metricTime         = "ms"
	metricInstructions = "instructions"
)

// buildAll builds the programs of cells, several at once; one that cannot be built has an outcome that says why.
func (s *session) buildAll(set set, cells []*Cell) ([]outcome, error) {
	dir, err := os.MkdirTemp(s.dir, set.Benchmark+"-")
	if err != nil {
		return nil, err
	}
	out := make([]outcome, len(cells))
	var group errgroup.Group
	group.SetLimit(max(1, s.o.Jobs))
	for i, c := range cells {
		group.Go(func() error {
			program := filepath.Join(dir, strconv.Itoa(i))
			var said bytes.Buffer
			if err := s.build(c.Choice, filepath.Join(s.dir, set.Benchmark+".cu"), program, &said); err != nil {
				out[i].Failed = "not built: " + line(said.String(), err.Error())
			}
			out[i].program = program
			return nil
		})
	}
	_ = group.Wait() // errors are in the outcomes
	if s.ctx.Err() != nil {
		return nil, context.Cause(s.ctx)
	}
	return out, nil
}

// build builds a program.
func (s *session) build(c Choice, source, program string, said io.Writer) error {
	args := slices.Concat(c.macros(), strings.Fields(c.Flags), c.instruments(), []string{source, "-o", program})
	if c.Compiler == "nvcc" {
		if isTransforming(c.Flags) { // into a text, which nvcc compiles
			text := program + ".cu"
			klap := slices.Concat([]string{"klap"}, c.macros(), strings.Fields(c.Flags), []string{source, "-o", text})
			cmd := exec.CommandContext(s.ctx, s.o.Self, klap...)
			cmd.Stdout, cmd.Stderr = said, said
			if err := cmd.Run(); err != nil {
				return err
			}
			args = slices.Concat(c.macros(), []string{"-I", filepath.Dir(source), text, "-o", program})
			if strings.Contains(c.Flags, perThread) {
				args = append(args, perThread)
			}
		}
		cmd := exec.CommandContext(s.ctx, s.o.NVCC, slices.Concat([]string{"-std=c++17", "-arch=native", "-rdc=true", "-O3", "-lcudadevrt"}, args)...)
		cmd.Stdout, cmd.Stderr = said, said
		return cmd.Run()
	}
	if s.o.Device == "cuda" { // the host makes the data, and checks results
		args = append(args, "-O2")
	}
	o, err := cudabuild.ParseFlags(args)
	if err != nil {
		return err
	}
	return cudabuild.Build(s.ctx, o, io.Discard, said)
}

// line returns the first line of the texts that is not empty.
func line(texts ...string) string {
	for _, t := range texts {
		for l := range strings.Lines(t) {
			if l = strings.TrimSpace(l); l != "" {
				return l
			}
		}
	}
	return ""
}

// countLimit is how many times the limit of a run a program may take on the emulator, which counts what a GPU has run.
const countLimit = 10

// run runs a program once.
func (s *session) run(program string, set set, c Choice, on string) outcome {
	limit := s.o.Limit
	if on != s.o.Device {
		limit *= countLimit
	}
	ctx, cancel := context.WithTimeout(s.ctx, limit)
	defer cancel()
	args, counters := s.arguments(set, c, on), program+".json"
	cmd := exec.CommandContext(ctx, program, args...)
	cmd.Env = append(os.Environ(), "IRGL="+s.o.Self, "IRGL_DEVICE="+on)
	if on == "simt" {
		cmd.Env = append(cmd.Env, "IRGL_SIMT=check=0", "IRGL_COUNTERS="+counters)
	}
	cmd.WaitDelay = 5 * time.Second
	var stdout, stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	r, bad := suite.ParseOutput(stdout.String())
	out := outcome{Value: r.Milliseconds, Launches: r.Launches, Said: line(stderr.String()), Round: r.Round}
	switch c.Probe {
	case probeParts:
		out.Probed = r.Parts
	case probeOccupancy:
		out.Probed = []float64{r.Occupancy}
	}
	switch {
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		out.Failed = fmt.Sprintf("ran for longer than %v", limit)
	case bad == nil && r.Check != "ok":
		out.Failed = "wrong: " + r.Check
	case err != nil:
		out.Failed = cmp.Or(out.Said, err.Error())
	case bad != nil:
		out.Failed = bad.Error()
	case c.Probe == probeParts && len(r.Parts) != len(partNames):
		out.Failed = fmt.Sprintf("the program has printed %d times of parts, want %d", len(r.Parts), len(partNames))
	case on == "simt":
		if out.Counts, err = readCounters(counters); err != nil {
			out.Failed = err.Error()
		} else {
			out.Value = float64(out.Counts.Instructions)
		}
	}
	if out.Failed != "" {
		out.Value, out.Probed = 0, nil
	}
	return out
}

// arguments returns those of a program.
func (s *session) arguments(set set, c Choice, on string) []string {
	args := []string{"--size", set.Size}
	if set.Input != "" {
		args = append(args, "--input", s.inputs[set.Benchmark])
	}
	if on != "simt" {
		args = append(args, "--repeat", strconv.Itoa(inner))
	}
	if c.Pending > 0 {
		args = append(args, "--pending", strconv.Itoa(c.Pending))
	}
	if plain := s.rep.find(stageBreakdown, set, s.rep.baseline(set).probed(probeParts)); c.Probe == probeParts && plain.ok() {
		args = append(args, "--round", strconv.Itoa(plain.turn.Round)) // the work of which is the same
	}
	return args
}

// readCounters reads what the emulator has counted.
func readCounters(path string) (*serve.Counted, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, fmt.Errorf("the emulator has counted nothing: %w", err)
	}
	c := new(serve.Counted)
	return c, json.Unmarshal(text, c)
}
