package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
)

// cleaned is a testing.M that removes the compiled runtime when all tests have run.
type cleaned struct{ *testing.M }

func (m cleaned) Run() int {
	code := m.M.Run()
	if runtimeCache != "" {
		os.RemoveAll(runtimeCache)
	}
	return code
}

var runtimeCache string

// compiledRuntime returns the folder of the runtime of CUDA programs, compiled: five seconds of
// g++, once for all scripts and pages.
var compiledRuntime = sync.OnceValues(func() (string, error) {
	cache, err := os.MkdirTemp("", "irgl-test-cache-")
	if err != nil {
		return "", err
	}
	runtimeCache = cache
	source := filepath.Join(cache, "main.cu")
	if err := os.WriteFile(source, []byte("int main() { return 0; }\n"), 0o666); err != nil {
		return "", err
	}
	cmd := exec.Command("irgl", "cuda", "build", source, "-o", filepath.Join(cache, "main"))
	cmd.Env = append(os.Environ(), "HOME="+cache, "XDG_CACHE_HOME="+cache, "IRGL_TEST_BREAK=")
	if out, err := cmd.CombinedOutput(); err != nil {
		return "", fmt.Errorf("%w\n%s", err, out)
	}
	found, err := filepath.Glob(filepath.Join(cache, "irgl", "cudart-*"))
	if err != nil || len(found) != 1 {
		return "", fmt.Errorf("runtimes in the cache: %q, %v", found, err)
	}
	return found[0], nil
})

// linkRuntime puts the compiled runtime into a cache folder.
func linkRuntime(cache string) error {
	dir, err := compiledRuntime()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Join(cache, "irgl"), 0o777); err != nil {
		return err
	}
	return os.Symlink(dir, filepath.Join(cache, "irgl", filepath.Base(dir)))
}

// cudart is a command of scripts: the script's cache has the compiled runtime.
func cudart(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) != 0 {
		ts.Fatalf("usage: cudart")
	}
	ts.Check(linkRuntime(ts.Getenv("XDG_CACHE_HOME")))
}
