package cudabuild

import (
	"cmp"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// archive makes a library of the objects, with the machine's ar.
func (b *builder) archive(objects []string) error {
	ar, err := exec.LookPath("ar")
	if err != nil {
		return fmt.Errorf("-lib: %w", err)
	}
	return b.replace(cmp.Or(b.opts.Output, b.opts.output("a", ".a")), func(tmp string) error {
		h := *b.host
		h.cxx = []string{ar}
		return h.run(append([]string{"rcs", tmp}, objects...)...)
	})
}

// deviceLink makes the object that nvcc's -dlink makes, for Makefiles with this step: the device code of
// a program is in its objects, and so this one is empty.
func (b *builder) deviceLink() error {
	return b.replace(cmp.Or(b.opts.Output, b.opts.output("a_dlink", ".o")), func(tmp string) error {
		return b.run("-c", "-x", "assembler", os.DevNull, "-o", tmp)
	})
}

// withStdin returns o with a file in dir in place of the source "-".
func (o *Options) withStdin(dir string) (*Options, error) {
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
