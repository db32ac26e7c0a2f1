package asdl_test

import (
	"bytes"
	"errors"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"irgl/graph"
	"irgl/internal/asdl"
	"irgl/internal/check"
	"irgl/internal/golden"
	"irgl/internal/interp"
	"irgl/internal/run"
	"irgl/internal/source"
)

const pythonDir = "../../python"

// findPython returns the path of Python, or why there is none of a version
// that the front end takes.
var findPython = sync.OnceValues(func() (path, reason string) {
	path, err := exec.LookPath("python3")
	if err != nil {
		return "", "there is no python3"
	}
	err = exec.Command(path, "-c", "import sys; sys.exit(sys.version_info < (3, 11))").Run()
	if exit, ok := errors.AsType[*exec.ExitError](err); ok && exit.ExitCode() == 1 {
		return "", "python3 is older than 3.11"
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
	out, err := python(t, "-m", "unittest", "discover", "-s", "tests/lang", "-t", ".").CombinedOutput()
	if err != nil {
		t.Errorf("%v\n%s", err, out)
	}
	if !bytes.Contains(out, []byte("Ran ")) || bytes.Contains(out, []byte("Ran 0 tests")) {
		t.Errorf("no tests were run:\n%s", out)
	}
}

// TestPythonExamples translates each example, and a program with the constructs
// that no example has; it checks the program that the JSON stands for, and
// compares its text with a golden.
func TestPythonExamples(t *testing.T) {
	examples, err := filepath.Glob(pythonDir + "/examples/*.py")
	if err != nil || len(examples) < 2 {
		t.Fatalf("%d examples: %v", len(examples), err)
	}
	examples = append(examples, pythonDir+"/tests/lang/programs/refine.py")
	for _, path := range examples {
		base := filepath.Base(path)
		t.Run(base, func(t *testing.T) {
			t.Parallel()
			cmd := python(t, "-m", "irgl.lang.emit", strings.TrimPrefix(filepath.ToSlash(path), pythonDir+"/"))
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
			golden.File(t, filepath.Join(pythonDir, "tests", "lang", "golden", strings.TrimSuffix(base, ".py")+".irgl"), string(text))
		})
	}
}

// TestPythonPrograms runs examples in the interpreter and compares what they
// find with distances and components that the test computes by repetition.
func TestPythonPrograms(t *testing.T) {
	const from = 3
	for _, c := range []struct {
		name, prop string
		init       func(v int) int64 // the value of a node at first
		weight     func(w int32) int64
	}{
		{"bfs", "level", fromSource(from), func(int32) int64 { return 1 }},
		{"sssp", "dist", fromSource(from), func(w int32) int64 { return int64(w) }},
		{"components", "label", func(v int) int64 { return int64(v) }, func(int32) int64 { return 0 }},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			info := pythonInfo(t, "examples/"+c.name+".py")
			engine, err := interp.New(info, interp.Options{Seed: 1})
			if err != nil {
				t.Fatal(err)
			}
			g, err := graph.Generate(t.Context(), "rmat:7:2")
			if err == nil {
				g, err = g.RandomWeights(t.Context(), 20, 1)
			}
			if err == nil {
				g, err = run.Prepare(t.Context(), g, info.Requires)
			}
			if err != nil {
				t.Fatal(err)
			}
			res, err := engine.Run(t.Context(), run.Input{Graph: g, Args: []run.Value{run.IntValue(from).Convert(info.Entry.Params[0].Type.(check.Basic))}})
			if err != nil {
				t.Fatal(err)
			}
			want := smallest(g, c.init, c.weight)
			got := make([]int64, g.NumNodes())
			for v := range got {
				got[v] = res.Column(c.prop).Int(v)
			}
			if len(slices.Compact(slices.Sorted(slices.Values(want)))) < 5 {
				t.Errorf("only a few different values: %d", want)
			}
			if !slices.Equal(got, want) {
				t.Errorf("got %d\nwant %d", got, want)
			}
		})
	}
}

// pythonInfo translates a program, and returns what the checker says of it.
func pythonInfo(t *testing.T, path string) *check.Info {
	t.Helper()
	json, err := python(t, "-m", "irgl.lang.emit", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	var diags source.List
	info := check.Check(asdl.Decode(source.NewFile(path+".json", json), &diags), &diags)
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	return info
}

func fromSource(source int) func(v int) int64 {
	return func(v int) int64 {
		if v == source {
			return 0
		}
		return 1<<31 - 1
	}
}

// smallest returns for each node the least sum of a node's initial value and
// the weights on a path from it.
func smallest(g *graph.Graph, init func(v int) int64, weight func(w int32) int64) []int64 {
	out := make([]int64, g.NumNodes())
	for v := range out {
		out[v] = init(v)
	}
	weights, _ := g.IntWeights()
	for changed := true; changed; {
		changed = false
		for v := range out {
			for e := g.RowStart[v]; e < g.RowStart[v+1]; e++ {
				w := int32(0)
				if weights != nil {
					w = weights[e]
				}
				if d := out[v] + weight(w); d < out[g.Dst[e]] {
					out[g.Dst[e]], changed = d, true
				}
			}
		}
	}
	return out
}
