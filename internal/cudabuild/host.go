package cudabuild

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"slices"
	"strings"
	"sync"
)

// A host runs the host's compiler.
type host struct {
	ctx    context.Context
	cxx    []string // the compiler, with arguments that $CXX has
	opts   *Options
	stdout io.Writer
	stderr io.Writer
	mu     *sync.Mutex // for messages of commands that run beside each other
}

// ErrNoCompiler says that the machine has no C++ compiler.
var ErrNoCompiler = errors.New("there is no C++ compiler for host code (g++ or clang++): install one, or name it by -ccbin or CXX; " +
	"`irgl cuda run` needs none for programs whose host code is C's kind")

// newHost finds the host's compiler: that of -ccbin, of $CXX, or the first of the usual names.
func newHost(ctx context.Context, o *Options, stdout, stderr io.Writer) (*host, error) {
	h := &host{ctx: ctx, opts: o, stdout: stdout, stderr: stderr, mu: new(sync.Mutex)}
	if o.CXX != "" {
		path, err := compilerIn(o.CXX)
		if err != nil {
			return nil, err
		}
		h.cxx = []string{path}
		return h, nil
	}
	if words := strings.Fields(os.Getenv("CXX")); len(words) > 0 && !isSelf(words[0]) {
		path, err := exec.LookPath(words[0])
		if err != nil {
			return nil, fmt.Errorf("the compiler that CXX names: %w", err)
		}
		h.cxx = append([]string{path}, words[1:]...)
		return h, nil
	}
	for _, name := range []string{"g++", "clang++", "c++"} {
		if path, err := exec.LookPath(name); err == nil {
			h.cxx = []string{path}
			return h, nil
		}
	}
	return nil, ErrNoCompiler
}

// HasCompiler returns an error if the machine has no compiler for host code:
// [ErrNoCompiler], or what is wrong with the one that is named.
func HasCompiler(o *Options) error {
	_, err := newHost(context.Background(), o, nil, nil)
	return err
}

// isSelf reports whether a Makefile has set CXX to irgl itself.
func isSelf(word string) bool {
	return strings.Contains(word, "irgl") || strings.Contains(word, "nvcc")
}

// compilerIn returns the compiler that -ccbin names: a program, or a folder with one.
func compilerIn(name string) (string, error) {
	if st, err := os.Stat(name); err == nil && st.IsDir() {
		for _, n := range []string{"g++", "clang++"} {
			if path, err := exec.LookPath(name + "/" + n); err == nil {
				return path, nil
			}
		}
		return "", fmt.Errorf("-ccbin %s: the folder has neither g++ nor clang++", name)
	}
	switch name { // compilers of C that nvcc is told of mean those of C++
	case "gcc":
		name = "g++"
	case "clang":
		name = "clang++"
	}
	path, err := exec.LookPath(name)
	if err != nil {
		return "", fmt.Errorf("-ccbin: %w", err)
	}
	return path, nil
}

// A ToolError is the failure of a command.
type ToolError struct {
	Command string
	Err     error
	Said    bool // the command has said why on standard error
}

func (e *ToolError) Error() string { return fmt.Sprintf("%s: %v", e.Command, e.Err) }

// Unwrap returns what the command ended with.
func (e *ToolError) Unwrap() error { return e.Err }

// run runs the compiler with args.
func (h *host) run(args ...string) error {
	all := slices.Concat(h.cxx, args)
	if h.opts.Verbose || h.opts.DryRun {
		fmt.Fprintln(h.stderr, quoted(all))
	}
	if h.opts.DryRun {
		return nil
	}
	cmd := exec.CommandContext(h.ctx, all[0], all[1:]...)
	var messages bytes.Buffer
	out := &output{w: h.stdout}
	cmd.Stderr, cmd.Stdout = &messages, out
	err := cmd.Run()
	h.mu.Lock()
	defer h.mu.Unlock()
	if _, werr := h.stderr.Write(messages.Bytes()); err == nil {
		err = werr
	}
	if h.ctx.Err() != nil {
		return h.ctx.Err()
	}
	if out.err != nil { // the reason, whatever the compiler says of the pipe that it then found closed
		return out.err
	}
	if err != nil {
		return &ToolError{all[0], err, messages.Len() > 0}
	}
	return nil
}

// An output keeps why it could not be written.
type output struct {
	w   io.Writer
	err error
}

func (o *output) Write(b []byte) (int, error) {
	n, err := o.w.Write(b)
	if err != nil {
		o.err = err
	}
	return n, err
}

// quoted returns a command as a shell reads it.
func quoted(args []string) string {
	out := make([]string, len(args))
	for i, a := range args {
		if a == "" || strings.ContainsAny(a, " \t\n\"'\\$`*?[]{}()<>|&;#~") {
			a = "'" + strings.ReplaceAll(a, "'", `'\''`) + "'"
		}
		out[i] = a
	}
	return strings.Join(out, " ")
}

// language returns the flags that every compilation of a source has.
func (h *host) language() []string {
	std := h.opts.Std
	if std == "" {
		std = "c++17"
	}
	return append([]string{"-std=" + strings.Replace(std, "c++", "gnu++", 1)}, h.opts.Host...)
}

// macros returns the flags of the preprocessor.
func (h *host) macros() []string {
	var out []string
	for _, d := range h.opts.Defines {
		if d.Undef {
			out = append(out, "-U"+d.Name)
		} else {
			out = append(out, "-D"+d.Name+"="+d.Value)
		}
	}
	for _, dir := range h.opts.Includes {
		out = append(out, "-I"+dir)
	}
	for _, dir := range h.opts.SystemIncludes {
		out = append(out, "-isystem", dir)
	}
	for _, file := range h.opts.Forced {
		out = append(out, "-include", file)
	}
	return out
}
