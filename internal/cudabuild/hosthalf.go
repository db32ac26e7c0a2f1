package cudabuild

import (
	"bytes"
	"os"
	"slices"

	"irgl/internal/cxx/hostcode"
	"irgl/internal/source"
)

// This file has the host's half of a source: assembler text by the host's compiler.

// hostHalf is assemblerText with the messages of the host's compiler, which are not written yet.
func (b *builder) hostHalf(path, base string, flags ...string) (asm, messages []byte, err error) {
	var said bytes.Buffer
	h := *b.host
	h.stderr = &said
	if h.opts.DryRun {
		h.stderr = b.stderr
	}
	asm, err = (&builder{host: &h, runtime: b.runtime, dir: b.dir}).assemblerText(path, base, flags...)
	return asm, said.Bytes(), err
}

// assemblerText returns what the host's compiler makes of a source's host code.
func (b *builder) assemblerText(path, base string, flags ...string) ([]byte, error) {
	if err := b.preprocess(path, base+".ii", flags...); err != nil {
		return nil, err
	}
	b.say("irgl replaces kernels and launches in %s.ii: %s.host.ii", base, base)
	if !b.opts.DryRun {
		text, err := os.ReadFile(base + ".ii")
		if err != nil {
			return nil, err
		}
		if err := os.WriteFile(base+".host.ii", hostcode.Rewrite(source.NewFile(path, text)), 0o666); err != nil {
			return nil, err
		}
	}
	// The parameters of functions whose bodies are dropped are no fault of the source's.
	args := append(append(b.language(), hostcode.HostFlags...), "-Wno-unused-parameter", "-fno-lto", "-S", "-x", "c++-cpp-output", base+".host.ii", "-o", base+".s")
	if err := b.compileHost(args); err != nil || b.opts.DryRun {
		return nil, err
	}
	return os.ReadFile(base + ".s")
}

// compileHost compiles a rewritten text. Calls that CUDA forbids are warnings of the host's compiler, made errors,
// which -w would silence with all others: so it compiles without -w first, and with it if that
// found something.
func (b *builder) compileHost(args []string) error {
	if !slices.Contains(args, "-w") || b.opts.DryRun {
		return b.run(args...)
	}
	var said bytes.Buffer
	h := *b.host
	h.stderr = &said
	loud := slices.DeleteFunc(slices.Clone(args), func(a string) bool { return a == "-w" })
	err := h.run(loud...)
	if err == nil || h.ctx.Err() != nil {
		return err
	}
	if err := b.run(args...); err != nil {
		return err
	}
	forbidden := forbiddenCalls(said.Bytes())
	if len(forbidden) == 0 {
		return nil
	}
	if _, err := b.stderr.Write(forbidden); err != nil {
		return err
	}
	return err
}

// forbiddenCalls returns the messages about calls that CUDA forbids, each with the lines behind it up to the
// next message.
func forbiddenCalls(messages []byte) []byte {
	var out []byte
	keep := false
	for line := range bytes.Lines(messages) {
		switch {
		case bytes.Contains(line, []byte("-Werror=attribute-warning")):
			keep = true
		case len(line) > 0 && line[0] != ' ':
			keep = false
		}
		if keep {
			out = append(out, line...)
		}
	}
	return out
}
