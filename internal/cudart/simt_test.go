//go:build linux

package cudart

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestPrograms runs the tests of testdata/program/main.cpp that print nothing to standard
// error, on the emulator.
func TestPrograms(t *testing.T) {
	for _, x := range programs {
		if x.on&onSimt == 0 {
			continue
		}
		t.Run(x.name, func(t *testing.T) {
			r := run(t, x.name, x.env)
			r.want(t, 0, x.stdout)
			r.quiet(t)
		})
	}
}

// TestFaults: what the emulator finds is printed at the lines of the source, and the exit
// status is 1, whether or not the program waits.
func TestFaults(t *testing.T) {
	for _, x := range []struct{ name, stdout, stderr string }{
		{"fault", faultStdout, `^irgl: out-of-bounds on cudaMalloc #1 \(kernel beyond\): .* past its end: it has 16 bytes, .* at kernels.cu:13:3 `},
		{"late_fault", "", `^irgl: race on cudaMalloc #1\+0 \(kernel racing\): thread 0 of block 0 writes at kernels.cu:39:`},
		{"assertion", "cudaDeviceSynchronize(): cudaErrorAssert\n", `^irgl: kernels.cu:41:43: kernel claim: thread 0 of block 0: assertion n < 3 failed`},
	} {
		t.Run(x.name, func(t *testing.T) {
			r := run(t, x.name)
			r.want(t, 1, x.stdout)
			if !regexp.MustCompile(x.stderr).MatchString(r.stderr) || strings.Count(r.stderr, "\n") != 1 {
				t.Errorf("stderr is %q, want one line, %s", r.stderr, x.stderr)
			}
		})
	}
	if r := run(t, "late_fault", "IRGL_SIMT=check=0"); r.status != 0 || r.stderr != "" {
		t.Errorf("unchecked: status %d, %s", r.status, r.stderr)
	}
}

// TestLacking: a kernel that the device code does not have is named.
func TestLacking(t *testing.T) {
	for _, r := range []result{run(t, "lacking"), onFake(t, "lacking")} {
		r.want(t, 0, "cudaGetLastError(): cudaErrorInvalidDeviceFunction\ncudaDeviceSynchronize(): cudaSuccess\n")
		if want := "irgl: kernels.cu: its device code has no kernel missing\n"; r.stderr != want {
			t.Errorf("stderr is %q, want %q", r.stderr, want)
		}
	}
}

// TestEnds: the program ends where it likes, and so does the emulator.
func TestEnds(t *testing.T) {
	r := run(t, "leaving")
	r.want(t, 5, "thread 0 of 5\n")
	r.quiet(t)
	r = run(t, "killed")
	r.want(t, 1, `
cudaDeviceSynchronize(): cudaErrorDevicesUnavailable
cudaMalloc(&p, 16): cudaErrorDevicesUnavailable
cudaMemcpy(p, p, 4, cudaMemcpyDeviceToDevice): cudaErrorInvalidValue
`)
	if want := "irgl: the emulator, irgl serve, has ended killed by signal 9\n"; r.stderr != want {
		t.Errorf("stderr is %q, want %q", r.stderr, want)
	}
}

// TestManyLaunches: a launch that is not waited for is not a round trip.
func TestManyLaunches(t *testing.T) {
	r := run(t, "many")
	r.want(t, 0, "fine\n")
	t.Log(r.stderr)
}

// TestNoDevice: a program that cannot run says why, and what to do.
func TestNoDevice(t *testing.T) {
	none := filepath.Join(t.TempDir(), "none")
	script := filepath.Join(t.TempDir(), "irgl")
	if err := os.WriteFile(script, []byte("#!/bin/sh\nexit 9\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, x := range []struct{ env, stdout, stderr string }{
		{"IRGL=" + none, "cudaErrorInitializationError", "irgl: IRGL is " + none + ", which cannot be executed\n"},
		{"IRGL=" + script, "cudaErrorInitializationError", "irgl: " + script + " ended with exit status 9 before it answered\n"},
		{"IRGL_DEVICE=tpu", "cudaErrorInitializationError", "irgl: IRGL_DEVICE is tpu: it is cuda or simt\n"},
		{"IRGL_SIMT=devices=0", "cudaErrorInitializationError", "irgl: IRGL_SIMT has devices=0: devices is a number from 1 to 16\n"},
	} {
		r := run(t, "vector_add", x.env)
		if !strings.Contains(r.stdout, x.stdout) || r.stderr != x.stderr || r.status != 3 {
			t.Errorf("%s: status %d, %s%s", x.env, r.status, r.stdout, r.stderr)
		}
	}
}

// TestFindsIrgl: the emulator is looked for beside the program, and then in PATH.
func TestFindsIrgl(t *testing.T) {
	if testing.Short() {
		t.Skip("it compiles the runtime, which takes seconds")
	}
	compilers(t)
	program, err := built()
	if err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	beside := filepath.Join(filepath.Dir(program), "irgl")
	for _, at := range []string{beside, filepath.Join(dir, "irgl")} {
		if err := os.Symlink(self, at); err != nil {
			t.Fatal(err)
		}
		cmd := fmt.Sprintf("unset IRGL; PATH=%s %s vector_add", dir, program)
		if out, err := shell(cmd); err != nil || out != "0 wrong\n" {
			t.Errorf("irgl is %s: %v, %s", at, err, out)
		}
		if err := os.Remove(at); err != nil {
			t.Fatal(err)
		}
	}
	if out, err := shell(fmt.Sprintf("unset IRGL; PATH=%s %s vector_add", dir, program)); err == nil || !strings.Contains(out, "neither in IRGL, nor beside this program, nor in PATH") {
		t.Errorf("there is no irgl: %v, %s", err, out)
	}
}
