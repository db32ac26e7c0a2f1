package compile_test

import (
	"context"
	"encoding/binary"
	"math/bits"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/device/cuda"
	"irgl/internal/device/simt"
	"irgl/internal/source"
	"irgl/syntax"
)

// divisions divide in all the ways that the passes know: by what is new in each
// thread, by what a loop leaves alone (all divide by the numbers of the block's
// first thread, too), and in a loop whose numbers become small.
const divisions = `
typedef unsigned long long u64;
extern "C" __global__ void k(const u64 *a, const u64 *b, u64 *out) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	u64 x = a[i], y = b[i], *o = out + 12 * (u64)i;
	o[0] = x / y;
	o[1] = x % y;
	o[2] = (long long)x / (long long)y;
	o[3] = (long long)x % (long long)y;
	u64 m = b[blockIdx.x * blockDim.x], s = 0, t = 0, u = 0, v = 0;
	for (int j = 0; j < 3; j++) {
		s += (x + j) / m;
		t += (x + j) % m;
		u += (u64)((long long)(x + j) / (long long)m);
		v += (unsigned)(x + j) / (unsigned)(m | 1);
	}
	o[4] = s; o[5] = t; o[6] = u; o[7] = v;
	u64 p = x, q = y;
	while (q != 0) {
		u64 r = p % q;
		p = q;
		q = r;
	}
	o[8] = p;
	long long c = (long long)x, d = (long long)(y >> 1);
	while (d != 0) {
		long long r = c % d;
		c = d;
		d = r;
	}
	o[9] = c;
	o[10] = x % m;
	o[11] = (x ^ 1) / y;
}
`

// quotients returns what divisions make of x and y, where m is the divisor of
// the block.
func quotients(x, y, m uint64) [12]uint64 {
	var o [12]uint64
	signed := func(x, y uint64) (q, r uint64) {
		if y == 1<<64-1 { // the least number has no opposite
			return -x, 0
		}
		return uint64(int64(x) / int64(y)), uint64(int64(x) % int64(y))
	}
	o[0], o[1] = bits.Div64(0, x, y)
	o[2], o[3] = signed(x, y)
	for j := range uint64(3) {
		o[4] += (x + j) / m
		o[5] += (x + j) % m
		q, _ := signed(x+j, m)
		o[6] += q
		o[7] += uint64(uint32(x+j) / uint32(m|1))
	}
	p, q := x, y
	for q != 0 {
		p, q = q, p%q
	}
	o[8] = p
	c, d := x, y>>1
	for d != 0 {
		_, r := signed(c, d)
		c, d = d, r
	}
	o[9], o[10], o[11] = c, x%m, (x^1)/y
	return o
}

// TestDivisions compares divisions on the emulator with the processor's, for
// targets that are fast at doubles and others, and on the GPU where there is
// one.
func TestDivisions(t *testing.T) {
	n := 4096
	if testing.Short() {
		n /= 16
	}
	for _, target := range []string{"sm_75", "sm_80", "sm_90", "sm_100"} {
		text := divisionsFor(t, target)
		dev := simt.Open(simt.Checked())
		divide(t, dev, text, target, n)
		for _, r := range dev.Reports() {
			t.Error(r)
		}
		dev.Close()
	}
	dev, err := cuda.Open(0)
	if err != nil {
		return
	}
	defer dev.Close()
	for _, target := range []string{"sm_75", "sm_80", dev.Info().Target()} { // they run on newer devices, too
		divide(t, dev, divisionsFor(t, target), "GPU, "+target, 1<<20)
	}
}

// divisionsFor compiles for a target, and has NVIDIA's assembler take the text
// where there is one.
func divisionsFor(t *testing.T, target string) string {
	t.Helper()
	var o compile.Options
	o.Check, o.PTX.Target = true, target
	u, err := compile.Compile(source.NewFile("divisions.cu", []byte(divisions)), syntax.CUDA, "", o)
	if err != nil {
		t.Fatal(err)
	}
	if ptxas := os.Getenv("PTXAS"); ptxas != "" {
		file := filepath.Join(t.TempDir(), "a.ptx")
		if err := os.WriteFile(file, []byte(u.PTXText()), 0o666); err != nil {
			t.Fatal(err)
		}
		if msg, err := exec.Command(ptxas, "--warning-as-error", "-arch="+target, file, "-o", file+".cubin").CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", target, err, msg)
		}
	}
	// What is compared is what this is about.
	fast := target == "sm_80" || target == "sm_90" || target == "sm_100"
	if strings.Contains(u.PTXText(), "rcp.approx.ftz.f64") != fast || strings.Contains(u.PTXText(), "div.u64") == fast {
		t.Errorf("%s: by reciprocals is not %v", target, fast)
	}
	return u.PTXText()
}

// divide runs divisions of n pairs: next to powers of two, and of random
// lengths.
func divide(t *testing.T, dev device.Device, text, name string, n int) {
	t.Helper()
	const threads = 128
	rng := rand.New(rand.NewPCG(21, uint64(n)))
	number := func() uint64 {
		if rng.IntN(2) == 0 {
			return uint64(1)<<rng.IntN(64) + uint64(rng.IntN(5)) - 2
		}
		return rng.Uint64() >> rng.IntN(64)
	}
	a, b := make([]uint64, n), make([]uint64, n)
	for i := range n {
		a[i], b[i] = number(), max(number(), 1)
		if i%4 == 0 { // next to a multiple
			a[i] = a[i]/b[i]*b[i] - uint64(rng.IntN(2))
		}
	}
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
	}
	upload := func(list []uint64) device.Ptr {
		p, err := dev.Alloc("numbers", int64(8*len(list)))
		must(err)
		var raw []byte
		for _, x := range list {
			raw = binary.LittleEndian.AppendUint64(raw, x)
		}
		must(dev.CopyIn(p, raw))
		return p
	}
	m, err := dev.Load(name, text)
	must(err)
	defer m.Close()
	k, err := m.Kernel("k")
	must(err)
	out := upload(make([]uint64, 12*n))
	var params []byte
	for _, p := range []device.Ptr{upload(a), upload(b), out} {
		params = binary.LittleEndian.AppendUint64(params, uint64(p))
		defer dev.Free(p)
	}
	must(dev.Launch(k, device.Launch{Grid: device.Dim3{X: uint32(n / threads)}, Block: device.Dim3{X: threads}, Params: params}))
	must(dev.Sync(context.Background()))
	raw := make([]byte, 12*8*n)
	must(dev.CopyOut(raw, out))
	for i := range n {
		want := quotients(a[i], b[i], b[i-i%threads])
		for j, w := range want {
			if got := binary.LittleEndian.Uint64(raw[8*(12*i+j):]); got != w {
				t.Fatalf("%s: %#x, %#x: out[%d] = %#x, want %#x", name, a[i], b[i], j, got, w)
			}
		}
	}
}
