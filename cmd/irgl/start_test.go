package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// TestStart bounds what the packages do before the command begins, since that
// is most of the time in which a kernel is compiled: the memory that they
// allocate then, which does not depend on the machine. Tables that a command
// may not need are made when they are first used.
func TestStart(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(self, "-test.run=^$")
	cmd.Env = append(os.Environ(), "GODEBUG=inittrace=1")
	var trace bytes.Buffer
	cmd.Stderr = &trace
	if err := cmd.Run(); err != nil {
		t.Fatalf("%v: %s", err, &trace)
	}
	const mostBytes, mostAllocs = 40_000, 400
	packages, sum, allocs := 0, 0, 0
	for line := range strings.Lines(trace.String()) {
		var name string
		var at, clock float64
		var b, n int
		if _, err := fmt.Sscanf(line, "init %s @%f ms, %f ms clock, %d bytes, %d allocs", &name, &at, &clock, &b, &n); err != nil {
			continue
		}
		if slices.Contains([]string{"net/http", "crypto/tls", "go/types"}, name) {
			t.Errorf("package %s is in the binary: what needs it?", name)
		}
		if strings.HasPrefix(name, "irgl") {
			packages, sum, allocs = packages+1, sum+b, allocs+n
		}
	}
	if packages < 5 || sum > mostBytes || allocs > mostAllocs {
		t.Errorf("%d packages allocate %d bytes in %d pieces before main: the limits are %d and %d\n%s", packages, sum, allocs, mostBytes, mostAllocs, &trace)
	}
	t.Logf("%d packages, %d bytes, %d allocations", packages, sum, allocs)
}

// BenchmarkBuild is the time of a whole process that compiles a small kernel;
// the median of its runs is reported too, as the mean is the machine's.
func BenchmarkBuild(b *testing.B) {
	irgl, err := exec.LookPath("irgl")
	if err != nil {
		b.Skip("the command is not in PATH: ", err)
	}
	path := filepath.Join(b.TempDir(), "k.cu")
	if err := os.WriteFile(path, []byte("__global__ void k(int *a, int n) { for (int i = 0; i < n; i++) a[i] += i; }\n"), 0o666); err != nil {
		b.Fatal(err)
	}
	var times []time.Duration
	for b.Loop() {
		start := time.Now()
		if out, err := exec.Command(irgl, "build", path).CombinedOutput(); err != nil {
			b.Fatalf("%v: %s", err, out)
		}
		times = append(times, time.Since(start))
	}
	slices.Sort(times)
	b.ReportMetric(float64(times[len(times)/2].Microseconds())/1000, "ms/median")
}
