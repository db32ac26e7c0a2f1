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
// processes may build the same program at once. [Fallback] says what to do about the
// error.
func Build(ctx context.Context, info *check.Info, text []byte) (run.Engine, error) {
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
		return c.build(ctx, key, func(work, out string) error { return compile(ctx, files, work, out) })
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
	first, _, _ := strings.Cut(err.Error(), "\n")
	return fmt.Sprintf("%s cannot be compiled for the CPU: %s", name, strings.TrimSuffix(first, ":")), true
}

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
	cmd := exec.CommandContext(ctx, tool, "build", "-trimpath", "-ldflags=-s -w", "-o", out, ".")
	cmd.Dir = work
	// The module has no dependencies: nothing outside it is looked at.
	cmd.Env = append(os.Environ(), "CGO_ENABLED=0", "GO111MODULE=on", "GOFLAGS=-mod=mod", "GOWORK=off", "GOPROXY=off",
		"GOTOOLCHAIN=local", "GOOS="+runtime.GOOS, "GOARCH="+runtime.GOARCH, "PWD="+work)
	cmd.WaitDelay = time.Second // after its end; a child of it may hold the output open
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
	case len(said) == 0:
		return fmt.Errorf("%s build: %w", tool, err)
	}
	return fmt.Errorf("%s build: %w: %s", tool, err, said)
}
