//go:build linux

package cudart

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
)

// fake builds the driver's stand-in, once, and returns its folder.
var fake = sync.OnceValues(func() (string, error) {
	if _, err := built(); err != nil {
		return "", err
	}
	dir := filepath.Join(folder, "fake")
	if err := os.Mkdir(dir, 0o755); err != nil {
		return "", err
	}
	compiler := "g++"
	if _, err := exec.LookPath(compiler); err != nil {
		compiler = "clang++"
	}
	return dir, command(compiler, "-std=c++17", "-Wall", "-Wextra", "-shared", "-fPIC", "testdata/fake/libcuda.cpp", "-o", filepath.Join(dir, "libcuda.so.1"))
})

// onFake runs a test of the program on the driver's stand-in.
func onFake(t *testing.T, test string, env ...string) result {
	t.Helper()
	if testing.Short() {
		t.Skip("it compiles the runtime, which takes seconds")
	}
	compilers(t)
	dir, err := fake()
	if err != nil {
		t.Fatal(err)
	}
	env = append([]string{"IRGL_CUDADEVRT=none"}, env...)
	return run(t, test, append(env, "LD_LIBRARY_PATH="+dir, "IRGL_DEVICE=", "IRGL=/nonexistent")...)
}

// TestDriver runs the program on the driver backend: where the fake driver does what a
// GPU does, it prints what it prints on the emulator.
func TestDriver(t *testing.T) {
	for _, x := range programs {
		if x.on&onDriver == 0 {
			continue
		}
		t.Run(x.name, func(t *testing.T) {
			r := onFake(t, x.name, x.env)
			r.want(t, 0, x.stdout)
			r.quiet(t)
		})
	}
}

// TestSameErrors: errors that do not depend on the device are the same on both backends.
func TestSameErrors(t *testing.T) {
	simt, driver := run(t, "errors"), onFake(t, "errors")
	driver.want(t, 0, simt.stdout)
}

// TestCalls: the driver is called once for what is needed once.
func TestCalls(t *testing.T) {
	log := filepath.Join(t.TempDir(), "calls")
	onFake(t, "vector_add", "FAKE_CUDA_LOG="+log).want(t, 0, "0 wrong\n")
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	got := strings.Fields(string(text))
	// The program has a managed variable, which is allocated before main.
	want := []string{"cuInit", "cuDevicePrimaryCtxRetain", "cuMemAllocManaged", "cuMemAlloc_v2", "cuMemAlloc_v2",
		"cuMemcpyHtoDAsync_v2", "cuStreamSynchronize", "cuMemcpyHtoDAsync_v2", "cuStreamSynchronize",
		"cuModuleLoadDataEx", "cuModuleGetGlobal_v2", "cuMemcpyHtoDAsync_v2", "cuStreamSynchronize", "cuModuleGetFunction"}
	attributes := slices.Repeat([]string{"cuFuncGetAttribute"}, 7)
	want = slices.Concat(want, attributes, []string{"cuLaunchKernel", "add", "cuMemcpyDtoHAsync_v2", "cuStreamSynchronize", "cuMemFree_v2", "cuMemFree_v2"})
	if !slices.Equal(got, want) {
		t.Errorf("calls:\n%v\nwant:\n%v", got, want)
	}
}

// TestObjects: what the driver is told of arrays, textures and surfaces.
func TestObjects(t *testing.T) {
	log := filepath.Join(t.TempDir(), "calls")
	calls := func(test string) string {
		os.Remove(log)
		onFake(t, test, "FAKE_CUDA_LOG="+log)
		text, err := os.ReadFile(log)
		if err != nil {
			t.Fatal(err)
		}
		var list []string
		for call := range strings.FieldsSeq(string(text)) {
			for _, of := range []string{"array-", "texture-", "surface-", "cuArrayDestroy", "cuTexObjectDestroy", "cuSurfObjectDestroy"} {
				if strings.HasPrefix(call, of) {
					list = append(list, call)
				}
			}
		}
		return strings.Join(list, "\n")
	}
	want := `array-16-4-0-format2-x2-flags2
texture-array1-modes230-filter1-flags2-border2
surface-array1
texture-memory2-format10-x1-400-0-0-modes230-filter0-flags3-border2
cuTexObjectDestroy
texture-memory3-format2-x2-16-4-512-modes230-filter0-flags3-border2
cuSurfObjectDestroy
cuArrayDestroy`
	if got := calls("textures"); got != want {
		t.Errorf("the calls are\n%s\nwant\n%s", got, want)
	}
	want = `array-5-3-0-format32-x1-flags0
array-5-3-2-format32-x1-flags0
array-4-0-6-format1-x4-flags3
cuArrayDestroy`
	if got := calls("arrays"); got != want {
		t.Errorf("the calls are\n%s\nwant\n%s", got, want)
	}
}

// TestLaunching: the chains of launches of different blocks are in different streams, and the host
// waits behind those kernels alone that may launch.
func TestLaunching(t *testing.T) {
	log := filepath.Join(t.TempDir(), "calls")
	onFake(t, "launching", "FAKE_CUDA_LOG="+log).want(t, 0, "20 10 11 21 and 8\n")
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(string(text), "cuStreamCreateWithPriority"); n != 4 {
		t.Errorf("%d streams, want one for each of 4 blocks", n)
	}
	calls := strings.Fields(string(text))
	last := slices.Index(calls, "cuMemsetD8Async")
	last += 1 + slices.Index(calls[last+1:], "cuMemsetD8Async")
	var waves []string
	for _, c := range calls[last:] {
		switch {
		case c == "child" || c == "family":
			waves = append(waves, c)
		case c == "cuStreamSynchronize" && len(waves) > 0 && waves[len(waves)-1] != "wait":
			waves = append(waves, "wait")
		}
	}
	got := strings.Join(waves, " ")
	want := "family wait child family child family child family child family wait child child child child wait"
	if got != want {
		t.Errorf("the kernels and waits are\n%s\nwant\n%s", got, want)
	}
}

// TestLibrary: where CUDA's device runtime is found, the driver links it and runs what device code
// launches; the limit on launches that wait is the driver's, and a launch that failed is reported with its place.
func TestLibrary(t *testing.T) {
	dir := t.TempDir()
	archive := filepath.Join(dir, "libcudadevrt.a")
	if err := os.WriteFile(archive, []byte("!<arch>\n"), 0o666); err != nil {
		t.Fatal(err)
	}
	log := filepath.Join(dir, "calls")
	r := onFake(t, "launching", "FAKE_CUDA_LOG="+log, "IRGL_CUDADEVRT="+archive)
	r.want(t, 0, "20 10 11 21 and 8\n")
	want := "irgl: 1 launch in device code failed: cudaErrorLaunchPendingCountExceeded (device runtime pending launch count limit exceeded): " +
		"family<<<(1, 2, 3), (4, 5, 6), 7>>> at kernels.cu:6; cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, n) makes room\n"
	if r.stderr != want {
		t.Errorf("stderr is\n%swant\n%s", r.stderr, want)
	}
	text, err := os.ReadFile(log)
	if err != nil {
		t.Fatal(err)
	}
	calls := strings.Fields(string(text))
	from := slices.Index(calls, "cuLinkCreate_v2")
	if want := []string{"cuLinkCreate_v2", "cuLinkAddData_v2", "cuLinkAddFile_v2", "cuLinkComplete", "cuModuleLoadDataEx", "cuLinkDestroy"}; from < 0 || !slices.Equal(calls[from:from+6], want) {
		t.Errorf("the calls %v do not have %v", calls, want)
	}
	// What the program sets, in whole blocks; the driver's own limit until then, since a larger one makes launches slower.
	limit := func(c string) bool { return strings.HasPrefix(c, "limit-4-") }
	if at := slices.IndexFunc(calls, limit); at < from || calls[at] != "limit-4-100352" {
		t.Errorf("the calls %v do not set the limits", calls)
	}
	for _, c := range []string{"child", "cuStreamCreateWithPriority"} {
		if slices.Contains(calls, c) {
			t.Errorf("the host calls %s", c)
		}
	}
}

// TestLibraryFound: the library is looked for in the toolkit and in the packages of Python, and
// IRGL_LOG says why it is not used.
func TestLibraryFound(t *testing.T) {
	dir := t.TempDir()
	at := func(path string) string {
		file := filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(file), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte("!<arch>\n"), 0o666); err != nil {
			t.Fatal(err)
		}
		return file
	}
	at("cuda/lib64/libcudadevrt.a")
	at("venv/lib/python3.12/site-packages/nvidia/cu13/lib/libcudadevrt.a")
	at("conda/lib/python3.9/site-packages/nvidia/cuda_runtime/lib/libcudadevrt.a")
	at("bin/bin/python3")
	at("bin/lib/python3.11/site-packages/nvidia/cu13/lib/libcudadevrt.a")
	bad := at("bad.a")
	if err := os.WriteFile(bad, []byte("no archive"), 0o666); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		env    string
		linked bool
		stderr string
	}{
		{"CUDA_HOME=" + dir + "/cuda", true, ""},
		{"CUDA_PATH=" + dir + "/cuda", true, ""},
		{"VIRTUAL_ENV=" + dir + "/venv", true, ""},
		{"CONDA_PREFIX=" + dir + "/conda", true, ""},
		{"PATH=" + dir + "/none:" + dir + "/bin/bin:/usr/bin:/bin", true, ""},
		{"IRGL_CUDADEVRT=none", false, "irgl: kernels.cu: the host runs what device code launches: IRGL_CUDADEVRT is none\n"},
		{"IRGL_CUDADEVRT=" + dir + "/lost.a", false, "irgl: IRGL_CUDADEVRT is " + dir + "/lost.a, which cannot be read: the host runs what device code launches\n"},
		{"IRGL_CUDADEVRT=" + bad, false, "link it with " + bad + ": invalid argument; the driver is of CUDA 12.4, and takes no newer library\n"},
	} {
		t.Run(strings.ReplaceAll(c.env, dir, ""), func(t *testing.T) {
			log := filepath.Join(t.TempDir(), "calls")
			r := onFake(t, "launching", "FAKE_CUDA_LOG="+log, "IRGL_CUDADEVRT=", "IRGL_LOG=1", "HOME=/nonexistent", c.env)
			r.want(t, 0, "20 10 11 21 and 8\n")
			text, err := os.ReadFile(log)
			if err != nil {
				t.Fatal(err)
			}
			if got := !slices.Contains(strings.Fields(string(text)), "child"); got != c.linked {
				t.Errorf("linked: %v\n%s", got, text)
			}
			if !strings.Contains(r.stderr, c.stderr) {
				t.Errorf("stderr is %q, and lacks %q", r.stderr, c.stderr)
			}
		})
	}
}

// TestDriverRefuses: what the driver says is told.
func TestDriverRefuses(t *testing.T) {
	r := onFake(t, "vector_add", "FAKE_CUDA_REFUSES=1")
	if !strings.Contains(r.stdout, "cudaErrorInvalidPtx") || r.stderr != "irgl: load kernels.cu: a PTX JIT compilation failed\nthe log of the compiler\n" {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
	r = onFake(t, "vector_add", "FAKE_CUDA_NONE=1")
	if !strings.Contains(r.stdout, "cudaErrorNoDevice") || r.stderr != "irgl: no GPU that can be used: no device is there; IRGL_DEVICE=simt runs the program on the emulator\n" {
		t.Errorf("%s%s", r.stdout, r.stderr)
	}
}

// TestNoDriver: without a driver the message names the emulator.
func TestNoDriver(t *testing.T) {
	if out, err := exec.Command("/bin/sh", "-c", "ldconfig -p 2>/dev/null | grep libcuda.so.1").Output(); err == nil && len(out) > 0 {
		t.Skip("the machine has a driver")
	}
	r := run(t, "vector_add", "IRGL_DEVICE=")
	if r.status != 3 || !strings.Contains(r.stdout, "cudaErrorInsufficientDriver") || !strings.HasPrefix(r.stderr, "irgl: no GPU's driver: libcuda.so.1") ||
		!strings.HasSuffix(r.stderr, "; IRGL_DEVICE=simt runs the program on the emulator\n") {
		t.Errorf("status %d, %s%s", r.status, r.stdout, r.stderr)
	}
}
