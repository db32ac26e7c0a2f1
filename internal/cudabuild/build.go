package cudabuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sync/errgroup"

	"irgl/internal/atomicfile"
	"irgl/internal/cxx/hostcode"
	"irgl/internal/infile"
	"irgl/internal/source"
)

// version is what --version prints, in the form that Makefiles and CMake look for in nvcc's.
const version = `irgl: compiler driver for CUDA C++, in nvcc's place
Cuda compilation tools, release 13.0, V13.0.0
`

// Build makes what o asks for. The messages of the tools and our own diagnostics go to
// stderr. Files of an earlier build stay as they are when it fails.
func Build(ctx context.Context, o *Options, stdout, stderr io.Writer) error {
	if o.Mode == Version {
		_, err := io.WriteString(stdout, version)
		return err
	}
	if o.Mode == Architectures {
		for _, n := range architectures {
			if _, err := fmt.Fprintf(stdout, "%s%d\n", o.Output, n); err != nil {
				return err
			}
		}
		return nil
	}
	closed := make(chan os.Signal, 1) // a closed pipe is an error of who writes to it: the folder is removed
	signal.Notify(closed, syscall.SIGPIPE)
	defer signal.Stop(closed)
	dir, err := os.MkdirTemp("", "irgl-build-")
	if err != nil {
		return err
	}
	if !o.Keep {
		defer os.RemoveAll(dir)
	}
	if o, err = o.WithStdin(dir); err != nil {
		return err
	}
	if err := o.checkInputs(); err != nil {
		return err
	}
	if err := o.checkOutput(); err != nil {
		return err
	}
	if err := o.checkArchive(); err != nil {
		return err
	}
	if o.Mode == PTX {
		return ptxOnly(ctx, o, stdout, stderr)
	}
	h, err := newHost(ctx, o, stdout, stderr)
	if err != nil {
		return err
	}
	rt, err := newRuntime(h, dir)
	if err != nil {
		return err
	}
	b := &builder{host: h, runtime: rt, dir: dir}
	if o.Mode == Runtime {
		return b.runtimeLibrary()
	}
	return b.build()
}

// checkInputs reports an input that is not there or is a folder.
func (o *Options) checkInputs() error {
	for _, path := range o.Inputs {
		st, err := os.Stat(path)
		if err != nil {
			return infile.Plain(err)
		}
		if st.IsDir() {
			return fmt.Errorf("%s is a folder: name its sources", path)
		}
	}
	return nil
}

// checkArchive reports a file of --cudadevrt that is not CUDA's device runtime.
func (o *Options) checkArchive() error {
	path := o.archive()
	if path == "" {
		return nil
	}
	const want = "--cudadevrt %s: %s: the path of libcudadevrt.a is expected, static or none"
	text, err := os.ReadFile(path)
	switch {
	case err != nil:
		if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
			err = pathErr.Err
		}
		return fmt.Errorf(want, path, err)
	case !bytes.HasPrefix(text, []byte("!<arch>\n")):
		return fmt.Errorf(want, path, "is not an archive")
	}
	return nil
}

// checkOutput reports an output that cannot be made, before anything is compiled.
func (o *Options) checkOutput() error {
	for i, word := range o.Depend {
		if word == "-MF" && i+1 < len(o.Depend) {
			if err := atomicfile.KeepInput(word, o.Depend[i+1], o.Inputs...); err != nil {
				return err
			}
		}
	}
	if o.Output == "" {
		return nil
	}
	if st, err := os.Stat(o.Output); err == nil && st.IsDir() {
		return fmt.Errorf("-o %s: is a folder", o.Output)
	}
	if err := atomicfile.KeepInput("-o", o.Output, o.Inputs...); err != nil {
		return err
	}
	if st, err := os.Stat(filepath.Dir(o.Output)); err != nil || !st.IsDir() {
		return fmt.Errorf("-o %s: there is no folder %s", o.Output, filepath.Dir(o.Output))
	}
	return nil
}

// A builder builds one program.
type builder struct {
	*host
	runtime *cudaRuntime
	dir     string // of what is made on the way
}

func (b *builder) build() error {
	objects := make([]string, len(b.opts.Inputs))
	group, ctx := errgroup.WithContext(b.ctx)
	group.SetLimit(runtime.GOMAXPROCS(0))
	one := *b
	h := *b.host
	h.ctx = ctx
	one.host = &h
	if b.links() {
		group.Go(func() error { return b.runtime.compile(&h) })
	}
	for i, path := range b.opts.Inputs {
		if !b.opts.isSource(path) {
			objects[i] = path
			continue
		}
		group.Go(func() error {
			out, err := one.source(i, path)
			objects[i] = out
			return err
		})
	}
	if err := group.Wait(); err != nil {
		if b.ctx.Err() != nil {
			return b.ctx.Err()
		}
		return err
	}
	switch {
	case b.links():
		return b.link(objects)
	case b.opts.Mode == Library:
		return b.archive(objects)
	case b.opts.Mode == DeviceLink:
		return b.deviceLink(objects)
	}
	return nil
}

// plainName returns a name with _ in place of what has a meaning in assembler text.
func plainName(name string) string {
	return strings.Map(func(c rune) rune {
		if strings.ContainsRune("\"\\$", c) || c < ' ' {
			return '_'
		}
		return c
	}, name)
}

// links reports whether the build ends with a link, which needs the runtime's object.
func (b *builder) links() bool { return b.opts.Mode == Program || b.opts.Mode == Shared }

// source compiles one source and returns the object.
func (b *builder) source(n int, path string) (string, error) {
	base := filepath.Join(b.dir, fmt.Sprintf("%d-%s", n, plainName(strings.TrimSuffix(filepath.Base(path), filepath.Ext(path)))))
	object := base + ".o"
	if b.opts.Mode == Object {
		object = b.opts.output(path, ".o")
	}
	if !b.opts.isCUDA(path) {
		if b.opts.Mode == Preprocess {
			return "", b.preprocess(path, "-")
		}
		return object, b.replace(object, func(tmp string) error {
			return b.withDependencies(b.command(path, "-c", "-o", tmp), b.dependencies(object), "")
		})
	}
	if b.opts.Mode == Preprocess {
		return "", b.preprocess(path, b.opts.Output, b.opts.Depend...)
	}
	return object, b.replace(object, func(tmp string) error { return b.cuda(path, base, tmp, object) })
}

// cuda compiles a source with host and device code.
func (b *builder) cuda(path, base, object, target string) error {
	asm, messages, hostErr := b.hostHalf(path, base, b.dependencies(target)...)
	if b.ctx.Err() != nil {
		return b.ctx.Err()
	}
	b.say("irgl compiles the device code of %s to %s.ptx, and adds it to %s.s", path, base, base)
	if b.opts.DryRun {
		return b.run("-c", base+".s", "-o", object)
	}
	// Without the host's text the instances that it uses are not known: what is found without them is right.
	kernels, defined := hostcode.Symbols(asm)
	d, diags, err := CompileDevice(b.ctx, path, kernels, b.opts)
	if diags == nil {
		diags = new(source.List)
	}
	b.opts.warnings(diags)
	if err := b.tell(diags, messages, hostErr != nil); err != nil {
		return err
	}
	if hostErr != nil {
		return hostErr
	}
	if diags.Errors() > 0 {
		return ErrReported
	}
	if err != nil {
		return err
	}
	if err := b.opts.explain(d, b.stderr); err != nil {
		return err
	}
	if d != nil {
		if err := os.WriteFile(base+".ptx", []byte(d.PTX), 0o666); err != nil {
			return err
		}
		if plainName(path) != path {
			asm = lineMarker().ReplaceAll(asm, nil)
		}
		if d.ByLibrary != "" {
			if err := os.WriteFile(base+".library.ptx", []byte(d.ByLibrary), 0o666); err != nil {
				return err
			}
		}
		asm = append(asm, tables(path, base, b.opts.archive(), d, defined)...)
		if err := os.WriteFile(base+".s", asm, 0o666); err != nil {
			return err
		}
	}
	return b.run("-c", base+".s", "-o", object)
}

// lineMarker matches the comments by which g++ says what line an asm statement is of, with the file's name
// unquoted, and which the assembler reads.
var lineMarker = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(?m)^# \d+ ".*$`) })

// tell writes the diagnostics of device code and the messages of the host's compiler, which follow if it
// has failed. They are left out if device code has errors of syntax, or kernels that are none: then
// they are about what is left of a text that was not understood.
func (b *builder) tell(diags *source.List, messages []byte, failed bool) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	misread := slices.ContainsFunc(diags.Diags, func(d *source.Diagnostic) bool {
		return d.Severity == source.Error && (strings.HasPrefix(string(d.Code), "XP") || d.Code == "XS049")
	})
	if misread {
		messages = nil
	}
	if failed {
		diags.Render(b.stderr)
	}
	if _, err := b.stderr.Write(messages); err != nil {
		return err
	}
	if !failed {
		diags.Render(b.stderr)
	}
	if m := toolkitHeader().FindSubmatch(messages); m != nil && failed {
		fmt.Fprintf(b.stderr, "irgl: note: %s is of a library of NVIDIA's toolkit, which irgl does not have; docs/cuda.md lists the headers that are there\n", m[1])
	}
	return nil
}

// toolkitHeader finds the message that a header of the toolkit's libraries is missing.
var toolkitHeader = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`fatal error: '?((?:thrust|cub|cuda|cutlass|nv|cooperative_groups|npp)/[^\s':]+|(?:cu(?:blas|fft|sparse|solver|rand|dnn|tensor)|np|nccl|nvrtc|nvml|nvjpeg|nvToolsExt|mma|curand_|cuda_)[^\s':/]*\.h)`)
})

// command returns the arguments that compile a source without device code.
func (b *builder) command(path string, rest ...string) []string {
	args := b.language()
	if filepath.Ext(path) == ".c" {
		args = append([]string{"-x", "c"}, b.opts.Host...)
	}
	args = append(args, "-I"+b.runtime.include)
	args = append(args, b.macros()...)
	return append(append(args, path), rest...)
}

// replace lets do write a file, which takes its place at path when all is well.
func (b *builder) replace(path string, do func(tmp string) error) error {
	if b.opts.DryRun || strings.HasPrefix(path, b.dir) {
		return do(path)
	}
	made := filepath.Join(b.dir, "made-"+filepath.Base(path))
	if err := do(made); err != nil {
		return err
	}
	return atomicfile.Move(b.ctx, made, path)
}

// link makes the program.
func (b *builder) link(objects []string) error {
	out := b.opts.Output
	if out == "" {
		out = filepath.Join(b.opts.Folder, "a.out")
	}
	device, err := b.linkDevice(objects, false)
	if err != nil {
		return err
	}
	return b.replace(out, func(tmp string) error {
		args := append([]string{}, b.opts.Host...)
		if b.opts.Mode == Shared {
			args = append(args, "-shared")
		}
		if device.object != "" {
			args = append(args, device.object) // it names objects of the archives behind it
		}
		args = append(args, objects...)
		if !device.runtime {
			args = append(args, b.runtime.object)
		}
		args = append(args, b.opts.Link...)
		return b.run(append(args, "-ldl", "-lpthread", "-o", tmp)...)
	})
}

// output returns the file that is made of a source.
func (o *Options) output(path, suffix string) string {
	if o.Output != "" {
		return o.Output
	}
	return filepath.Join(o.Folder, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))+suffix)
}

// ptxOnly writes the PTX of each source: all kernels that are no templates, and the
// instances that launches in the source name.
func ptxOnly(ctx context.Context, o *Options, stdout, stderr io.Writer) error {
	device := *o
	device.Klap.HostLaunch = false // what launches these kernels does not know of kernels behind them
	o = &device
	for _, path := range o.sources() {
		d, err := compileDevice(ctx, path, nil, o, stderr)
		if err != nil {
			return err
		}
		text := d.PTX
		if d.ByLibrary != "" {
			text = d.ByLibrary
		}
		write := func(w io.Writer) error {
			_, err := io.WriteString(w, text)
			return err
		}
		if o.Output == "-" {
			err = write(stdout)
		} else {
			err = atomicfile.Write(ctx, o.output(path, ".ptx"), write)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
