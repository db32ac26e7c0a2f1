package ptxrun

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/ptx"
	"irgl/internal/source"
)

// A Launch is a kernel and how it is launched.
type Launch struct {
	Kernel      string // its name in the PTX or in C++, with or without parameters; "" for the only one
	Grid, Block device.Dim3
	Shared      uint32 // bytes of dynamic shared memory
	Cooperative bool
	Args        []*Arg
	Read        []int  // the arguments whose memory is read when the kernel has ended
	Seed        uint64 // of random numbers
}

// Run launches the kernel of a text on a device and waits for it. It returns what the memory of the arguments that are
// read holds then, by their numbers.
func (l *Launch) Run(ctx context.Context, d device.Device, name, text string) (map[int][]byte, error) {
	tree, err := ptx.Parse(source.NewFile(name, []byte(text)))
	if err != nil {
		return nil, err
	}
	entry, err := l.entry(name, tree)
	if err != nil {
		return nil, err
	}
	mod, err := d.Load(name, text)
	if err != nil {
		return nil, err
	}
	defer mod.Close()
	simt.NameAsCXX(mod)
	k, err := mod.Kernel(entry.Name)
	if err != nil {
		return nil, err
	}
	params, memory, err := l.lay(ctx, d, entry)
	if err != nil {
		return nil, err
	}
	launch := device.Launch{Grid: l.Grid, Block: l.Block, Params: params, Shared: l.Shared, Cooperative: l.Cooperative}
	if err := d.Launch(k, launch); err != nil {
		return nil, err
	}
	if err := d.Sync(ctx); err != nil {
		return nil, err
	}
	out := map[int][]byte{}
	for _, i := range l.Read {
		out[i] = make([]byte, memory[i].size)
		if err := d.CopyOut(out[i], memory[i].at); err != nil {
			return nil, err
		}
	}
	return out, nil
}

// entry returns the kernel that is meant.
func (l *Launch) entry(name string, tree *ptx.Module) (*ptx.Func, error) {
	var all, fit []*ptx.Func
	for _, d := range tree.Decls {
		f, ok := d.(*ptx.Func)
		if !ok || !f.Entry {
			continue
		}
		all = append(all, f)
		if title := simt.CXXName(f.Name); l.Kernel == "" || f.Name == l.Kernel || title == l.Kernel || baseName(title) == l.Kernel {
			fit = append(fit, f)
		}
	}
	if i := slices.IndexFunc(fit, func(f *ptx.Func) bool { return f.Name == l.Kernel }); i >= 0 {
		return fit[i], nil
	}
	var names []string
	for _, f := range all {
		title := simt.CXXName(f.Name)
		if title != f.Name {
			title = f.Name + ", " + title
		}
		names = append(names, "\n  "+title)
	}
	list := strings.Join(names, "")
	switch {
	case len(all) == 0:
		return nil, fmt.Errorf("%s has no kernel", name)
	case len(fit) == 1:
		return fit[0], nil
	case l.Kernel == "":
		return nil, fmt.Errorf("%s has %d kernels, name one of them:%s", name, len(all), list)
	case len(fit) > 1:
		return nil, fmt.Errorf("%s has %d kernels %s, name one of them in full:%s", name, len(fit), l.Kernel, list)
	}
	return nil, fmt.Errorf("%s has no kernel %s; it has%s", name, l.Kernel, list)
}

// baseName returns the name of a C++ function without its parameters and template arguments.
func baseName(title string) string {
	if i := strings.IndexAny(title, "(<"); i > 0 {
		title = title[:i]
	}
	return title[strings.LastIndexByte(title, ' ')+1:]
}

// A piece is the memory of an argument.
type piece struct {
	at   device.Ptr
	size int64
}

// lay lays out the arguments as the parameters of a kernel are, and allocates the memory that they point to.
func (l *Launch) lay(ctx context.Context, d device.Device, f *ptx.Func) (params []byte, memory []piece, err error) {
	if len(l.Args) != len(f.Params) {
		return nil, nil, fmt.Errorf("%d of the %d arguments of the kernel are given: %s", len(l.Args), len(f.Params), signature(f))
	}
	rng := rand.New(rand.NewPCG(l.Seed, 0))
	for i, a := range l.Args {
		p := f.Params[i]
		data, err := a.data(ctx, rng)
		if err != nil {
			return nil, nil, fmt.Errorf("argument %d: %w", i, err)
		}
		m := piece{}
		if a.Pointer {
			if m, data, err = allocate(d, fmt.Sprint("argument ", i), a, data); err != nil {
				return nil, nil, err
			}
		}
		memory = append(memory, m)
		if size, _ := p.ByteSize(); int64(len(data)) != size {
			return nil, nil, fmt.Errorf("argument %d has %d bytes, the parameter has %d: %s", i, len(data), size, signature(f))
		}
		for int64(len(params))%p.Alignment() != 0 {
			params = append(params, 0)
		}
		params = append(params, data...)
	}
	return params, memory, nil
}

// allocate returns the memory of a pointer, and the pointer.
func allocate(d device.Device, name string, a *Arg, data []byte) (m piece, pointer []byte, err error) {
	if a.Fill == "null" {
		return m, make([]byte, 8), nil
	}
	if m.size = int64(len(data)); data == nil {
		m.size = a.Count * int64(a.size())
	}
	if m.at, err = d.Alloc(name, m.size); err != nil {
		return m, nil, err
	}
	if u, ok := d.(interface{ Unwritten(p device.Ptr) }); ok && data == nil {
		u.Unwritten(m.at)
	}
	if data != nil {
		err = d.CopyIn(m.at, data)
	}
	return m, binary.LittleEndian.AppendUint64(nil, uint64(m.at)), err
}

// signature lists the parameters of a kernel.
func signature(f *ptx.Func) string {
	var list []string
	for _, p := range f.Params {
		if size, _ := p.ByteSize(); p.Array {
			list = append(list, fmt.Sprintf("a struct of %d bytes", size))
		} else {
			list = append(list, string(p.Type))
		}
	}
	title := simt.CXXName(f.Name)
	if len(list) == 0 {
		return title + " has none"
	}
	return title + " takes " + strings.Join(list, ", ")
}

// ParseDim reads the extents of a grid or a block: 4, 4,2 or 4,2,2.
func ParseDim(text string) (d device.Dim3, err error) {
	for i, s := range strings.Split(text, ",") {
		n := uint32(0)
		if _, err := fmt.Sscanf(s, "%d", &n); err != nil || n == 0 || i > 2 || fmt.Sprint(n) != s {
			return d, errors.New("extents are one to three positive numbers with commas between them")
		}
		switch i {
		case 0:
			d.X = n
		case 1:
			d.Y = n
		case 2:
			d.Z = n
		}
	}
	return d.Norm(), nil
}
