package cudabuild

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"irgl/internal/atomicfile"
)

// archive makes a library of the objects.
func (b *builder) archive(objects []string) error {
	return b.archiveAs(cmp.Or(b.opts.Output, b.opts.output("a", ".a")), objects)
}

// runtimeLibrary makes the runtime a library of the names that Makefiles link: -lcudart and -lcudart_static.
func (b *builder) runtimeLibrary() error {
	if st, err := os.Stat(b.opts.Folder); err != nil || !st.IsDir() {
		return fmt.Errorf("--runtime %s: there is no such folder", b.opts.Folder)
	}
	if err := b.runtime.compile(b.host); err != nil {
		return err
	}
	for _, name := range []string{"libcudart.a", "libcudart_static.a"} {
		if err := b.archiveAs(filepath.Join(b.opts.Folder, name), []string{b.runtime.object}); err != nil {
			return err
		}
	}
	return nil
}

// archiveAs makes the library out of the objects, with the machine's ar.
func (b *builder) archiveAs(out string, objects []string) error {
	ar, err := exec.LookPath("ar")
	if err != nil {
		return fmt.Errorf("libraries are made by ar: %w", err)
	}
	return b.replace(out, func(tmp string) error {
		h := *b.host
		h.cxx = []string{ar}
		return h.run(append([]string{"rcs", tmp}, objects...)...)
	})
}

// deviceLink makes the object of -dlink, for Makefiles that link device code in a step of its
// own: the linked code and the runtime, so that the host's compiler can link the program. It
// is empty if the objects have no device code to link, for then each has its own.
func (b *builder) deviceLink(objects []string) error {
	if err := b.runtime.compile(b.host); err != nil {
		return err
	}
	device, err := b.linkDevice(objects, true)
	if err != nil {
		return err
	}
	return b.replace(cmp.Or(b.opts.Output, b.opts.output("a_dlink", ".o")), func(tmp string) error {
		if device.object == "" {
			return b.run("-c", "-x", "c++", os.DevNull, "-o", tmp)
		}
		return atomicfile.Move(b.ctx, device.object, tmp)
	})
}

// WithStdin returns o with a file in dir in place of the source "-".
func (o *Options) WithStdin(dir string) (*Options, error) {
	i := slices.Index(o.Inputs, "-")
	if i < 0 {
		return o, nil
	}
	text, err := io.ReadAll(os.Stdin)
	if err != nil {
		return nil, err
	}
	path := filepath.Join(dir, "stdin.cu")
	if err := os.WriteFile(path, text, 0o666); err != nil {
		return nil, err
	}
	own := *o
	own.Inputs = slices.Clone(o.Inputs)
	own.Inputs[i] = path
	own.Includes = append([]string{"."}, o.Includes...) // as if it were in the working folder
	return &own, nil
}
