package gogen

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"irgl/internal/check"
	"irgl/internal/run"
	"irgl/internal/source"
	"irgl/rt"
)

const (
	// moduleName is the name of a built program's module, moduleGo the oldest Go
	// that compiles it: package rt uses sync.WaitGroup.Go.
	moduleName = "irglprogram"
	moduleGo   = "1.25"
)

// Build generates the program of info, whose text is text, as a module of its
// own, compiles it and returns an engine that runs it as a process. Compiled
// programs are kept in a private cache under a hash of the generated files, so that
// a second Build of the same program takes no time and needs no toolchain. Several
// processes may build the same program at once. slow, which may be nil, is called when a
// compilation has taken two seconds. [Fallback] says what to do about the error.
func Build(ctx context.Context, info *check.Info, text []byte, slow func()) (run.Engine, error) {
	name := strings.TrimSuffix(filepath.Base(info.File.Name), filepath.Ext(info.File.Name))
	code, err := Generate(info, Options{Package: "main", Program: name, Source: Hash(text), RT: moduleName + "/rt"})
	if err != nil {
		return nil, err
	}
	files, err := moduleFiles(code)
	if err != nil {
		return nil, err
	}
	ensure := func(ctx context.Context) (string, error) {
		c, err := openCache()
		if err != nil {
			return "", err
		}
		key := moduleHash(files)
		if exe := c.lookup(key); exe != "" {
			return exe, nil
		}
		return c.build(ctx, key, func(work, out string) error {
			defer after(slowBuild, slow)()
			return compile(ctx, files, work, out)
		})
	}
	exe, err := ensure(ctx)
	if err != nil {
		return nil, err
	}
	p := &process{name: name, exe: exe, ensure: ensure, file: info.File.From.File, graph: info.Graph != nil, mesh: info.Mesh != nil, needs: info.Needs, requires: info.Requires}
	for _, t := range info.Entry.Type.Params {
		b, _ := t.(check.Basic)
		p.params = append(p.params, rtKinds()[kinds()[b].goType])
	}
	return p, nil
}

// slowBuild is how long a compilation runs before Build says so: a cold cache of the
// Go toolchain costs half a minute.
const slowBuild = 2 * time.Second

// after calls f, unless it is nil, when d has passed. The function that it returns
// stops that, or waits for the end of the call.
func after(d time.Duration, f func()) (stop func()) {
	if f == nil {
		return func() {}
	}
	ended := make(chan struct{})
	timer := time.AfterFunc(d, func() { defer close(ended); f() })
	return func() {
		if !timer.Stop() {
			<-ended
		}
	}
}

// rtKinds maps Go's types to rt's kinds.
var rtKinds = sync.OnceValue(func() map[string]rt.Kind {
	return map[string]rt.Kind{
		"int8": rt.Int8, "uint8": rt.Uint8, "int16": rt.Int16, "uint16": rt.Uint16, "int32": rt.Int32, "uint32": rt.Uint32,
		"int64": rt.Int64, "uint64": rt.Uint64, "float32": rt.Float32, "float64": rt.Float64,
	}
})

// moduleFiles returns the files of a program's module.
func moduleFiles(code []byte) (map[string][]byte, error) {
	files := map[string][]byte{
		"go.mod":  []byte("module " + moduleName + "\n\ngo " + moduleGo + "\n"),
		"main.go": code,
	}
	names, err := fs.Glob(rt.Sources, "*.go")
	if err != nil {
		return nil, err
	}
	for _, n := range names {
		if n == "sources.go" || strings.HasSuffix(n, "_test.go") {
			continue
		}
		if files["rt/"+n], err = rt.Sources.ReadFile(n); err != nil {
			return nil, err
		}
	}
	return files, nil
}

// moduleHash returns a hash of the files and the target.
func moduleHash(files map[string][]byte) string {
	h := sha256.New()
	fmt.Fprintln(h, runtime.GOOS, runtime.GOARCH)
	for _, name := range slices.Sorted(maps.Keys(files)) {
		fmt.Fprintln(h, name, len(files[name]))
		h.Write(files[name])
	}
	return hex.EncodeToString(h.Sum(nil)[:16])
}

// Fallback reports whether the interpreter should run a program called name that
// Build returned err for, and says why, for a note to the user.
func Fallback(err error, name string) (reason string, ok bool) {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return "", false
	}
	// What the language has and generated Go has not comes as diagnostics.
	if refused := source.Diagnostics(err); refused != nil && len(refused.Diags) > 0 {
		return fmt.Sprintf("%s cannot become Go code: %v", name, refused.Diags[0]), true
	}
	return fmt.Sprintf("%s cannot be compiled for the CPU: %s", name, oneLine(err)), true
}

// oneLine returns an error as one line. Of a failed build it is the last lines of what
// the Go tool said: a line that begins with # only names the package.
func oneLine(err error) string {
	failed, ok := errors.AsType[*buildError](err)
	if !ok {
		first, _, _ := strings.Cut(err.Error(), "\n")
		return strings.TrimSuffix(first, ":")
	}
	var lines []string
	for line := range strings.Lines(failed.said) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			lines = append(lines, line)
		}
	}
	if len(lines) == 0 {
		return fmt.Sprintf("go build: %v", failed.err)
	}
	return "go build: " + strings.Join(lines[max(0, len(lines)-lastLines):], "; ")
}

// lastLines is how many lines of the Go tool's output a note to the user has.
const lastLines = 3

// A buildError says how the Go tool failed, and what it said.
type buildError struct {
	err  error
	said string
}

func (e *buildError) Error() string {
	if e.said == "" {
		return fmt.Sprintf("go build: %v", e.err)
	}
	return fmt.Sprintf("go build: %v: %s", e.err, e.said)
}

func (e *buildError) Unwrap() error { return e.err }

func exeSuffix() string {
	if runtime.GOOS == "windows" {
		return ".exe"
	}
	return ""
}

// goTool finds the go command: in PATH, or where Go says it is installed.
func goTool() (string, error) {
	if p, err := exec.LookPath("go"); err == nil {
		return p, nil
	}
	for _, root := range []string{os.Getenv("GOROOT"), "/usr/local/go"} {
		p := filepath.Join(root, "bin", "go"+exeSuffix())
		if _, err := os.Stat(p); root != "" && err == nil {
			return p, nil
		}
	}
	return "", errors.New("no Go toolchain is installed")
}

// compile builds the module made of files, in the folder work, and puts the program
// at out.
func compile(ctx context.Context, files map[string][]byte, work, out string) error {
	tool, err := goTool()
	if err != nil {
		return err
	}
	for name, b := range files {
		path := filepath.Join(work, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			return err
		}
		if err := os.WriteFile(path, b, 0o600); err != nil {
			return err
		}
	}
	// What the Go tool leaves when it is killed goes with the folder.
	temp := filepath.Join(work, "tmp")
	if err := os.MkdirAll(temp, 0o700); err != nil {
		return err
	}
	cmd := exec.CommandContext(ctx, tool, "build", "-trimpath", "-ldflags=-s -w", "-o", out, ".")
	cmd.Dir = work
	// The module has no dependencies: nothing outside it is looked at.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GO111MODULE=on", "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off",
		"GOTOOLCHAIN=local", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "PWD="+work, "GOTMPDIR="+temp)
	// An interrupted Go tool waits for its compilers and removes its files; one that
	// does not end is killed. A child of it may hold the output open after its end.
	if runtime.GOOS != "windows" {
		cmd.Cancel = func() error { return cmd.Process.Signal(os.Interrupt) }
	}
	cmd.WaitDelay = interruptedBuild
	said, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		return ctx.Err()
	}
	said = bytes.TrimSpace(said)
	switch {
	case err == nil:
		return nil
	case bytes.Contains(said, []byte("requires go >=")):
		return fmt.Errorf("the Go toolchain is too old: %s", said)
	}
	// Its own folder has space again once the Go tool has ended.
	for line := range strings.Lines(string(said)) {
		if strings.Contains(line, syscall.ENOSPC.Error()) {
			return fmt.Errorf("no space is left for the Go toolchain: %s", strings.TrimSpace(line))
		}
	}
	// The Go tool that cannot write may blame anything, such as its own packages.
	for _, dir := range []string{work, goCache()} {
		if full(dir) {
			return fmt.Errorf("no space is left on the device of %s", dir)
		}
	}
	return &buildError{err, string(said)}
}

// interruptedBuild is how long the Go tool has to end after an interrupt.
const interruptedBuild = 2 * time.Second

// goCache returns the folder of the Go tool's cache, "" if it is not known.
func goCache() string {
	if dir := os.Getenv("GOCACHE"); dir != "" {
		return dir
	}
	base, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(base, "go-build")
}

// full reports whether a folder's device has no space for one more file of the size
// of a small package.
func full(dir string) bool {
	f, err := os.CreateTemp(dir, "irgl-space-")
	if err != nil {
		return noSpace(err)
	}
	defer os.Remove(f.Name())
	_, err = f.Write(make([]byte, 1<<20))
	return noSpace(errors.Join(err, f.Close()))
}

func noSpace(err error) bool { return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT) }
