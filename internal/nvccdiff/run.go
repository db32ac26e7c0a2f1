package nvccdiff

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/ptx"
	"irgl/internal/source"
)

// A program is a PTX text loaded on an emulated device of its own.
type program struct {
	own    bool // ours
	dev    *simt.Device
	module device.Module
	vars   []*variable
}

// A variable is one of a module's, in global or constant memory.
type variable struct {
	name    string
	at      device.Ptr
	initial []byte
}

// maxInstructions bounds the warp instructions of a run of nvcc's code; ours may take slack times as many.
const maxInstructions, slack = 400_000, 4

// load loads a text on a new device, which bounds the instructions of a launch.
func load(name, text string, seed, instructions uint64) (*program, error) {
	tree, err := ptx.Parse(source.NewFile(name, []byte(text)))
	if err != nil {
		return nil, err
	}
	o := simt.Checked()
	o.CheckDeclared = false
	o.MaxInstructions, o.SpinLimit = instructions, instructions/2
	if o.Seed = seed; seed != 0 {
		o.Schedule = simt.Fine
	}
	p := &program{dev: simt.Open(o)}
	if p.module, err = p.dev.Load(name, text); err != nil {
		return nil, errors.Join(err, p.dev.Close())
	}
	for _, d := range tree.Decls {
		v, ok := d.(*ptx.Var)
		if !ok || v.Space == ptx.Shared || v.Managed { // __managed__ variables are pointers in our PTX
			continue
		}
		at, size, err := p.module.Global(v.Name)
		if err != nil {
			return nil, errors.Join(err, p.dev.Close())
		}
		data := make([]byte, size)
		if err := p.dev.CopyOut(data, at); err != nil {
			return nil, errors.Join(err, p.dev.Close())
		}
		p.vars = append(p.vars, &variable{v.Name, at, data})
	}
	return p, nil
}

// A memory is what a run left: the buffers and the variables that both compilers have.
type memory struct {
	buffers [][]byte
	globals [][]byte
}

// errNothing says that a kernel wrote nothing.
var errNothing = errors.New("it writes nothing")

// run launches a kernel and returns the memory after it. The error is a report of the
// emulator's, too.
func (p *program) run(ctx context.Context, k *kernelPair, a *attempt) (m *memory, err error) {
	symbol := k.symbol
	if p.own {
		symbol = k.own
	}
	kernel, err := p.module.Kernel(symbol)
	if err != nil {
		return nil, err
	}
	var at []device.Ptr
	defer func() {
		p.dev.Forget(0)
		for _, q := range at {
			err = errors.Join(err, p.dev.Free(q))
		}
	}()
	for _, b := range a.buffers {
		q, err := p.dev.Alloc(b.name, int64(len(b.data)))
		if err != nil {
			return nil, err
		}
		at = append(at, q)
	}
	block := append([]byte(nil), a.params...)
	data := make([][]byte, len(a.buffers))
	for i, b := range a.buffers {
		data[i] = append([]byte(nil), b.data...)
	}
	for _, x := range a.pending {
		in := block
		if x.in >= 0 {
			in = data[x.in]
		}
		put(in[x.at:], 8, uint64(at[x.to])+a.margin(a.buffers[x.to]))
	}
	for i := range data {
		if err := p.dev.CopyIn(at[i], data[i]); err != nil {
			return nil, err
		}
	}
	if err := p.setVariables(k, a.vars); err != nil {
		return nil, err
	}
	if err := p.dev.Launch(kernel, device.Launch{Grid: a.grid, Block: a.block, Shared: a.shared, Params: block, Cooperative: k.cooperative}); err != nil {
		return nil, err
	}
	if err := p.dev.Sync(ctx); err != nil {
		return nil, err
	}
	for _, r := range p.dev.Reports() {
		// Threads that write one value to one place are in a race, but its result is certain.
		if r.Kind != device.Race || !strings.Contains(r.Message, "the same value") {
			return nil, errors.New(r.String())
		}
	}
	m = &memory{}
	wrote := false
	for i := range data {
		before := data[i]
		after := make([]byte, len(before))
		if err := p.dev.CopyOut(after, at[i]); err != nil {
			return nil, err
		}
		wrote = wrote || string(before) != string(after)
		m.buffers = append(m.buffers, after)
	}
	for i, g := range k.globals {
		q, size, err := p.module.Global(g.name)
		if err != nil {
			return nil, err
		}
		after := make([]byte, size)
		if err := p.dev.CopyOut(after, q); err != nil {
			return nil, err
		}
		before := a.vars[i]
		wrote = wrote || before != nil && string(before) != string(after)
		m.globals = append(m.globals, after)
	}
	if !wrote {
		return m, errNothing
	}
	return m, nil
}

// setVariables gives the variables their first contents: globals, those of the kernel's that both compilers
// have; nil for a variable with an initial value.
func (p *program) setVariables(k *kernelPair, globals [][]byte) error {
	for _, v := range p.vars {
		if err := p.dev.CopyIn(v.at, v.initial); err != nil {
			return err
		}
	}
	for i, g := range k.globals {
		if globals[i] == nil {
			continue
		}
		q, size, err := p.module.Global(g.name)
		if err == nil && size != int64(len(globals[i])) {
			err = fmt.Errorf("variable %s has %d bytes in one text and %d in the other", g.name, size, len(globals[i]))
		}
		if err == nil {
			err = p.dev.CopyIn(q, globals[i])
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// compare returns the first difference of two memories, "" if they agree, floating-point numbers
// within ulps units in the last place.
func (m *memory) compare(k *kernelPair, a *attempt, theirs *memory, ulps uint64) string {
	for i, b := range a.buffers {
		if d := b.compare(m.buffers[i], theirs.buffers[i], ulps); d != "" {
			return d
		}
	}
	for i, g := range k.globals {
		if d := g.compare(m.globals[i], theirs.globals[i], ulps); d != "" {
			return d
		}
	}
	return ""
}

// close gives a program's device back.
func (p *program) close() {
	if p != nil {
		_ = p.dev.Close() // of an emulated device; there is nothing to lose
	}
}
