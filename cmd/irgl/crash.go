package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"

	"irgl/internal/atomicfile"
	"irgl/internal/compile"
	"irgl/internal/device/simt"
	"irgl/internal/engine"
	"irgl/internal/ssa"
)

// beforePass is called before each scalar pass when it is not nil: tests break
// the program there, so that the pass fails.
var beforePass func(pass string, m *ssa.Module)

// reportCrash writes what is needed to see a fault of the compiler again to a
// new file, and says so. The file is in the current directory, or in the one
// for temporary files when that cannot be written to. A stack is printed only
// when IRGL_DEBUG is set.
func reportCrash(stderr io.Writer, args []string, c *compile.Crash) {
	fmt.Fprintf(stderr, "irgl: %v\n", c)
	saveCrash(stderr, c.Reproducer(engine.Version(), commandLine(args)), c.Stack)
}

// recovered is reportCrash for a panic outside the compiler's stages.
func recovered(stderr io.Writer, args []string, v any) {
	stack := debug.Stack()
	if e, ok := v.(*simt.InternalError); ok {
		stack = e.Stack
	}
	fmt.Fprintf(stderr, "irgl: internal error: panic: %v\n", v)
	text := fmt.Sprintf("A fault of irgl.\n\nversion: %s\nerror: panic: %v\ncommand: %s\n-- stack.txt --\n%s", engine.Version(), v, commandLine(args), stack)
	saveCrash(stderr, []byte(text), stack)
}

func commandLine(args []string) string { return strings.Join(append([]string{"irgl"}, args...), " ") }

func saveCrash(stderr io.Writer, text, stack []byte) {
	if os.Getenv("IRGL_DEBUG") != "" && len(stack) > 0 {
		fmt.Fprintf(stderr, "%s", stack)
	}
	var failed error
	for _, dir := range []string{".", os.TempDir()} {
		path, err := writeCrash(dir, text)
		if err == nil {
			fmt.Fprintf(stderr, "  this is a fault of irgl, not of the program; what shows it is in %s\n", path)
			return
		}
		failed = errors.Join(failed, err)
	}
	fmt.Fprintf(stderr, "  this is a fault of irgl, not of the program; what shows it could not be written: %v\n", failed)
}

// writeCrash writes a file with a name of its own, complete or not at all.
func writeCrash(dir string, text []byte) (string, error) {
	for n := 1; ; n++ {
		path := filepath.Join(dir, fmt.Sprintf("irgl-crash-%d.txtar", n))
		if _, err := os.Lstat(path); err == nil && n < 1000 {
			continue
		}
		err := atomicfile.Write(context.Background(), path, func(w io.Writer) error {
			_, err := w.Write(text)
			return err
		})
		return path, err
	}
}
