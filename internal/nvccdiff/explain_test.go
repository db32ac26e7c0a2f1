package nvccdiff

import (
	"context"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// nvccOf makes a program in place of nvcc whose PTX is ours, edited: with contraction, without, and with the functions of
// testmath.h.
func nvccOf(t *testing.T, path string, contracted, plain, sameMath func(string) string) Options {
	t.Helper()
	dir := t.TempDir()
	o := Options{Seed: 1, Dir: dir, NVCC: filepath.Join(dir, "nvcc")}
	o.Survey.Target = "sm_90"
	for name, edit := range map[string]func(string) string{"contracted": contracted, "plain": plain, "same": sameMath} {
		opts, err := o.Survey.FileOptions(path)
		if err != nil {
			t.Fatal(err)
		}
		opts.Math.Separate = name != "contracted"
		if name == "same" {
			header := filepath.Join(dir, "testmath.h")
			if err := os.WriteFile(header, []byte(testMath), 0o666); err != nil {
				t.Fatal(err)
			}
			opts.Forced = append(opts.Forced, header)
		}
		u, err := opts.Unit(context.Background(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, name+".ptx"), []byte(edit(u.PTXText())), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	script := "#!/bin/sh\nfrom=contracted\nfor a; do case $a in -fmad=false) from=plain;; */testmath.h) from=same;; */nvcc.ptx) to=$a;; esac; done\ncp " + dir + "/$from.ptx $to\n"
	if err := os.WriteFile(o.NVCC, []byte(script), 0o777); err != nil {
		t.Fatal(err)
	}
	return o
}

func replace(from, to string) func(string) string {
	return func(s string) string { return strings.Replace(s, from, to, 1) }
}

func same(s string) string { return s }

// TestExplanations: only small differences are explained by contraction or by the functions of the math library.
func TestExplanations(t *testing.T) {
	const sums = `__global__ void sums(float *out, const float *x, float a, float b) {
  int i = threadIdx.x;
  float y = x[i], z = x[i + 64];
  out[i] = (y - z) * 0.001f + (y * a + z * b) - a * z;
}` + "\n"
	const sine = `__global__ void sine(float *out, const float *x) {
  float y = x[threadIdx.x];
  out[threadIdx.x] = sinf(y) + 0.5f * y;
}` + "\n"
	twice := func(from, to string) func(string) string {
		return func(s string) string { return replace(from, to)(replace(from, to)(s)) }
	}
	for _, tt := range []struct {
		name, text                  string
		contracted, plain, sameMath func(string) string
		want                        Outcome
	}{
		{"same", sums, same, same, same, Agrees},
		// The results are 256 and more units off only where sums cancel.
		{"rounding", sums, func(s string) string { return strings.ReplaceAll(s, "fma.rn.f32", "fma.rz.f32") }, same, same, AgreesUncontracted},
		{"sign", sums, func(s string) string {
			i := strings.Index(s, "fma.rn.f32")
			j := i + strings.Index(s[i:], ";\n")
			words := strings.Split(s[i:j], ", ")
			return s[:i] + "neg.f32 %f99, " + words[2] + ";\n\t" + strings.Join([]string{words[0], words[1], "%f99", words[3]}, ", ") + s[j:]
		}, same, same, Differs},
		{"coefficient", sums, replace("0f3A83126F", "0f3B03126F"), same, same, Differs}, // 0.001 is 0.002
		{"uncontracted", sums, twice("fma.rn.f32", "fma.rz.f32"), replace("add.rn.f32", "sub.rn.f32"), replace("add.rn.f32", "sub.rn.f32"), Differs},
		{"library", sine, replace("0f3F000000", "0f3F000040"), replace("0f3F000000", "0f3F000040"), same, AgreesSameMath},
		{"library sign", sine, replace("0f3F000000", "0fBF000000"), replace("0f3F000000", "0fBF000000"), same, Differs},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kernel.cu")
			if err := os.WriteFile(path, []byte(tt.text), 0o666); err != nil {
				t.Fatal(err)
			}
			edited := func(edit func(string) string) func(string) string {
				return func(s string) string {
					return strings.Replace(edit(s), ".reg .f32 %f<", ".reg .f32 %f99;\n\t.reg .f32 %f<", 1)
				}
			}
			o := nvccOf(t, path, edited(tt.contracted), tt.plain, tt.sameMath)
			for _, r := range File(context.Background(), path, o) {
				if r.Outcome != tt.want {
					t.Errorf("%s: %v, %s, want %v", r.Kernel, r.Outcome, r.Detail, tt.want)
				}
			}
		})
	}
}

// TestSpecialNumbers: code that differs only for special numbers is found.
func TestSpecialNumbers(t *testing.T) {
	for _, tt := range []struct{ name, text, from, to string }{
		{"NaN", "__global__ void k(float *out, const float *x) { out[threadIdx.x] = x[threadIdx.x] > 9.0f ? 1.0f : 2.0f; }\n", "setp.gt.f32", "setp.gtu.f32"},
		{"subnormal", "__global__ void k(float *out, const float *x) { out[threadIdx.x] = x[threadIdx.x] + 0.0f > 0.0f ? 1.0f : 2.0f; }\n", "add.f32", "add.ftz.f32"},
		{"sign", "__global__ void k(long long *out, const int *x) { out[threadIdx.x] = x[threadIdx.x]; }\n", "cvt.s64.s32", "cvt.u64.u32"},
		{"carry", "__global__ void k(unsigned long long *out, const unsigned *x) { out[threadIdx.x] = x[threadIdx.x] + 4294967295u; }\n", "add.s32", "add.s32"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "kernel.cu")
			if err := os.WriteFile(path, []byte(tt.text), 0o666); err != nil {
				t.Fatal(err)
			}
			o := nvccOf(t, path, replace(tt.from, tt.to), same, same)
			text, err := os.ReadFile(filepath.Join(o.Dir, "contracted.ptx"))
			if err != nil || !strings.Contains(string(text), tt.to) {
				t.Fatalf("no %s in %s: %v", tt.to, text, err)
			}
			for _, r := range File(context.Background(), path, o) {
				if want := tt.from != tt.to; (r.Outcome == Differs) != want || r.Special == 0 || want && !strings.Contains(r.Detail, "special") && !strings.Contains(r.Detail, "extreme") {
					t.Errorf("%v, %s, %d runs with special numbers", r.Outcome, r.Detail, r.Special)
				}
			}
		})
	}
}

// TestNear has the bound on what contraction explains.
func TestNear(t *testing.T) {
	f32 := func(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }
	nan, inf := math.NaN(), math.Inf(1)
	for _, tt := range []struct {
		x, y, plainX, plainY float64
		want                 bool
	}{
		{1e-7, 0, 1e-7, 0, true}, {1e-3, 0, 1e-3, 0, false}, {0.5, 0.6, 0.55, 0.57, true}, {0.5, 0.6, 0.5, 0.57, false}, {0.5, 0.6, 0.55, 0.6, false},
		{-0.5, 0.5, -0.5, 0.5, false}, {-0.5, 0.5, 0, 0, true}, {nan, 1, 1, 1, false}, {nan, 1, 1, nan, true}, {inf, 1, 1, 1, false}, {1, inf, nan, nan, true},
	} {
		l := leaf{0, 4, float, nil}
		if got := l.near(f32(tt.x), f32(tt.y), f32(tt.plainX), f32(tt.plainY), map[format]float64{formats[float]: 1}, false); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
	l := leaf{0, 4, integer, nil}
	for _, tt := range []struct {
		x, y, plainX, plainY uint64
		want                 bool
	}{{5, 4, 4, 4, true}, {4, 5, 5, 5, true}, {4, 6, 6, 6, false}, {4, 6, 4, 5, false}, {4, 6, 5, 5, true}} {
		if got := l.near(tt.x, tt.y, tt.plainX, tt.plainY, nil, false); got != tt.want {
			t.Errorf("%+v: %v", tt, got)
		}
	}
}

func TestValue(t *testing.T) {
	for _, tt := range []struct {
		f    format
		bits uint64
		want float64
	}{
		{formats[half], 0x3c00, 1}, {formats[half], 0xc000, -2}, {formats[half], 1, math.Ldexp(1, -24)}, {formats[half], 0x7bff, 65504}, {formats[half], 0xfc00, math.Inf(-1)},
		{formats[bfloat], 0x3f80, 1}, {formats[float], 0x3fc00000, 1.5}, {formats[double], 0x3ff0000000000000, 1},
	} {
		if got := tt.f.value(tt.bits); got != tt.want {
			t.Errorf("%#x is %v, want %v", tt.bits, got, tt.want)
		}
	}
	if x := formats[half].value(0x7e00); !math.IsNaN(x) {
		t.Errorf("NaN is %v", x)
	}
}
