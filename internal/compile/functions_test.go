package compile_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
)

// TestNormal compares the functions of the normal distribution and the inverse error functions with values of 60 digits,
// rounded: the distances are within the bounds that CUDA documents.
func TestNormal(t *testing.T) {
	for _, f := range []struct {
		name  string
		bound int64
		args  []float64
		want  []float64
	}{
		{"normcdf", 5, []float64{-38.1, -37.3, -33.17, -20.3, -8.7, -3.3, -1.1, -0.3, -1e-09, 0.7, 2.9, 6.1, 9.0},
			[]float64{0x0.000000013c8b8p-1022, 0x1.ccf7b1aa720ap-1011, 0x1.f1c3cfd87ad56p-801, 0x1.0c37ea06f83fap-303, 0x1.e9c64bc3d21cp-60, 0x1.fae82e1b2d7b6p-12, 0x1.15d8167788ebfp-3, 0x1.87423a677e90fp-2, 0x1.fffffff9256efp-2, 0x1.841d5715c32a8p-1, 0x1.ff0b71b1c9effp-1, 0x1.fffffffb71c3dp-1, 0x1p+0}},
		{"normcdfinv", 8, []float64{1e-307, 3e-200, 1e-30, 1.7e-05, 0.013, 0.1, 0.2499, 0.2501, 0.4, 0.4999999, 0.5000001, 0.500000000012345, 0.62, 0.7501, 0.93, 0.999999},
			[]float64{-0x1.2bd5ac4fbd5a1p+5, -0x1.e2b535fabe72bp+4, -0x1.6ed94a4dacdc8p+3, -0x1.09459f535ece7p+2, -0x1.1cf481db98021p+1, -0x1.4813c36e26d32p+0, -0x1.597ff8b4a3adp-1, -0x1.592d7a736d33cp-1, -0x1.036d6c4a04b59p-2, -0x1.0d25ac61904eep-22, 0x1.0d25ac5f0e9c8p-22, 0x1.1030818f44559p-35, 0x1.38cff4a9c5dadp-2, 0x1.597ff8b4a3adp-1, 0x1.79cd70d9c27f4p+0, 0x1.30381a97985efp+2}},
		{"erfinv", 5, []float64{1e-300, -1e-12, 0.03, -0.25, 0.4, 0.49, -0.51, 0.6, 0.75, -0.9, 0.99, 0.9999999},
			[]float64{0x1.2fdf36bf69b9fp-997, -0x1.f2e6c291f30e8p-41, 0x1.b3b3711b8cf08p-6, -0x1.cd70681d5ff7p-3, 0x1.7bb4df2d20c9p-2, 0x1.dd0ca888f8b2bp-2, -0x1.f3d6444db0a4ap-2, 0x1.30b30e164d845p-1, 0x1.a07890f6b2ba1p-1, -0x1.29c0146770651p+0, 0x1.d2466082bb20ep+0, 0x1.e21eb9013cbe7p+1}},
		{"erfcinv", 6, []float64{1e-305, 1e-20, 0.003, 0.2, 0.5, 0.9, 0.99999, 1.00001, 1.1, 1.6, 1.99},
			[]float64{0x1.a6d9398861cafp+4, 0x1.a6804c02bb0cfp+2, 0x1.0c9be5bd87cafp+1, 0x1.cff8a2529bab4p-1, 0x1.e861fbb24c00ap-2, 0x1.6bf442539fd73p-4, 0x1.295e503026bddp-17, -0x1.295e503034ebdp-17, -0x1.6bf442539fd7ap-4, -0x1.30b30e164d846p-1, -0x1.d2466082bb20ep+0}},
	} {
		var args []string
		for _, x := range f.args {
			args = append(args, fmt.Sprintf("%x", x))
		}
		r := headerRun{blocks: 1, threads: len(f.args), width: 2, text: "__device__ const double args[] = {" + strings.Join(args, ", ") + `};
__global__ void k(long *out) {
	out[2 * threadIdx.x] = __double_as_longlong(` + f.name + `(args[threadIdx.x]));
	out[2 * threadIdx.x + 1] = __float_as_int(` + f.name + `f((float)args[threadIdx.x]));
}`}
		got := r.run(t, "sm_75")
		for i, x := range f.args {
			value := math.Float64frombits(uint64(got[2*i]))
			if d := got[2*i] - int64(math.Float64bits(f.want[i])); max(d, -d) > f.bound {
				t.Errorf("%s(%g) = %v, want %v: a distance of %d", f.name, x, value, f.want[i], d)
			}
			if float := float64(math.Float32frombits(uint32(got[2*i+1]))); float64(float32(x)) == x && math.Abs(float-value) > 0x1p-23*math.Abs(value)+0x1p-149 {
				t.Errorf("%sf(%g) = %v, want %v", f.name, x, float, value)
			}
		}
	}
}

// TestFunctionNames runs functions of CUDA that are short: of pairs, without a flush, of classification, barriers by
// number, and conversions of numbers of 8 bits.
func TestFunctionNames(t *testing.T) {
	r := headerRun{blocks: 1, threads: 64, width: 8, text: `
#include <cuda_fp8.h>
__global__ void k(long *out) {
	__shared__ int turned[64];
	int i = threadIdx.x;
	long *o = out + 8 * i;
	float x = i + 1;
	float2 sum = __fadd2_rd(make_float2(x, -x), make_float2(0x1p-30f, 0x1p-30f));
	float2 product = __fmul2_ru(make_float2(x, 3), make_float2(0x1.000002p0f, 0x1.000002p0f));
	float2 both = __ffma2_rz(make_float2(x, x), make_float2(x, x), make_float2(-1, 0x1p-30f));
	o[0] = (sum.x == x) + 2 * (sum.y > -x || sum.y == -x) + 4 * (product.x >= x * 0x1.000002p0f) + 8 * (both.x == x * x - 1) + 16 * (both.y == x * x);
	o[1] = __float_as_int(__fmaf_ieee_rd(x, 0x1p-149f, 0.0f)) + 100 * (__fmaf_ieee_ru(x, x, 0x1p-40f) > x * x) + 1000 * (__fmaf_ieee_rz(-x, x, 0x1p-40f) > -x * x);
	float zero = x - i - 1, inf = x / zero, nan = zero * inf;
	o[2] = (__isnanf(nan) != 0) + 2 * (__isinf((double)inf) != 0) + 4 * (__finitef(x) != 0) + 8 * (__signbitf(-x) != 0) + 16 * (__finite((double)nan) != 0) + 32 * (__signbit(1.0) != 0);
	o[3] = fabsf(__tanhf(x * 0.03f) - tanhf(x * 0.03f)) < 0x1p-10f;
	turned[i] = i;
	__barrier_sync_count(1, 64);
	o[4] = turned[63 - i] + 100 * __uni_sync(0xffffffffu, i < 32) + 1000 * __uni_sync(0xffffffffu, i & 1) + 10000 * (__isCtaShared(turned) != 0);
	__barrier_sync(0);
	__half_raw h = __half(x);
	__half2_raw pair = __half2(__half(x), __half(-0.5f));
	o[5] = __nv_cvt_halfraw_to_fp8(h, __NV_SATFINITE, __NV_E5M2) + 1000 * __nv_cvt_fp8_to_halfraw(0x3c + (i & 3), __NV_E5M2).x;
	o[6] = __nv_cvt_halfraw2_to_fp8x2(pair, __NV_SATFINITE, __NV_E4M3) == __nv_cvt_double2_to_fp8x2(make_double2(x, -0.5), __NV_SATFINITE, __NV_E4M3);
	__half2_raw two = __nv_cvt_fp8x2_to_halfraw2(0xb838, __NV_E4M3);
	__nv_bfloat162_raw b{0x3f80, 0x4000};
	o[7] = two.x + 65536l * two.y + (fdivide(x, 2.0) == x * 0.5) + __nv_cvt_bfloat16raw2_to_fp8x2(b, __NV_NOSAT, __NV_E5M2) * 0x100000000l;
}`}
	got := r.run(t, "sm_75")
	for i := range 64 {
		x := float64(i + 1)
		_, e := math.Frexp(x)
		m := x / math.Ldexp(1, e-1) // in [1, 2), in quarters by rounding to even
		code := int64(e-1+15)<<2 + int64(math.RoundToEven((m-1)*4))
		want := []int64{31, int64(i+1) + 1100, 15, 1, int64(63-i) + 100 + 10000, code + 1000*(0x3c00+int64(i&3)<<8), 1, 0x3c00 + 0xbc00<<16 + 1 + 0x403c<<32}
		if row := got[8*i : 8*i+8]; fmt.Sprint(row) != fmt.Sprint(want) {
			t.Errorf("thread %d writes %v, want %v", i, row, want)
		}
	}
}

// TestFP8 compares the conversions by one instruction, which sm_90 has, with those by arithmetic: a quarter of the numbers of 16 bits, and those
// beside them, to 8 bits, and all numbers of 8 bits back.
func TestFP8(t *testing.T) {
	r := headerRun{blocks: 1, threads: 1024, width: 48, text: `
#include <cuda_fp8.h>
template <__nv_fp8_interpretation_t kind> __device__ int differences(float x) {
	int n = 0;
	for (int step = -1; step <= 1; step++) {
		float y = __int_as_float(__float_as_int(x) + step);
		unsigned int code = __nv_cvt_double_to_fp8(y, __NV_SATFINITE, kind);
		n += __nv_cvt_float_to_fp8(y, __NV_SATFINITE, kind) != code;
		n += __nv_cvt_float2_to_fp8x2(make_float2(y, 1.0f), __NV_SATFINITE, kind) != (code | __nv_cvt_double_to_fp8(1.0, __NV_SATFINITE, kind) << 8);
		n += __nv_cvt_float_to_fp8(y, __NV_NOSAT, kind) != __nv_cvt_double_to_fp8(y, __NV_NOSAT, kind);
	}
	return n;
}
__global__ void k(long *out) {
	for (int i = threadIdx.x; i < 1 << 14; i += 1024) {
		float x = __half2float(__half(__half_raw{(unsigned short)(4 * i + (i >> 5 & 3))}));
		float a = (float)__nv_fp8_e4m3(x), b = (float)__nv_fp8_e5m2(x);
		out[3 * i] = differences<__NV_E4M3>(x) + differences<__NV_E5M2>(x) + differences<__NV_E4M3>(x * 0x1p-9f) + differences<__NV_E5M2>(x * 2);
		out[3 * i + 1] = a == a ? __float_as_int(a) : -1;
		out[3 * i + 2] = b == b ? __float_as_int(b) : -1;
	}
}`}
	one, arithmetic := r.run(t, "sm_90"), r.run(t, "sm_75")
	for i := range 1 << 14 {
		if a, b := one[3*i:3*i+3], arithmetic[3*i:3*i+3]; a[0] != 0 || !slices.Equal(a, b) {
			t.Fatalf("number %d: %v, by arithmetic %v", i, a, b)
		}
	}
}
