package gogen

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"

	"irgl/internal/check"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/rt"
)

// A process runs a built program: package rt's main.go has the protocol.
type process struct {
	name   string
	exe    string
	ensure func(context.Context) (string, error) // returns exe, built again if it is gone
	file   *source.File                          // the program's text
	params []rt.Kind
	needs  check.Needs
	// requires is what the graph fits.
	requires check.Requires
	// graph and mesh say that the program has one.
	graph, mesh bool
}

func (p *process) Run(ctx context.Context, in run.Input) (*run.Result, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := in.Complete(ctx, p.needs, p.requires); err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	ri, err := input(p.name, p.params, in)
	if err == nil {
		err = p.world(ri)
	}
	if err != nil {
		return nil, err
	}
	input, err := newShared()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	defer input.remove()
	output, err := newShared()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	defer output.remove()
	w := bufio.NewWriterSize(input.File, 1<<20)
	if err := errors.Join(rt.WriteInput(w, ri.Graph, ri.Mesh), w.Flush()); err != nil {
		return nil, fmt.Errorf("%s: pass the input on: %w", p.name, err)
	}
	args := []string{input.arg(0), output.arg(1), strconv.Itoa(ri.Workers), strconv.Itoa(ri.Room), strconv.Itoa(int(ri.Collect))}
	for _, a := range ri.Args {
		args = append(args, rt.ArgBits(a))
	}
	err = p.start(ctx, p.exe, args, ri.Stdout, input, output)
	if errors.Is(err, fs.ErrNotExist) { // another process has trimmed the cache
		exe, again := p.ensure(ctx)
		if again != nil {
			return nil, again
		}
		err = p.start(ctx, exe, args, ri.Stdout, input, output)
	}
	if err != nil {
		return nil, err
	}
	size, err := output.Seek(0, io.SeekEnd)
	if err == nil {
		_, err = output.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	res, err := rt.ReadResult(output, size)
	if _, ok := errors.AsType[*rt.Fault](err); ok {
		return nil, Located(err, p.file)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	return result(res)
}

// start runs the process to its end. The process ends when this one does, however
// it ends: the reading end of a pipe that nobody writes to is its standard input,
// and Linux sends a signal besides.
func (p *process) start(ctx context.Context, exe string, args []string, stdout io.Writer, files ...shared) error {
	reader, lifeline, err := os.Pipe()
	if err != nil {
		return fmt.Errorf("%s: %w", p.name, err)
	}
	defer lifeline.Close()
	defer reader.Close()
	cmd := exec.CommandContext(ctx, exe, args...)
	var stderr head
	cmd.Stdin, cmd.Stdout, cmd.Stderr = reader, stdout, &stderr
	for _, f := range files {
		cmd.ExtraFiles = append(cmd.ExtraFiles, f.inherit()...)
	}
	// The process is gone, but something it left may hold its output open.
	cmd.WaitDelay = time.Second
	err = runWithParent(cmd)
	switch {
	case ctx.Err() != nil:
		return ctx.Err()
	case err != nil:
		return p.failure(err, stderr.text())
	}
	return nil
}

// world checks that the graph and the mesh that the program has are there, as
// what is not given reaches the process as an empty one, and that the mesh is
// one: what is passed on has one number for several lengths.
func (p *process) world(in rt.Input) error {
	switch {
	case p.graph && in.Graph == nil:
		return fmt.Errorf("%s: no graph", p.name)
	case p.mesh && in.Mesh == nil:
		return fmt.Errorf("%s: no mesh", p.name)
	}
	if in.Mesh != nil {
		if err := in.Mesh.Check(); err != nil {
			return fmt.Errorf("%s: %w", p.name, err)
		}
	}
	return nil
}

// failure describes how the process ended. A program that ends with an error of
// its own says so in one line, with exit status 1; anything else is a crash.
func (p *process) failure(err error, said string) error {
	exit, ok := errors.AsType[*exec.ExitError](err)
	if ok && exit.ExitCode() == 1 && said != "" {
		return errors.New(said)
	}
	if !ok {
		return fmt.Errorf("%s: run the built program: %w", p.name, err)
	}
	if said != "" {
		said = "\n" + said
	}
	return fmt.Errorf("%s crashed (%w); a pointer outside its array is the usual cause%s", p.name, err, said)
}

// head keeps the beginning of what is written to it.
type head struct{ b []byte }

const headSize = 4096

func (h *head) Write(b []byte) (int, error) {
	h.b = append(h.b, b[:min(len(b), headSize-len(h.b))]...)
	return len(b), nil
}

func (h *head) text() string { return strings.TrimSpace(string(h.b)) }
