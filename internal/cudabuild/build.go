package cudabuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sync/errgroup"

	"irgl/internal/atomicfile"
	"irgl/internal/cxx/hostcode"
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
	dir, err := os.MkdirTemp("", "irgl-build-")
	if err != nil {
		return err
	}
	if !o.Keep {
		defer os.RemoveAll(dir)
	}
	if o, err = o.withStdin(dir); err != nil {
		return err
	}
	for _, path := range o.Inputs {
		st, err := os.Stat(path)
		if pathErr, ok := errors.AsType[*fs.PathError](err); ok {
			return fmt.Errorf("%s: %w", path, pathErr.Err)
		}
		if err != nil {
			return err
		}
		if st.IsDir() {
			return fmt.Errorf("%s is a folder: name its sources", path)
		}
	}
	if err := o.checkOutput(); err != nil {
		return err
	}
	if o.Mode == PTX {
		return ptxOnly(ctx, o, stderr)
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

// checkOutput reports an output that cannot be made, before anything is compiled.
func (o *Options) checkOutput() error {
	for i, word := range o.Depend {
		if word == "-MF" && i+1 < len(o.Depend) {
			if err := o.isInput(word, o.Depend[i+1]); err != nil {
				return err
			}
		}
	}
	if o.Output == "" {
		return nil
	}
	if st, err := os.Stat(o.Output); err == nil {
		if st.IsDir() {
			return fmt.Errorf("-o %s: is a folder", o.Output)
		}
	}
	if err := o.isInput("-o", o.Output); err != nil {
		return err
	}
	if st, err := os.Stat(filepath.Dir(o.Output)); err != nil || !st.IsDir() {
		return fmt.Errorf("-o %s: there is no folder %s", o.Output, filepath.Dir(o.Output))
	}
	return nil
}

// isInput reports an output that would replace a file that is read.
func (o *Options) isInput(flag, output string) error {
	out, err := os.Stat(output)
	if err != nil {
		return nil
	}
	for _, input := range o.Inputs {
		if in, err := os.Stat(input); err == nil && os.SameFile(out, in) {
			return fmt.Errorf("%s %s: is the input file %s", flag, output, input)
		}
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

// links reports whether the build ends with a link, which needs the runtime's object.
func (b *builder) links() bool { return b.opts.Mode == Program || b.opts.Mode == Shared }

// source compiles one source and returns the object.
func (b *builder) source(n int, path string) (string, error) {
	base := filepath.Join(b.dir, fmt.Sprintf("%d-%s", n, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))))
	object := base + ".o"
	if b.opts.Mode == Object {
		object = b.opts.output(path, ".o")
	}
	if !b.opts.isCUDA(path) {
		if b.opts.Mode == Preprocess {
			return "", b.preprocess(path, "-")
		}
		return object, b.replace(object, func(tmp string) error {
			return b.run(append(b.command(path, "-c", "-o", tmp), b.dependencies(object)...)...)
		})
	}
	if b.opts.Mode == Preprocess {
		return "", b.preprocess(path, b.opts.Output, b.opts.Depend...)
	}
	return object, b.replace(object, func(tmp string) error { return b.cuda(path, base, tmp, object) })
}

// cuda compiles a source with host and device code.
func (b *builder) cuda(path, base, object, target string) error {
	if b.opts.DryRun {
		if err := b.preprocess(path, base+".ii", b.dependencies(target)...); err != nil {
			return err
		}
		return b.run("-S", "-x", "c++-cpp-output", base+".host.ii", "-o", base+".s")
	}
	asm, err := b.hostHalf(path, base, b.dependencies(target)...)
	if err != nil {
		return err
	}
	kernels, defined := hostcode.Symbols(asm)
	d, err := compileDevice(b.ctx, path, kernels, b.opts, b.stderr)
	if err != nil {
		return err
	}
	if d != nil {
		if err := os.WriteFile(base+".ptx", []byte(d.PTX), 0o666); err != nil {
			return err
		}
		asm = append(asm, tables(path, base+".ptx", d, defined)...)
		if err := os.WriteFile(base+".s", asm, 0o666); err != nil {
			return err
		}
	}
	return b.run("-c", base+".s", "-o", object)
}

// toolkitHeader finds the message that a header of the toolkit's libraries is missing.
var toolkitHeader = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`fatal error: '?((?:thrust|cub|cuda|cutlass|nv|cooperative_groups|npp)/[^\s':]+|(?:cu(?:blas|fft|sparse|solver|rand|dnn|tensor)|np|nccl|nvrtc|nvml|nvjpeg|nvToolsExt|mma|curand_|cuda_)[^\s':/]*\.h)`)
})

// hostHalf is assemblerText, but when that fails the errors in device code precede those of
// the host's compiler, which are about a text that is rewritten.
func (b *builder) hostHalf(path, base string, flags ...string) ([]byte, error) {
	var messages bytes.Buffer
	h := *b.host
	h.stderr = &messages
	asm, err := (&builder{host: &h, runtime: b.runtime, dir: b.dir}).assemblerText(path, base, flags...)
	if err != nil && b.ctx.Err() == nil {
		// The instances that the host's code uses are not known: what is found without them is right.
		_, _ = compileDevice(b.ctx, path, nil, b.opts, b.stderr)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, werr := b.stderr.Write(messages.Bytes()); err == nil {
		err = werr
	}
	if m := toolkitHeader().FindSubmatch(messages.Bytes()); m != nil && err != nil {
		fmt.Fprintf(b.stderr, "irgl: note: %s is of a library of NVIDIA's toolkit, which irgl does not have; docs/cuda.md lists the headers that are there\n", m[1])
	}
	return asm, err
}

// assemblerText returns what the host's compiler makes of a source's host code.
func (b *builder) assemblerText(path, base string, flags ...string) ([]byte, error) {
	if err := b.preprocess(path, base+".ii", flags...); err != nil {
		return nil, err
	}
	text, err := os.ReadFile(base + ".ii")
	if err != nil {
		return nil, err
	}
	if err := os.WriteFile(base+".host.ii", hostcode.Rewrite(source.NewFile(path, text)), 0o666); err != nil {
		return nil, err
	}
	// The parameters of functions whose bodies are dropped are no fault of the source's.
	args := append(append(b.language(), hostcode.HostFlags...), "-Wno-unused-parameter", "-fno-lto", "-S", "-x", "c++-cpp-output", base+".host.ii", "-o", base+".s")
	if err := b.run(args...); err != nil {
		return nil, err
	}
	return os.ReadFile(base + ".s")
}

// dependencies returns the flags that write the dependencies of a source for make: beside
// the object and about it, unless the command line says otherwise.
func (b *builder) dependencies(object string) []string {
	d := b.opts.Depend
	if len(d) == 0 {
		return nil
	}
	if b.opts.Mode != Object {
		object = b.opts.output(object, "")
	}
	d = slices.Clone(d)
	if !slices.Contains(d, "-MF") {
		d = append(d, "-MF", strings.TrimSuffix(object, filepath.Ext(object))+".d")
	}
	if !slices.Contains(d, "-MT") && !slices.Contains(d, "-MQ") {
		d = append(d, "-MT", object)
	}
	return d
}

// preprocess writes what the host's preprocessor makes of a source.
func (b *builder) preprocess(path, out string, flags ...string) error {
	args := append([]string{"-E", "-x", "c++"}, flags...)
	args = append(args, b.language()...)
	args = append(args, b.runtime.flags()...)
	args = append(args, b.macros()...)
	args = append(args, "-include", "cuda_runtime.h", path)
	if out != "" {
		args = append(args, "-o", out)
	}
	return b.run(args...)
}

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
	return install(made, path)
}

// install moves a file to its place, which may be in another file system. The place has
// the old file or the new one, and nothing between.
func install(from, to string) error {
	old, err := os.Stat(to)
	device := err == nil && !old.Mode().IsRegular() // /dev/null stays one
	if !device && os.Rename(from, to) == nil {
		return nil
	}
	st, err := os.Stat(from)
	if err != nil {
		return err
	}
	text, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	if device {
		return os.WriteFile(to, text, 0o666)
	}
	tmp, err := os.CreateTemp(filepath.Dir(to), "."+filepath.Base(to)+"-*")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	_, err = tmp.Write(text)
	if cerr := tmp.Close(); err == nil {
		err = cerr
	}
	if err == nil {
		err = os.Chmod(tmp.Name(), st.Mode().Perm())
	}
	if err == nil {
		err = os.Rename(tmp.Name(), to)
	}
	return err
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
func ptxOnly(ctx context.Context, o *Options, stderr io.Writer) error {
	for _, path := range o.sources() {
		d, err := compileDevice(ctx, path, nil, o, stderr)
		if err != nil {
			return err
		}
		err = atomicfile.Write(ctx, o.output(path, ".ptx"), func(w io.Writer) error {
			_, err := io.WriteString(w, d.PTX)
			return err
		})
		if err != nil {
			return err
		}
	}
	return nil
}
