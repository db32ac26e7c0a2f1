package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/testscript"
	"github.com/spf13/pflag"

	"irgl/internal/check"
	"irgl/internal/golden"
	"irgl/internal/ssa"
)

// TestMain makes the command available to the scripts.
func TestMain(m *testing.M) {
	testscript.Main(cleaned{m}, map[string]func(){"irgl": func() {
		breakCompiler(os.Getenv("IRGL_TEST_BREAK"))
		main()
	}})
}

// breakCompiler makes the scalar pass called name fail: it is given a program
// with an operation that lacks its operand, or, "uniform", which looks at
// branches only, one with a value that is its own operand. With the name
// "wrong-divide" the pass divide succeeds, but its multipliers are wrong.
func breakCompiler(name string) {
	switch name {
	case "":
		return
	case "wrong-divide":
		beforePass = wrongMultipliers
		return
	}
	beforePass = func(pass string, m *ssa.Module) {
		if pass != name {
			return
		}
		for _, f := range m.Funcs {
			entry := f.Blocks[0]
			v := entry.Append(ssa.OpNeg, ssa.I32, nil)
			if name == "uniform" {
				v.Args[0] = v
			}
		}
	}
}

// wrongMultipliers changes, before the pass that follows divide, the constants that
// divide multiplies by.
func wrongMultipliers(pass string, m *ssa.Module) {
	if pass != "narrowloop" {
		return
	}
	for _, f := range m.Funcs {
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				if (v.Op == ssa.OpMulHiS || v.Op == ssa.OpMulHiU) && v.Args[1].Op == ssa.OpConst {
					v.Args[1].Int >>= 1
				}
			}
		}
	}
}

type brokenWriter struct{}

func (brokenWriter) Write([]byte) (int, error) { panic("broken by a test") }

// TestRunFlags: check refuses parameters that have the name of a flag, and no others.
func TestRunFlags(t *testing.T) {
	var want []string
	word := regexp.MustCompile(`^[a-z_][a-z0-9_]*$`)
	cmd := runCommand()
	cmd.InitDefaultHelpFlag()
	cmd.Flags().VisitAll(func(f *pflag.Flag) {
		if word.MatchString(f.Name) {
			want = append(want, f.Name)
		}
	})
	slices.Sort(want)
	if diff := cmp.Diff(want, check.RunFlags); diff != "" {
		t.Errorf("check.RunFlags (-flags +list):\n%s", diff)
	}
}

// TestControlCharacters: names and sources cannot steer the terminal.
func TestControlCharacters(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("file names cannot have control characters")
	}
	t.Chdir(t.TempDir())
	for name, text := range map[string]string{
		"a\x1b[2J.irgl": "Host main() { \x1b]0;title\x07 }\n",
		"b\x1b[2J.irgl": "Graph g { Output Node int x = 0; }\nKernel K(g) { ForAll (n In g.nodes) { n.x = 1; } }\nHost main() { Invoke K(g); }\n",
		"c\x1b[2J.gr":   "p sp 2 1\na 1 2 3\n",
	} {
		if err := os.WriteFile(name, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range [][]string{
		{"check", "a\x1b[2J.irgl"}, {"run", "a\x1b[2J.irgl", "--gen", "path:3"}, {"run", "no\x1b[2J.irgl", "--gen", "path:3"},
		{"run", "b\x1b[2J.irgl", "--gen", "path:3", "--device", "interp"}, {"run", "b\x1b[2J.irgl", "--gen", "pa\x1bth:3"}, {"bogus\x1b"},
		{"run", "mis", "--graph", "no\x1b.gr"}, {"programs", "\u009bx"}, {"run", "mis", "--gen", "path:3", "--devi\x1bce", "cpu"},
		{"explain", "b\x1b[2J.irgl"}, {"fmt", "-l", "b\x1b[2J.irgl"}, {"graph", "info", "c\x1b[2J.gr"},
	} {
		var stdout, stderr strings.Builder
		run(args, &stdout, &stderr)
		if text := stdout.String() + stderr.String(); strings.ContainsAny(text, "\x1b\x07\u009b") || text == "" {
			t.Errorf("%q: %q", args, text)
		}
	}
}

// A fullDisk takes nothing.
type fullDisk struct{}

func (fullDisk) Write([]byte) (int, error) { return 0, syscall.ENOSPC }

// TestFullDisk: output that is lost is an error of every command.
func TestFullDisk(t *testing.T) {
	for _, args := range [][]string{{"programs"}, {"devices"}, {"version"}, {"bench", "kernels"}, {"run", "--help"}, {"run", "mis", "--gen", "path:3", "--device", "interp"}} {
		var stderr strings.Builder
		if status := run(args, fullDisk{}, &stderr); status != statusError || !strings.Contains(stderr.String(), syscall.ENOSPC.Error()) {
			t.Errorf("%v: status %d, %s", args, status, stderr.String())
		}
	}
}

// TestPanic: a fault outside the compiler's stages leaves a file too.
func TestPanic(t *testing.T) {
	t.Chdir(t.TempDir())
	t.Setenv("IRGL_DEBUG", "")
	var errs bytes.Buffer
	if status := run([]string{"version"}, brokenWriter{}, &errs); status != 1 {
		t.Errorf("status %d", status)
	}
	want := "irgl: internal error: panic: broken by a test\n  this is a fault of irgl, not of the program; what shows it is in irgl-crash-1.txtar\n"
	if errs.String() != want {
		t.Errorf("got %s", &errs)
	}
	text, err := os.ReadFile("irgl-crash-1.txtar")
	if err != nil || !strings.Contains(string(text), "command: irgl version\n") || !strings.Contains(string(text), "brokenWriter") {
		t.Errorf("%v: %s", err, text)
	}
}

// TestScripts runs the command lines in testdata/script. None needs a network
// or a GPU. Besides testscript's commands there is
//
//	status N irgl ARGS...    the command ends with status N
//	cudart                   the runtime of CUDA programs is in the cache, compiled
func TestScripts(t *testing.T) {
	if _, err := exec.LookPath("go"); err != nil {
		t.Log("no go command: scripts with [go] are cut short")
	}
	cache, _ := exec.Command("go", "env", "GOCACHE").Output()
	testscript.Run(t, testscript.Params{
		Dir:           "testdata/script",
		UpdateScripts: golden.Updating(),
		Setup: func(e *testscript.Env) error {
			// Building a program of the user's needs the Go toolchain, whose
			// own cache is shared to save time; irgl's cache is the script's.
			e.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
			e.Setenv("HOME", e.WorkDir)
			own, _, _ := strings.Cut(e.Getenv("PATH"), string(filepath.ListSeparator))
			e.Setenv("IRGL_FOLDER", own) // of the command alone, for scripts without other tools
			e.Setenv("XDG_CACHE_HOME", filepath.Join(e.WorkDir, ".cache"))
			e.Setenv("XDG_CONFIG_HOME", filepath.Join(e.WorkDir, ".config"))
			return nil
		},
		Cmds: map[string]func(ts *testscript.TestScript, neg bool, args []string){"status": status, "cudart": cudart},
	})
}

func status(ts *testscript.TestScript, neg bool, args []string) {
	if neg || len(args) < 2 {
		ts.Fatalf("usage: status N COMMAND ARGS...")
	}
	want, err := strconv.Atoi(args[0])
	if err != nil {
		ts.Fatalf("%v", err)
	}
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	if exit, ok := errors.AsType[*exec.ExitError](err); ok {
		got = exit.ExitCode()
	} else if err != nil {
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("status %d, want %d", got, want)
	}
}

// call runs a command line in this process.
func call(t *testing.T, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	var out, errs bytes.Buffer
	status = run(args, &out, &errs)
	return status, out.String(), errs.String()
}

// TestJSON checks that the object of --json has what scripts rely on, and
// nothing else.
func TestJSON(t *testing.T) {
	for _, device := range []string{"cpu", "interp", "simt"} {
		status, stdout, stderr := call(t, "run", "pr", "--program=pr", "--gen", "rmat:6:4", "--device", device, "--json", "--verify")
		if status != 0 || stderr != "" {
			t.Fatalf("status %d: %s", status, stderr)
		}
		var got map[string]any
		d := json.NewDecoder(strings.NewReader(stdout))
		if err := d.Decode(&got); err != nil {
			t.Fatal(err)
		}
		if d.More() {
			t.Error("more than one object")
		}
		expectKeys(t, got, "program", "device", "graph", "outputs", "time_ms", "iterations", "launches", "switches", "switches_from", "verified")
		expectKeys(t, got["graph"], "nodes", "edges")
		expectKeys(t, got["time_ms"], "open", "load", "prepare", "prepare_on_device", "compile", "upload", "run", "processor", "device", "download", "other", "total")
		expectKeys(t, got["outputs"], "rank", "rounds")
		rank, _ := got["outputs"].(map[string]any)["rank"].(map[string]any)
		expectKeys(t, rank, "set", "min", "max", "sum")
		if sum, _ := rank["sum"].(float64); sum < 1-1e-9 || sum > 1+1e-9 {
			t.Errorf("%s: ranks sum to %v", device, rank["sum"])
		}
		if got["program"] != "pr" || got["device"] != device || got["verified"] != true {
			t.Errorf("%s: %s", device, stdout)
		}
	}
}

func expectKeys(t *testing.T, object any, want ...string) {
	t.Helper()
	var got []string
	m, _ := object.(map[string]any)
	for k := range m {
		got = append(got, k)
	}
	slices.Sort(got)
	slices.Sort(want)
	if !slices.Equal(got, want) {
		t.Errorf("keys %q, want %q", got, want)
	}
}

// TestInterruptible interrupts this process while it is in a quick command and
// in another one: the first listens a little later.
func TestInterruptible(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a process cannot interrupt itself there")
	}
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for i, args := range [][]string{{"build", "x.cu"}, {"run", "bfs"}, {}, {"gen"}, {"bench"}} {
		sig := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}[i%3]
		if signal.Ignored(sig) { // by nohup(1), perhaps
			continue
		}
		ctx, stop := interruptible(args)
		time.Sleep(10 * patience)
		if err := self.Signal(sig); err != nil {
			t.Fatal(err)
		}
		select {
		case <-ctx.Done():
		case <-time.After(10 * time.Second):
			t.Errorf("%v: the interrupt is not heard", args)
		}
		if got := signalStatus(ctx); got != 128+int(sig) {
			t.Errorf("%v: status %d after %v", args, got, sig)
		}
		stop()
	}
	ctx, stop := interruptible([]string{"run"})
	for range 3 { // as timeout(1) does: a signal that is not heard ends the test
		if err := self.Signal(syscall.SIGTERM); err != nil {
			t.Fatal(err)
		}
		time.Sleep(echo / 10)
	}
	if got := signalStatus(ctx); got != 128+int(syscall.SIGTERM) {
		t.Errorf("status %d after repeated signals", got)
	}
	stop()
	ctx, stop = interruptible([]string{"build"})
	if stop(); ctx.Err() == nil {
		t.Error("a command that has ended has a context that has not")
	}
}

// TestInterrupt checks that an interrupt ends a run that would not end, with
// status 130.
func TestInterrupt(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no signals to send")
	}
	path := filepath.Join(t.TempDir(), "endless.irgl")
	text := "Graph graph { Node int a; }\nKernel K(graph) { ForAll (n In graph.nodes) { ReduceAndReturn(true); } }\n" +
		"Host main() { Iterate While Any K(graph) { } }\n"
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, device := range []string{"interp", "simt"} {
		var stdout, stderr bytes.Buffer
		cmd := exec.Command("irgl", "run", path, "--gen", "path:10", "--device", device)
		cmd.Stdout, cmd.Stderr = &stdout, &stderr
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(500 * time.Millisecond)
		if err := cmd.Process.Signal(os.Interrupt); err != nil {
			t.Fatal(err)
		}
		killer := time.AfterFunc(20*time.Second, func() { _ = cmd.Process.Kill() })
		_ = cmd.Wait()
		killer.Stop()
		if got := cmd.ProcessState.ExitCode(); got != statusInterrupted {
			t.Errorf("%s: status %d, want %d; %s", device, got, statusInterrupted, stderr.String())
		}
		if stdout.Len() > 0 || stderr.String() != "irgl: interrupted\n" {
			t.Errorf("%s: stdout %q, stderr %q", device, stdout.String(), stderr.String())
		}
	}
}

// TestBrokenPipe checks that the command ends quietly when nobody reads what
// it prints.
func TestBrokenPipe(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a broken pipe is an ordinary error on Windows")
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	r.Close()
	var stderr bytes.Buffer
	cmd := exec.Command("irgl", "build", "bfs", "--emit=ptx")
	cmd.Stdout, cmd.Stderr = w, &stderr
	err = cmd.Run()
	w.Close()
	if err == nil {
		t.Error("the command succeeded")
	}
	if stderr.Len() > 0 {
		t.Errorf("it said %q", stderr.String())
	}
}

func BenchmarkBuildPTX(b *testing.B) {
	for b.Loop() {
		if err := exec.Command("irgl", "build", "bfs", "--emit=ptx").Run(); err != nil {
			b.Fatal(err)
		}
	}
}
