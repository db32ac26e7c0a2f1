package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"irgl/internal/journal"
)

func needSh(t *testing.T) {
	t.Helper()
	if runtime.GOOS == "windows" {
		t.Skip("programs run by sh")
	}
}

// long skips a test that takes seconds.
func long(t *testing.T) {
	t.Helper()
	if testing.Short() {
		t.Skip("-short")
	}
}

func TestExecute(t *testing.T) {
	long(t)
	needSh(t)
	dir := t.TempDir()
	for script, want := range map[string]string{
		"echo a; echo b >&2":             "ok|a\nb\n",
		"exit 3":                         "exit 3|",
		"false; echo not":                "exit 1|",
		"kill -ABRT $$":                  "killed by signal: aborted|",
		"echo $X; sleep 60":              "limit|x\n",
		"(sleep 60; echo no) & echo bye": "ok|bye\n", // what is left in the background ends with the program
	} {
		begin := time.Now()
		o := execute(t.Context(), dir, script, []string{"X=x"}, 3*time.Second)
		if got := o.Status + "|" + string(o.output); !strings.HasPrefix(got, want) {
			t.Errorf("%q: got %q, want %q", script, got, want)
		}
		if took := time.Since(begin); took > 8*time.Second {
			t.Errorf("%q took %v", script, took)
		}
	}
	// Neither SIGTERM nor a process of its own keeps a program alive.
	o := execute(t.Context(), dir, "trap '' TERM; (trap '' TERM; while :; do sleep 0.1; echo x >>alive; done) & while :; do sleep 0.1; done", nil, 300*time.Millisecond)
	before, _ := os.ReadFile(filepath.Join(dir, "alive"))
	time.Sleep(400 * time.Millisecond)
	if after, _ := os.ReadFile(filepath.Join(dir, "alive")); o.Status != statusLimit || len(before) == 0 || len(after) != len(before) {
		t.Errorf("%s: %d and %d bytes", o.Status, len(before), len(after))
	}
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(100*time.Millisecond, cancel)
	if o := execute(ctx, dir, "sleep 60", nil, time.Minute); o.Status != statusStopped {
		t.Error(o.Status)
	}
}

// TestOutputIsBounded: the first and the last part are kept.
func TestOutputIsBounded(t *testing.T) {
	var b bounded
	for i := range 100000 {
		fmt.Fprintf(&b, "line %d\n", i)
	}
	text := string(b.text())
	if len(text) > maxOutput+50 || !strings.HasPrefix(text, "line 0\n") || !strings.HasSuffix(text, "line 99999\n") || !strings.Contains(text, "bytes left out]") {
		t.Errorf("%d bytes: %.20q", len(text), text)
	}
	var small bounded
	fmt.Fprint(&small, strings.Repeat("x", maxOutput))
	if got := len(small.text()); got != maxOutput {
		t.Errorf("%d bytes of %d", got, maxOutput)
	}
}

// fake makes a folder as build does, whose programs are scripts. The recorder's part is
// done by the scripts: they write records if they are asked to.
func fake(t *testing.T, programs map[string][2]string) string {
	t.Helper()
	dir := t.TempDir()
	write(t, dir, "recorder.so", "", "libcupti.so", "")
	for name, scripts := range programs {
		r := row{Suite: suite{"s", "a/b", strings.Repeat("0", 40)}, Name: "s/" + name, Folder: "src/" + name, Build: "make", Run: "./main 1", Pass: "^PASS", Tolerance: 1e-3}
		p := program{row: r, Command: "./main 1", Builds: map[string]built{"irgl": {Compiler: "1"}, "nvcc": {Compiler: "2"}}}
		text, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		at := "programs/s/" + name + "/"
		write(t, dir, at+"program.json", string(text), at+"files/src/"+name+"/in.txt", "5\n", at+"irgl/main", "#!/bin/sh\n"+scripts[0], at+"nvcc/main", "#!/bin/sh\n"+scripts[1])
	}
	return dir
}

// recorded is a script that prints a text, and records a kernel of so many ns.
func recorded(text string, ns int) string {
	return fmt.Sprintf("cat in.txt; echo %s; if [ -n \"$KERNELS_OUT\" ]; then printf 'name 0 k\\nrun 0 1000 %d\\nend exit\\n' > $KERNELS_OUT/$$; fi\n", text, 1000+ns)
}

func newRunner(in, out string, said *strings.Builder) *runner {
	return &runner{in: in, out: out, device: "cuda", repeat: 2, limit: 20 * time.Second, sample: time.Second,
		say: func(format string, args ...any) { fmt.Fprintf(said, format+"\n", args...) }}
}

func report(t *testing.T, in, out string) string {
	t.Helper()
	var b strings.Builder
	cmd := reportCommand()
	cmd.SetOut(&b)
	cmd.SetArgs([]string{"--in", in, "--results", out})
	if err := cmd.ExecuteContext(t.Context()); err != nil {
		t.Fatal(err)
	}
	return b.String()
}

func TestRun(t *testing.T) {
	needSh(t)
	in := fake(t, map[string][2]string{
		"good":  {recorded("PASS", 30000), recorded("PASS", 20000)},
		"bad":   {recorded("wrong", 10000), recorded("PASS", 20000)},
		"moody": {"date +%N", "date +%N"},
	})
	out := t.TempDir()
	programs, err := loadPrograms(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	if err := newRunner(in, out, &said).all(t.Context(), programs, 3); err != nil {
		t.Fatal(err)
	}
	// Two runs each for answers, a second of nvcc's for bad and moody, and four timed of each.
	if n := strings.Count(said.String(), "\n"); n != 6+2+12 {
		t.Errorf("%d runs:\n%s", n, said.String())
	}
	text := report(t, in, out)
	for _, want := range []string{
		"| all | 3 | 3 | 3 | 1 | 1 | 1 |\n",
		"| s/bad | fail | its check does not print PASS |\n| s/moody | undecided | nvcc's own runs differ: ",
		"| all | 2 | 0.866 | 1.50 (k) | 1 | 0 | 0 |\n",
		"| s/good | k | 30.00 | 20.00 | 1.50 | 1 | 2 |\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	if left, err := os.ReadDir(filepath.Join(out, "work")); err != nil || len(left) > 0 {
		t.Error(left, err)
	}
	// All is done; then a program is built anew.
	said.Reset()
	if err := newRunner(in, out, &said).all(t.Context(), programs, 1); err != nil || said.Len() > 0 {
		t.Error(said.String(), err)
	}
	programs[0].Builds["irgl"] = built{Compiler: "3"}
	if err := newRunner(in, out, &said).all(t.Context(), programs, 1); err != nil || strings.Count(said.String(), "s/bad irgl") != 3 || strings.Count(said.String(), "\n") != 3 {
		t.Error(said.String(), err)
	}
}

// TestRunResumes: a run that is interrupted leaves a journal with which another goes on, and
// both together run what one would.
func TestRunResumes(t *testing.T) {
	long(t)
	needSh(t)
	in := fake(t, map[string][2]string{
		"a": {recorded("PASS", 30000), recorded("PASS", 20000)},
		"b": {"sleep 1\n" + recorded("PASS", 30000), recorded("PASS", 20000)},
	})
	out := t.TempDir()
	programs, err := loadPrograms(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	var said strings.Builder
	ctx, cancel := context.WithCancel(t.Context())
	first := newRunner(in, out, &said)
	say := first.say
	first.say = func(format string, args ...any) {
		say(format, args...)
		if args[0] == "s/a" && args[1] == "nvcc" {
			time.AfterFunc(300*time.Millisecond, cancel) // while b sleeps
		}
	}
	if err := first.all(ctx, programs, 1); !errors.Is(err, errIncomplete) {
		t.Fatal(err)
	}
	if said.String() == "" || strings.Contains(said.String(), "s/b") {
		t.Fatalf("the first run did\n%s", said.String())
	}
	if err := newRunner(in, out, &said).all(t.Context(), programs, 1); err != nil {
		t.Fatal(err)
	}
	_, lines, err := journal.Read(filepath.Join(out, "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	done, err := finishedRuns(lines)
	if err != nil || len(lines) != 12 || len(done) != 12 {
		t.Errorf("%d runs, %d of them different: %v\n%s", len(lines), len(done), err, said.String())
	}
	other := newRunner(in, out, &said)
	other.device = "simt"
	if err := other.all(t.Context(), programs, 1); err == nil || !strings.Contains(err.Error(), "it is of cuda") {
		t.Error(err)
	}
}

// TestRunOnEmulator: irgl's builds run alone, with the arguments for small sizes.
func TestRunOnEmulator(t *testing.T) {
	needSh(t)
	in := fake(t, map[string][2]string{"a": {"echo $1 $IRGL_DEVICE; echo PASS > result", "exit 1"}})
	programs, err := loadPrograms(in, nil)
	if err != nil {
		t.Fatal(err)
	}
	programs[0].Small, programs[0].Results = "./main small", []string{"result"}
	var said strings.Builder
	r := newRunner(in, t.TempDir(), &said)
	r.device = "simt"
	if err := r.all(t.Context(), programs, 1); err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join(r.out, "output", "s", "a.irgl"))
	if want := "small simt\n\nresult result\nPASS\n"; err != nil || string(text) != want || strings.Count(said.String(), "\n") != 1 {
		t.Errorf("%q, %v\n%s", text, err, said.String())
	}
	if v, err := r.verdict(programs[0]); err != nil || v.Verdict != pass {
		t.Error(v, err)
	}
}

func TestResult(t *testing.T) {
	dir := t.TempDir()
	write(t, dir, "f32", "\x00\x00\x80\x3f\x00\x00\x00\xc0", "long", strings.Repeat("\x00\x00\x80\x3f", 50001))
	for name, want := range map[string]string{
		"f32:f32": "\nresult f32: 2 numbers\n1\n-2\n",
		"none":    "\nresult none: no such file or directory\n",
	} {
		if got := string(result(dir, name)); got != want {
			t.Errorf("%s: got %q, want %q", name, got, want)
		}
	}
	if n := strings.Count(string(result(dir, "long:f32")), "\n1"); n < maxNumbers/2 || n > maxNumbers {
		t.Errorf("%d numbers", n)
	}
}
