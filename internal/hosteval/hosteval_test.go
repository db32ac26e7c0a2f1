package hosteval

import (
	"bytes"
	"context"
	"fmt"
	"go/format"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"irgl/internal/cudabuild"
	"irgl/internal/cudart"
	"irgl/internal/golden"
)

// evaluate compiles and runs a program, and returns its output, messages and status.
func evaluate(t *testing.T, text string, args ...string) (out, errs string, status int) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "p.cu")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	o, err := cudabuild.ParseFlags([]string{path})
	if err != nil {
		t.Fatal(err)
	}
	p, diags, err := Compile(t.Context(), path, o)
	if err != nil {
		t.Fatal(err)
	}
	if p == nil {
		var b bytes.Buffer
		diags.Render(&b)
		return "", b.String(), -1
	}
	var stdout, stderr bytes.Buffer
	status, err = p.Run(context.Background(), Run{Device: "simt", Args: append([]string{"p"}, args...), Stdout: &stdout, Stderr: &stderr})
	if err != nil {
		stderr.WriteString(err.Error())
	}
	return stdout.String(), stderr.String(), status
}

// TestRandom compares with what the GNU library's rand gives.
func TestRandom(t *testing.T) {
	for seed, want := range map[uint32][]uint32{
		1:  {1804289383, 846930886, 1681692777, 1714636915, 1957747793},
		42: {71876166, 708592740, 1483128881, 907283241, 442951012},
	} {
		var r random
		r.seed(seed)
		for i, w := range want {
			if v := r.next(); v != w {
				t.Errorf("seed %d, number %d: %d, want %d", seed, i, v, w)
			}
		}
	}
}

func TestParseInteger(t *testing.T) {
	for _, tt := range []struct {
		text   string
		base   int
		signed bool
		value  uint64
		length int
		fits   bool
	}{
		{"42x", 10, true, 42, 2, true},
		{" -7", 10, true, math.MaxUint64 - 6, 3, true},
		{"0x1fg", 0, true, 31, 4, true},
		{"0x", 16, true, 0, 1, true},
		{"017", 0, true, 15, 3, true},
		{"zz", 36, true, 35*36 + 35, 2, true},
		{"", 10, true, 0, 0, true},
		{"+", 10, true, 0, 0, true},
		{"9223372036854775808", 10, true, math.MaxInt64, 19, false},
		{"-9223372036854775809", 10, true, 1 << 63, 20, false},
		{"18446744073709551616", 10, false, math.MaxUint64, 20, false},
	} {
		v, n, fits := parseInteger(tt.text, tt.base, tt.signed)
		if v != tt.value || n != tt.length || fits != tt.fits {
			t.Errorf("%q base %d: %d, %d, %v, want %d, %d, %v", tt.text, tt.base, v, n, fits, tt.value, tt.length, tt.fits)
		}
	}
}

func TestParseFloat(t *testing.T) {
	for text, want := range map[string]struct {
		value  float64
		length int
	}{
		"1.5e3x": {1500, 5}, " -.25": {-0.25, 5}, "2e": {2, 1}, "0x1p4": {16, 5}, "0x.8": {0.5, 4}, "inf": {math.Inf(1), 3},
		"-infinity": {math.Inf(-1), 9}, ".": {0, 0}, "x": {0, 0}, "1..2": {1, 2},
	} {
		if v, n := parseFloat(text, 64); v != want.value || n != want.length {
			t.Errorf("%q: %v, %d, want %v, %d", text, v, n, want.value, want.length)
		}
	}
}

// TestEmulatorOptions checks IRGL_SIMT.
func TestEmulatorOptions(t *testing.T) {
	o, leaks, err := emulatorOptions("seed=3,check=0,multiprocessors=8,memory=4096,leaks=1")
	if err != nil || !leaks || o.Seed != 3 || o.CheckRaces || o.Multiprocessors != 8 || o.Memory != 4096 {
		t.Errorf("%+v, %v", o, err)
	}
	for _, bad := range []string{"seed", "seed=x", "nothing=1", "devices=2"} {
		if _, _, err := emulatorOptions(bad); err == nil {
			t.Errorf("%s: no error", bad)
		}
	}
}

// TestErrors runs programs whose errors end them.
func TestErrors(t *testing.T) {
	for _, tt := range []struct{ body, want string }{
		{`fclose(0);`, "fclose is given a null pointer"},
		{`fprintf((FILE *)77, "x");`, "what is not an open file"},
		{`printf("%d %d\n", 1);`, "asks for more arguments"},
		{`char *p = (char *)1; puts(p);`, "null pointer"},
		{`free((void *)"text");`, "which malloc did not return"},
		{`int *p = (int *)malloc(4); free(p); *p = 1;`, "which is freed"},
		{`memcpy(malloc(4), "12345678", 8);`, "writes 8 bytes out of bounds"},
		{`char a[4] = {1, 2, 3, 4}; char *s = (char *)malloc(4); memcpy(s, a, 4); printf("%d", (int)strlen(s));`, "no terminating zero"},
		{`qsort(0, 3, 4, 0);`, "calls address"},
	} {
		_, errs, status := evaluate(t, "#include <stdio.h>\n#include <stdlib.h>\n#include <string.h>\nint main() { "+tt.body+" }\n")
		if !strings.Contains(errs, tt.want) || !strings.Contains(errs, "p.cu:4:") || status != 1 {
			t.Errorf("%s: status %d, %s", tt.body, status, errs)
		}
	}
}

// TestErrorsOnce compiles programs with an error in a kernel, and with one warning in a function that
// both halves have: each is reported once.
func TestErrorsOnce(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"__global__ void k(int *o) { for (int i : {1, 2}) o[i] = i; }\nint main() { k<<<1, 1>>>(nullptr); }\n", "XS061"},
		{"__host__ __device__ inline int f(int i) { return i << 40; }\n__global__ void k(int *o) { *o = f(1); }\nint main() { k<<<1, 1>>>(nullptr); return f(1); }\n", "XS066"},
	} {
		path := filepath.Join(t.TempDir(), "p.cu")
		if err := os.WriteFile(path, []byte(tt.text), 0o666); err != nil {
			t.Fatal(err)
		}
		o, err := cudabuild.ParseFlags([]string{path})
		if err != nil {
			t.Fatal(err)
		}
		_, diags, err := Compile(t.Context(), path, o)
		if err != nil || diags == nil || len(diags.Diags) != 1 || string(diags.Diags[0].Code) != tt.want {
			t.Errorf("%s%v, %v", tt.text, err, diags)
		}
	}
}

// TestReferences launches kernels with parameters that are references to managed memory.
func TestReferences(t *testing.T) {
	out, errs, status := evaluate(t, `#include <cstdio>
struct S { int a[4]; };
template <class T> __global__ void add(T &sum, const S &s, int n) { for (int i = 0; i < n; i++) sum += s.a[i]; }
__global__ void arr(int (&a)[3], int *const &p) { a[1] = 7; *p = a[0]; }
int main() {
	int *p; S *s; int (*a)[3]; int **pp;
	cudaMallocManaged(&p, 4); cudaMallocManaged(&s, sizeof *s); cudaMallocManaged(&a, sizeof *a); cudaMallocManaged(&pp, 8);
	*p = 1; *s = {{1, 2, 3, 4}}; (*a)[0] = 5; *pp = p;
	add<<<1, 1>>>(*p, *s, 4); cudaDeviceSynchronize(); printf("%d ", *p);
	arr<<<1, 1>>>(*a, *pp); cudaDeviceSynchronize(); printf("%d %d\n", (*a)[1], *p);
}
`)
	if want := "11 7 5\n"; out != want || status != 0 {
		t.Errorf("status %d, %q, want %q\n%s", status, out, want, errs)
	}
}

// TestWrongPointers gives kernels pointers that devices cannot address.
func TestWrongPointers(t *testing.T) {
	for _, tt := range []struct{ text, want string }{
		{"__global__ void k(int *p) { *p = 1; }\nint main() { k<<<1, 1>>>((int *)malloc(4)); return cudaDeviceSynchronize(); }", "but memory of the host: cudaMemcpy copies it"},
		{"__global__ void k(int *p) { *p = 1; }\n__device__ int v;\nint main() { k<<<1, 1>>>(&v); return cudaDeviceSynchronize(); }", "cudaGetSymbolAddress"},
		{"__device__ int *kept;\n__global__ void k() { __shared__ int s; s = 1; kept = &s; }\n__global__ void l() { asm volatile(\"st.global.u32 [%0], 1;\" :: \"l\"(kept)); }\n" +
			"int main() { k<<<1, 1>>>(); l<<<1, 1>>>(); return cudaDeviceSynchronize(); }", "but in shared memory, which a block has for itself"},
	} {
		if _, errs, status := evaluate(t, "#include <stdlib.h>\n"+tt.text+"\n"); status == 0 || !strings.Contains(errs, tt.want) {
			t.Errorf("status %d: %s", status, errs)
		}
	}
}

// TestEnds checks the ways in which a program ends.
func TestEnds(t *testing.T) {
	for body, want := range map[string]int{
		"return 7;": 7, "exit(300);": 300 & 255, "abort();": 134, "": 0, "_exit(5);": 5, "return -1;": 255,
	} {
		if _, errs, status := evaluate(t, "#include <stdlib.h>\n#include <unistd.h>\nint main() { "+body+" }\n"); status != want {
			t.Errorf("%s: status %d, want %d: %s", body, status, want, errs)
		}
	}
	if _, _, status := evaluate(t, "void main(int c, char **v) {}"); status != 0 {
		t.Errorf("void main: status %d", status)
	}
}

// TestErrorTable compares errors_gen.go with the runtime's headers, which it is made of; -update
// writes it.
func TestErrorTable(t *testing.T) {
	header, err := fs.ReadFile(cudart.Files(), "include/irgl_errors.h")
	if err != nil {
		t.Fatal(err)
	}
	list := regexp.MustCompile(`X\((\w+), (\d+), ("[^"]*")\)`).FindAllStringSubmatch(string(header), -1)
	if n := strings.Count(string(header), "X(cuda"); n != len(list) || n == 0 {
		t.Fatalf("%d of the header's %d errors are read", len(list), n)
	}
	var b bytes.Buffer
	b.WriteString("// Code generated from irgl_errors.h and irgl_emulator.h of internal/cudart/include by go test -run TestErrorTable -update; DO NOT EDIT.\n\npackage hosteval\n\nconst (\n")
	for _, x := range list {
		fmt.Fprintf(&b, "\t%s = %s\n", x[1], x[2])
	}
	b.WriteString(")\n\n// A runtimeError is an error with its name and what cudaGetErrorString returns.\ntype runtimeError struct {\n\tnumber uint64\n\tname, text string\n}\n\n// runtimeErrors are all errors.\nvar runtimeErrors = [...]runtimeError{\n")
	for _, x := range list {
		fmt.Fprintf(&b, "\t{%s, %q, %s},\n", x[1], x[1], x[3])
	}
	b.WriteString("}\n")
	emulatorTables(t, &b)
	want, err := format.Source(b.Bytes())
	if err != nil {
		t.Fatal(err)
	}
	golden.File(t, "errors_gen.go", string(want))
}

// emulatorTables writes what both runtimes over the emulator have from irgl_emulator.h.
func emulatorTables(t *testing.T, b *bytes.Buffer) {
	header, err := fs.ReadFile(cudart.Files(), "include/irgl_emulator.h")
	if err != nil {
		t.Fatal(err)
	}
	list := func(name string) [][]string {
		_, text, _ := strings.Cut(string(header), "#define "+name+"(X)")
		text = regexp.MustCompile(`^(.*\\\n)*.*\n`).FindString(text)
		var rows [][]string
		for _, m := range regexp.MustCompile(`X\(([^)]*)\)`).FindAllStringSubmatch(text, -1) {
			rows = append(rows, strings.Split(m[1], ", "))
		}
		if len(rows) < 5 {
			t.Fatalf("%s has %d rows", name, len(rows))
		}
		return rows
	}
	b.WriteString("\n// faultErrors are the errors of faults by their codes.\nvar faultErrors = map[string]uint64{\n")
	for _, x := range list("IRGL_FAULTS") {
		fmt.Fprintf(b, "\t%s: %s,\n", x[0], x[1])
	}
	b.WriteString("}\n\n// stickyErrors leave a device unusable until it is reset.\nvar stickyErrors = [...]uint64{\n")
	for _, x := range list("IRGL_STICKY_ERRORS") {
		fmt.Fprintf(b, "\t%s,\n", x[0])
	}
	b.WriteString("}\n\n// emulatorOptionRanges are the options in IRGL_SIMT, with the least and the greatest value.\nvar emulatorOptionRanges = [...]struct {\n\tname string\n\tleast, most uint64\n}{\n")
	for _, x := range list("IRGL_SIMT_OPTIONS") {
		fmt.Fprintf(b, "\t{%s},\n", strings.Join(x, ", "))
	}
	b.WriteString("}\n\n// deviceLimits are the limits of a device that no call has set, in the order of cudaLimit.\nvar deviceLimits = [...]uint64{\n")
	for _, x := range list("IRGL_DEVICE_LIMITS") {
		fmt.Fprintf(b, "\t%s, // %s\n", x[1], x[0])
	}
	b.WriteString("}\n\n// The limits of a launch.\nconst (\n")
	for _, x := range list("IRGL_LAUNCH_LIMITS") {
		name := ""
		for i, part := range strings.Split(strings.TrimPrefix(x[0], "irgl_"), "_") {
			if i > 0 {
				part = strings.ToUpper(part[:1]) + part[1:]
			}
			name += part
		}
		fmt.Fprintf(b, "\t%s = %s\n", name, x[1])
	}
	b.WriteString(")\n")
}
