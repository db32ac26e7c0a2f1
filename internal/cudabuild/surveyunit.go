package cudabuild

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"irgl/internal/compile"
	"irgl/internal/cxx/hostcode"
	"irgl/internal/source"
)

// A unit is a translation unit and what became of its device code.
type unit struct {
	path    string
	files   []*surveyed     // those of its text that define kernels
	have    map[string]bool // the kernels of the PTX
	known   bool            // the host's compiler has said which instances it needs
	hostErr string          // the first error of the host's compiler
	err     string          // the first error of device code
	time    time.Duration

	unread map[*surveyed]map[string]bool // kernels that conditions of the preprocessor remove
}

// needs reports whether the program needs a kernel of one of its files: one that
// conditions of the preprocessor leave in its text and that is not a template of which host
// code uses no instance.
func (u *unit) needs(f *surveyed, k hostcode.Kernel) bool {
	return u.err != "" || !u.unread[f][k.Name] && !(k.Template && u.known)
}

// compile compiles the device code of one unit.
func (u *unit) compile(ctx context.Context, s *survey) {
	start := time.Now()
	defer func() {
		if v := recover(); v != nil {
			u.err = fmt.Sprintf("panic: %v %s", v, panicPlace(debug.Stack()))
		}
	}()
	ctx, cancel := context.WithTimeout(ctx, fileLimit)
	defer cancel()
	opts, err := s.opts.FileOptions(u.path)
	if err != nil {
		u.err = err.Error()
		return
	}
	c, err := opts.Unit(ctx, u.path, nil)
	u.time = time.Since(start)
	u.find(s, c)
	if len(u.files) == 0 {
		return
	}
	if err == nil {
		u.count(c)
		if s.hosts != nil && u.lacksInstances() {
			var kernels []string
			if kernels, u.hostErr = s.hosts.stubs(ctx, u.path, opts); u.hostErr == "" {
				u.known = true
				if c, err = opts.Unit(ctx, u.path, kernels); err == nil {
					u.count(c)
				}
			}
		}
	}
	if err != nil {
		u.err, u.have = err.Error(), nil
		if c != nil {
			u.err = firstError(&c.Diags, u.err)
		}
		return
	}
	if s.ptxas != "" && len(u.have) > 0 {
		if err := assemble(ctx, s.ptxas, c.PTXText(), cmp.Or(s.opts.Target, "sm_75")); err != nil {
			u.err, u.have = "ptxas: "+err.Error(), nil
		}
	}
}

// usualFolders are where sources of public suites have their headers.
var usualFolders = [...]string{".", "include", "inc", "common", "Common", "common/inc", "common/include", "utils", "src"}

// FileOptions returns the options of a source: those of the survey, and of the Makefiles in its
// folder and those above it.
func (o *SurveyOptions) FileOptions(path string) (*Options, error) {
	opts := &Options{Target: o.Target}
	for _, d := range o.Defines {
		if err := opts.define(d); err != nil {
			return nil, err
		}
	}
	opts.takeMakefile(filepath.Dir(path))
	opts.Includes = append(opts.Includes, above(path, slices.Concat(o.Includes, usualFolders[:]))...)
	return opts, nil
}

// find notes the files that define kernels in a unit's text, and which kernels the
// preprocessor removes.
func (u *unit) find(s *survey, c *compile.Unit) {
	paths := []string{u.path}
	if c != nil && c.CXX != nil {
		paths = append(paths, c.CXX.Includes...)
	}
	u.unread = map[*surveyed]map[string]bool{}
	for _, p := range paths {
		f := s.byPath[filepath.Clean(p)]
		if f == nil || u.unread[f] != nil {
			continue
		}
		u.files = append(u.files, f)
		u.unread[f] = map[string]bool{}
		if c == nil || c.CXX == nil {
			continue
		}
		for _, k := range f.kernels {
			u.unread[f][k.Name] = true
		}
		for _, k := range f.kernels {
			if c.CXX.Reads(p, k.Line) {
				u.unread[f][k.Name] = false
			}
		}
	}
}

// count notes which kernels the PTX has.
func (u *unit) count(c *compile.Unit) {
	u.have = map[string]bool{}
	for _, k := range describe(c).Kernels {
		u.have[baseName(k.Symbol)] = true
	}
}

// lacksInstances reports whether a template of the unit has no instance in the PTX.
func (u *unit) lacksInstances() bool {
	for _, f := range u.files {
		for _, k := range f.kernels {
			if k.Template && !u.unread[f][k.Name] && !u.have[k.Name] {
				return true
			}
		}
	}
	return false
}

// surveyHost returns a builder whose commands say nothing, or nil without a compiler.
func surveyHost(ctx context.Context, dir string) *builder {
	h, err := newHost(ctx, &Options{}, io.Discard, io.Discard)
	if err != nil {
		return nil
	}
	rt, err := newRuntime(h, dir)
	if err != nil {
		return nil
	}
	return &builder{host: h, runtime: rt, dir: dir}
}

// stubs returns the symbols of the kernels that a source's host code launches, or the first
// error of the host's compiler.
func (b *builder) stubs(ctx context.Context, path string, o *Options) ([]string, string) {
	dir, err := os.MkdirTemp(b.dir, "file-")
	if err != nil {
		return nil, err.Error()
	}
	defer os.RemoveAll(dir)
	var said bytes.Buffer
	h := *b.host
	h.ctx, h.opts, h.stderr = ctx, o, &said
	asm, err := (&builder{host: &h, runtime: b.runtime, dir: dir}).assemblerText(path, filepath.Join(dir, "a"))
	if err != nil {
		return nil, cmp.Or(compilerError(said.String()), err.Error())
	}
	kernels, _ := hostcode.Symbols(asm)
	return append([]string{}, kernels...), ""
}

// compilerError returns the first error of a compiler's messages, without its place.
func compilerError(said string) string {
	for line := range strings.Lines(said) {
		if _, text, ok := strings.Cut(line, "error: "); ok {
			return strings.TrimSpace(strings.NewReplacer("‘", "'", "’", "'").Replace(text))
		}
	}
	return ""
}

func findPtxas() string {
	if p := os.Getenv("PTXAS"); p != "" {
		return p
	}
	path, _ := exec.LookPath("ptxas")
	return path
}

// makefileLevels is how many folders above a source's may have its Makefile.
const makefileLevels = 4

// takeMakefile takes the folders and macros of the nearest Makefile in a folder and those
// above it: flags -I and -D. Variables have the values that lines NAME = VALUE give them.
func (o *Options) takeMakefile(dir string) {
	var text []byte
	for range makefileLevels {
		var err error
		if text, err = os.ReadFile(filepath.Join(dir, "Makefile")); err == nil {
			break
		}
		dir = filepath.Dir(dir)
	}
	words := makefileWords(string(text))
	for i, w := range words {
		if len(w) == 2 && i+1 < len(words) {
			w += words[i+1]
		}
		if len(w) < 3 || strings.ContainsAny(w, "$()`\"'\\") {
			continue
		}
		switch value := w[2:]; w[:2] {
		case "-D":
			_ = o.define(value)
		case "-I":
			o.Includes = append(o.Includes, above(filepath.Join(dir, "Makefile"), []string{value})...)
		}
	}
}

// makefileWords returns the words of a Makefile, variables that it sets replaced.
func makefileWords(text string) []string {
	vars := []string{}
	for line := range strings.Lines(text) {
		name, value, ok := strings.Cut(line, "=")
		if name = strings.TrimSpace(strings.TrimRight(name, " \t:?")); ok && name != "" && !strings.ContainsAny(name, " \t+$#") {
			value = strings.TrimSpace(value)
			vars = append(vars, "$("+name+")", value, "${"+name+"}", value)
		}
	}
	r := strings.NewReplacer(vars...)
	text = strings.ReplaceAll(r.Replace(r.Replace(text)), "=-", "= -")
	return strings.Fields(text)
}

// firstError returns the first of the diagnostics that is an error, or what is known.
func firstError(list *source.List, known string) string {
	for _, d := range list.Diags {
		if d.Severity == source.Error {
			return fmt.Sprintf("%s [%s]", d.Message, d.Code)
		}
	}
	return known
}

// above returns folders of headers in a file's folder and the four above it that there are.
func above(path string, folders []string) []string {
	var out []string
	dir := filepath.Dir(path)
	for range 5 {
		for _, f := range folders {
			p := f
			if !filepath.IsAbs(f) {
				p = filepath.Join(dir, f)
			}
			if st, err := os.Stat(p); err == nil && st.IsDir() {
				out = append(out, p)
			}
		}
		if up := filepath.Dir(dir); up != dir {
			dir = up
		}
	}
	return out
}

// assemble runs ptxas over a text.
func assemble(ctx context.Context, ptxas, text, target string) error {
	cmd := exec.CommandContext(ctx, ptxas, "-arch="+target, "-o", os.DevNull, "-")
	if runtime.GOOS == "linux" {
		cmd.Args[len(cmd.Args)-1] = "/dev/stdin"
	}
	cmd.Stdin = strings.NewReader(text)
	out, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return fmt.Errorf("not done within %v", fileLimit)
	}
	if _, failed := errors.AsType[*exec.ExitError](err); failed {
		line, _, _ := strings.Cut(strings.TrimSpace(string(out)), "\n")
		return errors.New(line)
	}
	return err
}

// panicPlace returns the function that a panic came from.
func panicPlace(stack []byte) string {
	lines := strings.Split(string(stack), "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, "panic(") && i+2 < len(lines) {
			return lines[i+2]
		}
	}
	return ""
}
