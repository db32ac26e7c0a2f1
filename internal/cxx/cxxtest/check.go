package cxxtest

import (
	"context"
	"encoding/binary"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"irgl/internal/compile"
	"irgl/internal/cxx"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/source"
	"irgl/syntax"
)

// prelude has what all functions use.
const prelude = `#include <initializer_list>
#define HD __host__ __device__
HD inline void mix(unsigned long &h, unsigned long x) { h = (h ^ (h >> 29)) * 6364136223846793005ul + x; }
`

// input returns the numbers that functions are run with.
func input() []int64 {
	r := rand.New(rand.NewPCG(1, 2))
	list := make([]int64, Inputs*Width)
	for i := range list {
		list[i] = int64(r.Uint64()) >> r.IntN(64)
	}
	return list
}

// Text returns a program of the functions: a kernel for each, and the line that each starts at.
func Text(funcs []*Func) (text string, lines []int) {
	var b strings.Builder
	b.WriteString(prelude)
	n := strings.Count(prelude, "\n") + 1
	for _, f := range funcs {
		s := f.Text() + fmt.Sprintf("extern \"C\" __global__ void k%d(const long *in, long *out) { n%[1]d::f(in + %[2]d * threadIdx.x, out + threadIdx.x); }\n", f.Seed, Width)
		lines = append(lines, n)
		n += strings.Count(s, "\n")
		b.WriteString(s)
	}
	return b.String(), lines
}

// Host returns what the functions give for each input when g++ compiles them.
func Host(gxx string, funcs []*Func) ([][]int64, error) {
	dir, err := os.MkdirTemp("", "cxxtest")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	var b strings.Builder
	b.WriteString("#include <cstdio>\n#define __host__\n#define __device__\n" + prelude)
	for _, f := range funcs {
		b.WriteString(f.Text())
	}
	b.WriteString("static const long in[] = {")
	for _, x := range input() {
		fmt.Fprintf(&b, "(long)%#xul, ", uint64(x))
	}
	b.WriteString("};\nint main() {\n\tlong out;\n")
	for _, f := range funcs {
		fmt.Fprintf(&b, "\tfor (int i = 0; i < %d; i++) { n%d::f(in + i * %d, &out); printf(\"%%ld\\n\", out); }\n", Inputs, f.Seed, Width)
	}
	b.WriteString("}\n")
	exe := filepath.Join(dir, "a.out")
	cmd := exec.Command(gxx, "-std=c++17", "-O0", "-w", "-ffp-contract=off", "-x", "c++", "-", "-o", exe)
	cmd.Stdin = strings.NewReader(b.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		return nil, fmt.Errorf("g++: %w\n%s", err, out)
	}
	out, err := exec.Command(exe).Output()
	if err != nil {
		return nil, err
	}
	words := strings.Fields(string(out))
	result := make([][]int64, len(funcs))
	for i := range result {
		for _, w := range words[i*Inputs : (i+1)*Inputs] {
			x, err := strconv.ParseInt(w, 10, 64)
			if err != nil {
				return nil, err
			}
			result[i] = append(result[i], x)
		}
	}
	return result, nil
}

// A Refusal is the error of a function that we do not compile or run.
type Refusal struct {
	Index int // of the function; -1 if it is unknown
	Text  string
}

// Device returns what the functions give on the emulator. It stops at the first that is
// refused.
func Device(funcs []*Func, o compile.Options) ([][]int64, *Refusal) {
	o.CXX = &cxx.Options{}
	text, lines := Text(funcs)
	u, err := compile.Compile(source.NewFile("in.cu", []byte(text)), syntax.CUDA, "", o)
	if err != nil {
		var b strings.Builder
		u.Diags.Render(&b)
		return nil, &Refusal{at(b.String(), lines), err.Error() + "\n" + b.String()}
	}
	dev := simt.Open(simt.Options{})
	defer dev.Close()
	m, err := dev.Load("in.cu", u.PTXText())
	if err != nil {
		return nil, &Refusal{-1, err.Error()}
	}
	defer m.Close()
	result := make([][]int64, len(funcs))
	for i, f := range funcs {
		if result[i], err = launch(dev, m, f); err != nil {
			return nil, &Refusal{i, err.Error()}
		}
	}
	return result, nil
}

// at returns which function the first diagnostic is in.
func at(text string, lines []int) int {
	found := -1
	if _, rest, ok := strings.Cut(text, "in.cu:"); ok {
		number, _, _ := strings.Cut(rest, ":")
		line, _ := strconv.Atoi(number)
		for i, first := range lines {
			if line >= first {
				found = i
			}
		}
	}
	return found
}

// launch runs a function's kernel, a thread for each input.
func launch(dev device.Device, m device.Module, f *Func) ([]int64, error) {
	k, err := m.Kernel(fmt.Sprintf("k%d", f.Seed))
	if err != nil {
		return nil, err
	}
	var in, params []byte
	for _, x := range input() {
		in = binary.LittleEndian.AppendUint64(in, uint64(x))
	}
	out := make([]byte, 8*Inputs)
	for i, data := range [][]byte{in, out} {
		p, err := dev.Alloc([]string{"in", "out"}[i], int64(len(data)))
		if err != nil {
			return nil, err
		}
		defer dev.Free(p)
		if err := dev.CopyIn(p, data); err != nil {
			return nil, err
		}
		params = binary.LittleEndian.AppendUint64(params, uint64(p))
	}
	one := device.Dim3{X: 1, Y: 1, Z: 1}
	if err := dev.Launch(k, device.Launch{Grid: one, Block: device.Dim3{X: Inputs, Y: 1, Z: 1}, Params: params}); err != nil {
		return nil, err
	}
	if err := dev.Sync(context.Background()); err != nil {
		return nil, err
	}
	if err := dev.CopyOut(out, device.Ptr(binary.LittleEndian.Uint64(params[8:]))); err != nil {
		return nil, err
	}
	list := make([]int64, Inputs)
	for i := range list {
		list[i] = int64(binary.LittleEndian.Uint64(out[8*i:]))
	}
	return list, nil
}
