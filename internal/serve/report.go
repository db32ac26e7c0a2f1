package serve

import (
	"cmp"
	"debug/elf"
	"errors"
	"path/filepath"
	"strconv"
	"strings"

	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/findings"
)

// This file keeps the log of what is found, and writes the reports of [Options].Report.

// startLog begins the log and claims the files of the reports when the first emulated device is opened.
func (s *server) startLog(a *openArgs) error {
	if s.log != nil {
		return nil
	}
	program := cmp.Or(filepath.Base(a.Program), "program")
	l := findings.NewLog(findings.About{Program: program, Version: s.o.Version})
	symbols := findings.NewSymbols(func(path string) (*elf.File, error) { return elf.Open(path) })
	l.Resolve(symbols.Resolve)
	r, notes, err := findings.NewRecorder(l, s.o.Report, a.Process)
	if err != nil {
		return &failure{Kind: kindInput, Message: err.Error()}
	}
	for _, n := range notes {
		s.logf("%s", n)
	}
	s.log = r
	return nil
}

// opened has the log take the reports of a device.
func (s *server) opened(number int, g *gpu, e emulation) {
	d, ok := g.dev.(*simt.Device)
	if !ok {
		return
	}
	g.number = number
	s.log.Opened(number, d, findings.About{Multiprocessors: g.dev.Info().Multiprocessors, Seed: e.Seed, Checked: !e.Unchecked, Leaks: e.Leaks == 1})
}

// closing takes what there is to report of a device.
func (s *server) closing(g *gpu) {
	if s.log != nil && g.kind == "simt" {
		s.log.Closing(g.number)
	}
}

// allocated has the log know where memory was allocated.
func (s *server) allocated(name, stack string) {
	if s.log != nil {
		s.log.Allocated(name, stackOf(stack))
	}
}

// calling has the emulator know where host code queues work.
func (g *gpu) calling(stack string) {
	d, ok := g.dev.(*simt.Device)
	if !ok || stack == "" {
		return
	}
	frames, known := g.stacks[stack]
	if !known {
		frames = stackOf(stack)
		if g.stacks == nil || len(g.stacks) >= maxStacks {
			g.stacks = map[string][]device.Frame{}
		}
		g.stacks[stack] = frames
	}
	d.Calling(frames)
}

// maxStacks bounds the stacks that are kept, since most work is queued at a few places.
const maxStacks = 1 << 12

// stackOf reads frames of host code: "path+offset" a line, in hexadecimal.
func stackOf(text string) []device.Frame {
	var out []device.Frame
	for line := range strings.Lines(text) {
		line = strings.TrimSuffix(line, "\n")
		i := strings.LastIndexByte(line, '+')
		if i < 0 {
			continue
		}
		if _, err := strconv.ParseUint(line[i+1:], 16, 64); err == nil {
			out = append(out, device.Frame{Function: line})
		}
	}
	return out
}

type noteArgs struct {
	header
	Rule  string `cbor:"rule"`
	Text  string `cbor:"text"`
	Stack string `cbor:"stack"`
	File  string `cbor:"file"`
	Line  int    `cbor:"line"`
	// Address is that of a report, of which the client knows that it has memory there.
	Address uint64 `cbor:"address"`
}

// note takes a finding of the client's into the log.
func note(s *server, a *noteArgs) (*gpu, any, error) {
	if _, ok := findings.RuleOf(a.Rule); !ok {
		return nil, nil, argumentf("note: there is no rule %q", a.Rule)
	}
	if s.log == nil {
		return nil, nil, nil
	}
	if a.Address != 0 {
		s.log.OfHost(a.Address, a.Text)
		return nil, nil, nil
	}
	stack := stackOf(a.Stack)
	if a.File != "" {
		stack = []device.Frame{{Position: device.Position{File: a.File, Line: a.Line}}}
	}
	s.log.Call(a.Rule, a.Text, stack)
	return nil, nil, nil
}

type finishArgs struct {
	header
}

type finishResult struct {
	reply
	Lines  []string `cbor:"lines"`
	Failed bool     `cbor:"failed"`
}

// finish ends the log, when the program has ended and its devices have nothing to do.
func finish(s *server, _ *finishArgs) (*gpu, any, error) {
	r := &finishResult{}
	if s.log == nil {
		return nil, r, nil
	}
	s.log.Ended()
	for _, o := range s.handles {
		if g, ok := o.(*gpu); ok {
			s.closing(g)
		}
	}
	lines, err := s.log.Finish()
	s.reported = true
	r.Lines, r.Failed = append(r.Lines, lines...), s.log.Leaked()
	if err != nil {
		return nil, r, &failure{Kind: kindInput, Message: err.Error()}
	}
	return nil, r, nil
}

// endLog writes the reports of a program that has ended without finish.
func (s *server) endLog() error {
	if s.log == nil || s.reported {
		return nil
	}
	lines, err := s.log.Finish()
	for _, l := range lines {
		s.logf("%s", l)
	}
	return err
}

// found writes the reports when a device has found something.
func (s *server) found() error {
	if s.log == nil {
		return nil
	}
	return s.log.Update()
}

// faulted notes the fault of a launch that no report of its device has.
func (s *server) faulted(g *gpu, err error) {
	f, ok := errors.AsType[*simt.Fault](err)
	if s.log == nil || g == nil || !ok {
		return
	}
	s.log.Fault(g.number, f)
}
