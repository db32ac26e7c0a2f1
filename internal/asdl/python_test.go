package asdl_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"irgl/internal/asdl"
	"irgl/internal/check"
	"irgl/internal/source"
)

const pythonDir = "../../frontends/python"

// findPython returns the path of Python, or why there is none of a version
// that the front end takes.
var findPython = sync.OnceValues(func() (path, reason string) {
	path, err := exec.LookPath("python3")
	if err != nil {
		return "", "there is no python3"
	}
	err = exec.Command(path, "-c", "import sys; sys.exit(sys.version_info < (3, 9))").Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return "", "python3 is older than 3.9"
	}
	if err != nil {
		return "", "python3 does not run: " + err.Error()
	}
	return path, ""
})

// python returns a command that runs Python in the front end's folder, or
// skips the test.
func python(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	path, reason := findPython()
	if reason != "" {
		t.Skip(reason)
	}
	cmd := exec.Command(path, append([]string{"-B"}, args...)...)
	cmd.Dir = pythonDir
	return cmd
}

// TestPythonFrontEnd runs the front end's own tests.
func TestPythonFrontEnd(t *testing.T) {
	t.Parallel()
	out, err := python(t, "-m", "unittest", "discover", "-s", "tests", "-t", ".").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if !bytes.Contains(out, []byte("Ran ")) || bytes.Contains(out, []byte("Ran 0 tests")) {
		t.Errorf("no tests were run:\n%s", out)
	}
}

// TestPythonExamples translates each example, checks the program that its JSON
// stands for, and compares its text with a golden.
func TestPythonExamples(t *testing.T) {
	examples, err := filepath.Glob(pythonDir + "/examples/*.py")
	if err != nil || len(examples) < 2 {
		t.Fatalf("%d examples: %v", len(examples), err)
	}
	for _, path := range examples {
		base := filepath.Base(path)
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			cmd := python(t, "-m", "irgl.emit", "examples/"+base)
			var stderr bytes.Buffer
			cmd.Stderr = &stderr
			json, err := cmd.Output()
			if err != nil {
				t.Fatalf("%v\n%s", err, stderr.String())
			}
			var diags source.List
			file := source.NewFile(base+".json", json)
			check.Check(asdl.Decode(file, &diags), &diags)
			if len(diags.Diags) > 0 {
				var b strings.Builder
				diags.Render(&b)
				t.Fatal(b.String())
			}
			text := asdl.Text(file, &diags)
			roundTrip(t, program{base, text})
			golden := filepath.Join(pythonDir, "tests", "golden", strings.TrimSuffix(base, ".py")+".irgl")
			if *update {
				if err := os.WriteFile(golden, text, 0o666); err != nil {
					t.Fatal(err)
				}
				return
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(text)); diff != "" {
				t.Errorf("-golden +got:\n%s", diff)
			}
		})
	}
}
