package bench

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/source"
)

// The reasons why a kernel of a folder has no measure begin with one of these.
const (
	refused = "refused: "  // the compiler does not take the text
	leftOut = "left out: " // it compiles, but is not run
)

// Folder returns the benchmarks of the .cu files in a folder and below, in the order of
// their paths. A file with a header, or with one in NAME.bench beside it (lines without
// "//bench"), is one benchmark; of any other file each kernel is one, with arguments by its
// parameters. What is not accepted is in the list of results, with the reason.
//
// A benchmark is called after its file, with dots for slashes, and its kernel if the file
// has several; its suite, unless the header says it, is the first folder of its path.
func Folder(dir string, macros map[string]string, included []string) ([]*Spec, []Result, error) {
	var paths []string
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() && filepath.Ext(path) == ".cu" && !isPipe(path) {
			paths = append(paths, path)
		}
		return err
	})
	if err != nil {
		return nil, nil, err
	}
	if len(paths) == 0 {
		return nil, nil, fmt.Errorf("there are no .cu files in %s", dir)
	}
	slices.Sort(paths)
	var specs []*Spec
	var left []Result
	for _, path := range paths {
		more, out, err := ofFile(dir, path, macros, included)
		if err != nil {
			return nil, nil, err
		}
		specs, left = append(specs, more...), append(left, out...)
	}
	return specs, left, nil
}

// isPipe reports whether reading the file could wait for ever: it is a named pipe, a socket or
// a device.
func isPipe(path string) bool {
	info, err := os.Stat(path)
	return err == nil && !info.IsDir() && !info.Mode().IsRegular()
}

// ofFile returns the benchmarks of a file, and what of it is refused.
func ofFile(dir, path string, macros map[string]string, folders []string) ([]*Spec, []Result, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, nil, err
	}
	inside, err := filepath.Rel(dir, path)
	if err != nil {
		return nil, nil, err
	}
	inside = filepath.ToSlash(strings.TrimSuffix(inside, ".cu"))
	suite, _, below := strings.Cut(inside, "/")
	if !below {
		if absolute, err := filepath.Abs(dir); err == nil {
			suite = filepath.Base(absolute)
		}
	}
	name := strings.ReplaceAll(inside, "/", ".")
	in := &includer{read: os.ReadFile, folders: folders, seen: map[string]bool{path: true}, bytes: len(data)}
	text := in.text(path, string(data), 0)
	file := Result{Name: name, Suite: suite}
	if in.missing != "" {
		file.Failed = refused + "it includes " + in.missing + ", which is not there (--include adds folders)"
		return nil, []Result{file}, nil
	}
	beside, bench := 0, strings.TrimSuffix(path, ".cu")+".bench"
	if isPipe(bench) {
		file.Failed = refused + inside + ".bench is not a regular file"
		return nil, []Result{file}, nil
	}
	header, err := os.ReadFile(bench)
	switch {
	case err == nil:
		text += "\n" // line i of the header is line i behind the text, for messages
		beside = len(text)
		for line := range strings.Lines(string(header)) {
			line, _, _ = strings.Cut(line, "#")
			if line = strings.TrimSpace(line); line != "" {
				line = "//bench " + line
			}
			text += line + "\n"
		}
	case !errors.Is(err, fs.ErrNotExist):
		return nil, nil, err
	}
	if strings.Contains(text, "\n//bench ") || strings.HasPrefix(text, "//bench ") {
		s := &Spec{Name: name, File: inside + ".cu", Suite: suite, Text: text, Macros: macros}
		if header != nil {
			s.from, s.first = inside+".bench", strings.Count(text[:beside], "\n")
		}
		if err := s.header(); err != nil {
			file.Failed = refused + err.Error()
			return nil, []Result{file}, nil
		}
		s.Text = deviceText(text, "", false)
		var left []Result
		for _, kernel := range kernelNames(text) {
			if !slices.ContainsFunc(s.Launches, func(l Launch) bool { return l.Kernel == kernel }) {
				left = append(left, Result{Name: name + "." + kernel, Suite: suite, Failed: leftOut + "the header of the file does not launch it"})
			}
		}
		return []*Spec{s}, left, nil
	}
	names := kernelNames(text)
	if len(names) == 0 {
		file.Failed = leftOut + "it has no kernels"
		return nil, []Result{file}, nil
	}
	var specs []*Spec
	var left []Result
	for _, kernel := range names {
		s := &Spec{Name: name, File: inside + ".cu", Suite: suite, Derived: true, Macros: macros}
		if len(names) > 1 {
			s.Name += "." + kernel
		}
		s.Text = deviceText(text, kernel, false)
		err := s.derive(kernel)
		if source.Diagnostics(err) != nil { // of what is around the kernel, perhaps
			again := &Spec{Name: s.Name, File: s.File, Suite: suite, Derived: true, Macros: macros, Text: deviceText(text, kernel, true)}
			if err = again.derive(kernel); source.Diagnostics(err) == nil {
				s = again
			}
		}
		switch {
		case source.Diagnostics(err) != nil:
			left = append(left, Result{Name: s.Name, Suite: suite, Failed: refused + firstLine(err)})
			continue
		case err != nil:
			s.unknown = leftOut + err.Error()
		}
		specs = append(specs, s)
	}
	return specs, left, nil
}

// firstLine returns the first line of an error: of diagnostics, the first error.
func firstLine(err error) string {
	text, _, _ := strings.Cut(strings.TrimSpace(err.Error()), "\n")
	return text
}

// runnable returns why a benchmark cannot be run, or nil. It finds the sizes of a derived
// one.
func (s *Spec) runnable(ctx context.Context, text string, large bool) error {
	switch {
	case s.unknown != "":
		return errors.New(s.unknown)
	case s.Derived:
		return s.findSizes(ctx, text, large)
	}
	return nil
}

// A level is a size at which a derived benchmark is tried.
type level struct{ n, square, cube int64 }

var levels = map[bool][]level{
	false: {{defaultSmall, 1 << 5, 1 << 4}, {1 << 8, 1 << 4, 1 << 3}},
	true:  {{defaultLarge, 1 << 10, 1 << 6}, {1 << 16, 1 << 8, 1 << 5}, {defaultSmall, 1 << 5, 1 << 4}},
}

const (
	// maxCounted bounds the warp instructions of a derived benchmark that is counted on the
	// emulator, for every variant, and maxTimed of one that is timed on a GPU, which the
	// emulator runs once.
	maxCounted = 2_000_000
	maxTimed   = 200_000_000
	// maxSlack bounds how many times as many elements buffers get, in steps of slackStep,
	// until the kernel stays within them, and maxBytes all buffers together.
	maxSlack  = 4096
	slackStep = 16
	maxBytes  = 512 << 20
)

// findSizes finds the size at which the emulator runs the PTX of a derived benchmark without a
// fault: the largest that takes few enough instructions, with buffers as large as the kernel
// wants. A kernel that faults at every size has a reason.
func (s *Spec) findSizes(ctx context.Context, text string, large bool) error {
	o := simt.Options{MaxInstructions: maxCounted}
	if large {
		o.MaxInstructions = maxTimed
	}
	var fault error
	for _, l := range levels[large] {
		for slack := int64(1); slack <= maxSlack; slack *= slackStep {
			s.setSizes(l, slack)
			r, err := s.resolve(large)
			if err != nil {
				return err
			}
			bytes := int64(0)
			for i := range s.Buffers {
				bytes += 2 * r.counts[i] * int64(s.Buffers[i].Type.Size())
			}
			if bytes > maxBytes {
				break
			}
			if fault = s.try(ctx, text, large, o); ctx.Err() != nil {
				return ctx.Err()
			}
			if fault == nil {
				return s.ignoreRaces(ctx, text, large)
			}
			if f, ok := errors.AsType[*simt.Fault](fault); !ok || f.Report.Kind != device.OutOfBounds || f.Before {
				break // larger buffers do not help
			}
		}
		if f, ok := errors.AsType[*simt.Fault](fault); !ok || f.Code != simt.CodeTimeout {
			break
		}
	}
	if fault == nil { // the first buffers are too large
		fault = fmt.Errorf("its buffers exceed %d bytes", int64(maxBytes))
	}
	return errors.New(leftOut + firstLine(fault))
}

// ignoreRaces looks for races of a derived benchmark, at the smallest size. If there are any, its result
// depends on the order of its threads, so its outputs are not compared.
func (s *Spec) ignoreRaces(ctx context.Context, text string, large bool) error {
	sizes := s.Sizes
	list := levels[large]
	s.setSizes(list[len(list)-1], sizes[2].Small)
	dev := simt.Open(simt.Options{MaxInstructions: maxCounted, CheckRaces: true})
	_ = s.tryOn(ctx, text, large, dev) // a fault is one of the size
	if slices.ContainsFunc(dev.Reports(), func(r device.Report) bool { return r.Kind == device.Race }) {
		for i := range s.Buffers {
			b := &s.Buffers[i]
			b.Scratch, b.Out = b.Scratch || b.Out, false
		}
	}
	s.Sizes = sizes
	return errors.Join(ctx.Err(), dev.Close())
}

// setSizes sets the sizes of a derived benchmark.
func (s *Spec) setSizes(l level, slack int64) {
	side := l.square
	if len(s.Launches) > 0 && s.Launches[0].Grid[2] != "1" {
		side = l.cube
	}
	s.Sizes = []Size{{"n", l.n, l.n}, {"side", side, side}, {"slack", slack, slack}}
}

// try runs a benchmark once on an emulated device of its own.
func (s *Spec) try(ctx context.Context, text string, large bool, o simt.Options) error {
	dev := simt.Open(o)
	return errors.Join(s.tryOn(ctx, text, large, dev), dev.Close())
}

func (s *Spec) tryOn(ctx context.Context, text string, large bool, dev device.Device) error {
	x, err := newInstance(dev, s, large)
	if err != nil {
		return err
	}
	p, err := x.load(text)
	if err != nil {
		return err
	}
	_, err = x.run(ctx, p)
	return err
}
