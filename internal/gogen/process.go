package gogen

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"irgl/internal/check"
	"irgl/internal/gogen/rt"
	"irgl/internal/run"
)

// A process runs a built program: package rt's main.go has the protocol.
type process struct {
	name   string
	exe    string
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
	dir, err := os.MkdirTemp("", "irgl-")
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	defer os.RemoveAll(dir)
	inputFile, resultFile := filepath.Join(dir, "input"), filepath.Join(dir, "result")
	if err := writeFile(inputFile, func(w io.Writer) error { return rt.WriteInput(w, ri.Graph, ri.Mesh) }); err != nil {
		return nil, fmt.Errorf("%s: pass the input on: %w", p.name, err)
	}
	args := []string{inputFile, resultFile, strconv.Itoa(ri.Workers), strconv.Itoa(ri.Room), strconv.Itoa(int(ri.Collect))}
	for _, a := range ri.Args {
		args = append(args, rt.ArgBits(a))
	}
	cmd := exec.CommandContext(ctx, p.exe, args...)
	var stderr head
	cmd.Stdout, cmd.Stderr = ri.Stdout, &stderr
	// The process is gone, but something it left may hold its output open.
	cmd.WaitDelay = time.Second
	err = cmd.Run()
	if ctx.Err() != nil {
		return nil, ctx.Err()
	}
	if err != nil {
		return nil, p.failure(err, stderr.text())
	}
	f, err := os.Open(resultFile)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	defer f.Close()
	stat, err := f.Stat()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	res, err := rt.ReadResult(f, stat.Size())
	if err != nil {
		return nil, fmt.Errorf("%s: %w", p.name, err)
	}
	return result(res)
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
	if said != "" {
		said = "\n" + said
	}
	return fmt.Errorf("%s crashed (%w); a kernel that uses a node, edge, point, element or pointer that does not exist is the usual cause%s", p.name, err, said)
}

func writeFile(name string, write func(io.Writer) error) error {
	f, err := os.Create(name)
	if err != nil {
		return err
	}
	b := bufio.NewWriterSize(f, 1<<20)
	return errors.Join(write(b), b.Flush(), f.Close())
}

// head keeps the beginning of what is written to it.
type head struct{ b []byte }

const headSize = 4096

func (h *head) Write(b []byte) (int, error) {
	h.b = append(h.b, b[:min(len(b), headSize-len(h.b))]...)
	return len(b), nil
}

func (h *head) text() string { return strings.TrimSpace(string(h.b)) }
