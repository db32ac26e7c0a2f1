package compile_test

import (
	"context"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"regexp"
	"strings"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/cxx"
	"irgl/internal/cxx/headers"
	"irgl/internal/device"
	"irgl/internal/device/simt"
	"irgl/internal/ptxgen"
	"irgl/internal/source"
	"irgl/syntax"
)

// A headerRun is a C++ program that uses CUDA's headers, with a kernel k(long *out), and
// what thread i of all writes to out[i*width] and the places after it.
type headerRun struct {
	name            string
	text            string
	blocks, threads int
	width           int
	want            func(i int) []int64
	hopper          bool // it needs sm_90
}

// TestHeaders runs programs that use the headers of half precision, cooperative groups and
// random numbers, for an old and a new target.
func TestHeaders(t *testing.T) {
	for _, r := range headerRuns {
		for _, target := range []string{"sm_75", "sm_90"} {
			if r.hopper && target != "sm_90" {
				continue
			}
			t.Run(r.name+"/"+target, func(t *testing.T) {
				got := r.run(t, target)
				for i := range r.blocks * r.threads {
					want := r.want(i)
					if row := got[i*r.width : i*r.width+len(want)]; fmt.Sprint(row) != fmt.Sprint(want) {
						t.Errorf("thread %d writes %v, want %v", i, row, want)
					}
				}
			})
		}
	}
}

func timedWant(int) []int64    { return []int64{0, 0, 1, 10, 0, 0, 1, 10} }
func durationWant(int) []int64 { return []int64{119997, 119, 119997, 3e9, 3600e9, 1, 34284, -4007} }
func bulkWant(i int) []int64   { return []int64{int64((63 - i) * (63 - i)), int64(i - 63)} }

func (r *headerRun) run(t *testing.T, target string) []int64 {
	t.Helper()
	u, err := compile.Compile(source.NewFile("in.cu", []byte(r.text)), syntax.CUDA, "", compile.Options{Check: true, CXX: &cxx.Options{Textures: headers.SoftwareTextures}, PTX: ptxgen.Options{Target: target}})
	if err != nil {
		var b strings.Builder
		u.Diags.Render(&b)
		t.Fatalf("%v\n%s", err, b.String())
	}
	o := simt.Checked()
	o.MaxInstructions = 1 << 22
	dev := simt.Open(o)
	defer dev.Close()
	m, err := dev.Load("in.cu", u.PTXText())
	if err != nil {
		t.Fatal(err)
	}
	k, err := m.Kernel("_Z1kPl")
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 8*r.blocks*r.threads*r.width)
	p, err := dev.Alloc("out", int64(len(buf)))
	if err != nil {
		t.Fatal(err)
	}
	l := device.Launch{Cooperative: true, Grid: device.Dim3{X: uint32(r.blocks)}, Block: device.Dim3{X: uint32(r.threads)}, Params: binary.LittleEndian.AppendUint64(nil, uint64(p))}
	if err := dev.Launch(k, l); err != nil {
		t.Fatal(err)
	}
	if err := dev.Sync(context.Background()); err != nil {
		t.Fatal(err)
	}
	for _, report := range dev.Reports() {
		t.Errorf("report: %v", report)
	}
	if err := dev.CopyOut(buf, p); err != nil {
		t.Fatal(err)
	}
	list := make([]int64, r.blocks*r.threads*r.width)
	for i := range list {
		list[i] = int64(binary.LittleEndian.Uint64(buf[8*i:]))
	}
	return list
}

var headerRuns = []headerRun{
	{name: "half", blocks: 2, threads: 64, width: 12, want: halfWant, text: `
#include <cuda_fp16.h>
__global__ void k(long *out) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	long *o = out + 12 * i;
	__half a = __float2half(i * 0.1f), b = __int2half_rn(i - 40), c = 3;
	o[0] = __half_as_ushort(a + b);
	o[1] = __half_as_ushort(a * b - c);
	o[2] = __half_as_ushort(__hfma(a, b, c));
	o[3] = __half_as_ushort(b / c);
	o[4] = (a < b) + 2 * (b >= c) + 4 * __heq(a, a) + 8 * __hisnan(a / (b - b));
	o[5] = __half2int_rn(b / c) * 1000 + __half2int_rd(a);
	half2 p = __halves2half2(a, b), q = __half2half2(c);
	p = __hmul2(__hadd2(p, q), q);
	o[6] = __half_as_ushort(__low2half(p));
	o[7] = __half_as_ushort(__high2half(p));
	float2 f = __half22float2(p);
	o[8] = (long)(f.x * 64 + f.y);
	o[9] = __half_as_ushort(hsqrt(a)) + 65536L * __half_as_ushort(__hmax(a, b));
	o[10] = __half_as_ushort(__shfl_xor_sync(0xffffffff, a, 1));
	__shared__ __half2 sum;
	if (threadIdx.x == 0) sum = __float2half2_rn(0.0f);
	__syncthreads();
	atomicAdd(&sum, __floats2half2_rn(1.0f, 0.5f));
	__syncthreads();
	o[11] = (long)(__low2float(sum) * 100 + __high2float(sum));
}`},
	{name: "bfloat16", blocks: 1, threads: 128, width: 6, want: bfloatWant, text: `
#include <cuda_bf16.h>
__global__ void k(long *out) {
	int i = threadIdx.x;
	long *o = out + 6 * i;
	__nv_bfloat16 a = __float2bfloat16(i * 0.37f), b = i - 64, c = 1e-3f;
	o[0] = __bfloat16_as_ushort(a + b);
	o[1] = __bfloat16_as_ushort(a * b);
	o[2] = __bfloat16_as_ushort(__hfma(a, b, c));
	__nv_bfloat162 p = __halves2bfloat162(a, b);
	p = __hfma2(p, p, __bfloat162bfloat162(c));
	o[3] = __bfloat16_as_ushort(p.x) + 65536L * __bfloat16_as_ushort(p.y);
	o[4] = __bfloat16_as_ushort(__float2bfloat16_ru(i * 0.37f)) + 65536L * __bfloat16_as_ushort(__float2bfloat16_rz(i * -0.37f));
	__shared__ __nv_bfloat16 sum;
	if (i == 0) sum = 0.0f;
	__syncthreads();
	atomicAdd(&sum, __nv_bfloat16(1.0f));
	__syncthreads();
	o[5] = (long)(float)sum;
}`},
	{name: "assignments", blocks: 1, threads: 128, width: 6, want: assignmentsWant, text: `
#include <cuda_fp16.h>
#include <cuda_bf16.h>
template <class H, class I> __device__ H assigned(I i) {
	H h;
	h = i;
	return h;
}
__global__ void k(long *out) {
	int i = threadIdx.x * 37 - 1000;
	long *o = out + 6 * threadIdx.x;
	o[0] = __half_as_ushort(assigned<__half>(i)) + 65536L * __bfloat16_as_ushort(assigned<__nv_bfloat16>(i));
	o[1] = __half_as_ushort(assigned<__half>((short)i)) + 65536L * __bfloat16_as_ushort(assigned<__nv_bfloat16>((short)i));
	o[2] = __half_as_ushort(assigned<__half>((long long)i)) + 65536L * __bfloat16_as_ushort(assigned<__nv_bfloat16>((long long)i));
	i += 1000;
	o[3] = __half_as_ushort(assigned<__half>((unsigned)i)) + 65536L * __bfloat16_as_ushort(assigned<__nv_bfloat16>((unsigned)i));
	o[4] = __half_as_ushort(assigned<__half>((unsigned short)i)) + 65536L * __bfloat16_as_ushort(assigned<__nv_bfloat16>((unsigned short)i));
	o[5] = __half_as_ushort(assigned<__half>((unsigned long long)i)) + 65536L * __bfloat16_as_ushort(assigned<__nv_bfloat16>((unsigned long long)i));
}`},
	{name: "groups", blocks: 3, threads: 80, width: 12, want: groupsWant, text: `
#include <cooperative_groups.h>
#include <cooperative_groups/reduce.h>
#include <cooperative_groups/scan.h>
namespace cg = cooperative_groups;
struct pair { int a; short b; };
__device__ int total(cg::thread_group g, int *places, int v) {
	int rank = g.thread_rank();
	places[rank] = v;
	g.sync();
	int sum = 0;
	for (int i = 0; i < g.size(); i++) sum += places[i];
	g.sync();
	return sum;
}
__device__ int seen;
__global__ void k(long *out) {
	__shared__ int places[80];
	cg::thread_block block = cg::this_thread_block();
	cg::grid_group grid = cg::this_grid();
	long *o = out + 12 * grid.thread_rank();
	cg::thread_block_tile<16> tile = cg::tiled_partition<16>(block);
	auto small = cg::tiled_partition<4>(tile);
	int i = block.thread_rank();
	o[0] = tile.meta_group_rank() * 1000 + tile.thread_rank() * 10 + tile.meta_group_size();
	o[1] = cg::reduce(tile, i, cg::plus<int>());
	o[2] = small.shfl_xor(i, 1) + 100 * small.shfl(i, 3) + 10000 * small.shfl_up(i, 1);
	o[3] = tile.ballot(i % 3 == 0);
	if (i % 3 == 1) {
		cg::coalesced_group g = cg::coalesced_threads();
		o[4] = g.thread_rank() * 1000 + g.size();
		o[5] = cg::reduce(g, (long)i, cg::greater<long>()) * 1000 + cg::exclusive_scan(g, i);
		o[6] = g.shfl(pair{i, (short)(i * 2)}, 1).b;
		for (unsigned int rank = 0; rank < 2 * g.size(); rank++) o[6] += 1000L * (rank + 1) * g.shfl(i, rank);
	}
	auto same = cg::labeled_partition(tile, i % 5);
	o[7] = same.size() * 100 + same.meta_group_rank() * 10 + same.meta_group_size();
	auto half = cg::binary_partition(tile, i % 4 == 0);
	o[8] = half.size() * 100 + half.thread_rank();
	o[9] = total(block, places, i);
	cg::sync(block);
	for (int round = 1; round <= 3; round++) {
		atomicAdd(&seen, 1);
		grid.sync();
		o[9 + (round + 1) / 2] = atomicAdd(&seen, 0);
		grid.sync();
	}
}`},
	{name: "clusters", blocks: 4, threads: 40, width: 8, want: clusterWant, hopper: true, text: `
#include <cooperative_groups.h>
namespace cg = cooperative_groups;
__device__ int counts[2];
__global__ void __cluster_dims__(2) k(long *out) {
	cg::cluster_group c = cg::this_cluster();
	long *o = out + 8 * (blockIdx.x * blockDim.x + threadIdx.x);
	atomicAdd(&counts[blockIdx.x / 2], 1);
	c.sync();
	o[0] = atomicAdd(&counts[blockIdx.x / 2], 0);
	c.barrier_wait(c.barrier_arrive());
	o[1] = c.thread_rank();
	o[2] = c.num_threads() * 100 + c.num_blocks();
	o[3] = c.block_rank();
	o[4] = c.thread_index().x;
	o[5] = c.dim_threads().x * 10 + c.dim_threads().y;
	o[6] = c.block_index().x + 10 * c.dim_blocks().x;
	c.barrier_arrive();
	c.barrier_wait();
	o[7] = c.size();
}`},
	{name: "timed waits", blocks: 1, threads: 32, width: 8, want: timedWant, text: `
#include <cuda/barrier>
using namespace cuda::std::chrono;
template <typename Barrier> __device__ void waits(Barrier &bar, long *o) {
	if (threadIdx.x == 0) init(&bar, blockDim.x + 1);
	__syncthreads();
	auto token = bar.arrive();
	o[0] = bar.try_wait_for(cuda::std::move(token), microseconds(2));
	o[1] = bar.try_wait_until(cuda::std::move(token), high_resolution_clock::now() + nanoseconds(50));
	o[2] = bar.try_wait_parity_for(false, seconds(0)) * 10 + bar.try_wait_parity_until(true, system_clock::now() - hours(1));
	__syncthreads();
	if (threadIdx.x == 0) bar.arrive();
	while (!bar.try_wait_for(cuda::std::move(token), milliseconds(1))) {}
	o[3] = bar.try_wait_parity_for(false, nanoseconds(0)) * 10 + bar.try_wait_parity_until(true, high_resolution_clock::now());
	__syncthreads();
}
__global__ void k(long *out) {
	__shared__ cuda::barrier<cuda::thread_scope_block> own;
	__shared__ cuda::barrier<cuda::thread_scope_device> other;
	static_assert(sizeof own == 8);
	waits(own, out + 8 * threadIdx.x);
	waits(other, out + 8 * threadIdx.x + 4);
}`},
	{name: "durations", blocks: 1, threads: 1, width: 8, want: durationWant, text: `
#include <cuda/std/chrono>
using namespace cuda::std::chrono;
__global__ void k(long *o) {
	constexpr auto d = minutes(2) + milliseconds(-3);
	static_assert(d == microseconds(119997000) && d != seconds(120) && d < minutes(2) && d >= seconds(119));
	o[0] = d.count();
	o[1] = duration_cast<seconds>(d).count();
	o[2] = (long)(duration<double>(d).count() * 1000);
	o[3] = nanoseconds(seconds(3)).count();
	auto begin = system_clock::now();
	auto end = begin + hours(1);
	o[4] = (end - begin).count();
	o[5] = end > begin && begin <= end && system_clock::now() - begin < seconds(5);
	o[6] = (d * 2l / 7l).count();
	milliseconds sum(1);
	sum += seconds(1);
	o[7] = (-sum).count() * cuda::std::ratio<-6, 8>::den + cuda::std::ratio<-6, 8>::num;
}`},
	{name: "bulk copies", blocks: 1, threads: 64, width: 2, want: bulkWant, hopper: true, text: `
#include <cuda/barrier>
__device__ alignas(16) int data[2][64];
__global__ void k(long *out) {
	__shared__ alignas(16) int room[2][64];
	__shared__ cuda::barrier<cuda::thread_scope_block> bar;
	int t = threadIdx.x;
	data[0][t] = t * t;
	data[1][t] = -t;
	if (t == 0) init(&bar, 64);
	__syncthreads();
	cuda::barrier<cuda::thread_scope_block>::arrival_token token;
	if (t == 0) {
		cuda::device::memcpy_async_tx(room[0], data[0], cuda::aligned_size_t<16>(sizeof room[0]), bar);
		cuda::device::barrier_expect_tx(bar, sizeof room[0]);
		cuda::device::memcpy_async_tx(room[1], data[1], cuda::aligned_size_t<16>(sizeof room[1]), bar);
		token = cuda::device::barrier_arrive_tx(bar, 1, sizeof room[1]);
	} else {
		token = bar.arrive();
	}
	bar.wait(cuda::std::move(token));
	out[2 * t] = room[0][63 - t];
	out[2 * t + 1] = room[1][63 - t];
}`},
	{name: "textures", blocks: 1, threads: 8, width: 9, want: textureWant, text: `
__device__ float texels[4 * 4] = {0, 1, 2, 3, 10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 33};
__device__ unsigned char bytes[8] = {0, 51, 102, 255, 5, 6, 7, 8};
__device__ irgl_texture at(const void *data, int width, int height, int kind, int bits, int linear, int mode) {
	irgl_texture t;
	t.data = (const unsigned char *)data;
	t.width = width;
	t.height = height;
	t.depth = 1;
	t.pitch = width * bits / 8;
	t.slice = t.pitch * height;
	t.kind = kind;
	t.bits = bits;
	t.channels = 1;
	t.linear = linear;
	t.normalized = mode == 0 || mode == 2;
	t.as_float = bits == 8;
	for (int i = 0; i < 3; i++) t.address[i] = mode;
	for (int i = 0; i < 4; i++) t.border[i] = -1;
	return t;
}
__device__ irgl_texture list[6];
__global__ void k(long *out) {
	int i = threadIdx.x;
	long *o = out + 9 * i;
	if (i == 0) {
		list[5] = at(texels, 4, 2, 2, 32, 0, 1);
		list[5].depth = 2;
		list[0] = at(texels, 4, 4, 2, 32, 0, 1);
		list[1] = at(texels, 4, 4, 2, 32, 1, 3);
		list[2] = at(texels, 4, 4, 2, 32, 0, 0);
		list[3] = at(texels, 4, 4, 2, 32, 0, 2);
		list[4] = at(bytes, 8, 1, 1, 8, 0, 1);
	}
	__syncthreads();
	cudaTextureObject_t t[6];
	for (int n = 0; n < 6; n++) t[n] = (cudaTextureObject_t)&list[n];
	o[0] = tex2D<float>(t[0], i - 1 + 0.5f, 1.5f);
	o[1] = tex2D<float>(t[1], i * 0.5f, 2.0f) * 256;
	o[2] = tex2D<float>(t[2], i * 0.25f - 0.125f, 0.3f);
	o[3] = tex2D<float>(t[3], i * 0.25f - 0.125f, -0.3f);
	texture<unsigned char, 1, cudaReadModeNormalizedFloat> values;
	texture<unsigned char> elements;
	values.irgl_bound = elements.irgl_bound = t[4];
	o[4] = (tex1Dfetch<float>(t[4], i) + tex1Dfetch(values, i)) * 127.5f + 0.5f;
	o[5] = tex1Dfetch<unsigned char>(t[4], i) * 2 - tex1Dfetch(elements, i);
	o[8] = tex2DLayered<float>(t[5], i & 3, 0.0f, i >> 1);
	__syncthreads();
	surf2Dwrite((float)i, t[0], (i & 3) * 4, i >> 2);
	__syncthreads();
	o[6] = surf2Dread<float>(t[0], (3 - (i & 3)) * 4, i >> 2);
	o[7] = surf2Dread<float>(t[0], i * 4, 0, cudaBoundaryModeZero);
}`},
	{name: "random", blocks: 1, threads: 32, width: 6, want: randomWant, text: `
#include <curand_kernel.h>
__global__ void k(long *out) {
	int i = threadIdx.x;
	long *o = out + 6 * i;
	curandStatePhilox4_32_10_t p;
	curand_init(0, 0, i, &p);
	o[0] = curand(&p);
	curandStateMRG32k3a m;
	curand_init(0, 1, 0, &m);
	o[1] = m.s1[0] + m.s2[0] * 4294967296L;
	curandState s, skipped;
	curand_init(1234, i, 0, &s);
	curand_init(1234, i, 5, &skipped);
	int good = 1, equal = 1;
	for (int n = 0; n < 5; n++) {
		float u = curand_uniform(&s);
		good = good && u > 0.0f && u <= 1.0f;
	}
	for (int n = 0; n < 5; n++) equal = equal && curand(&s) == curand(&skipped);
	o[2] = good + 2 * equal;
	float sum = 0, squares = 0;
	for (int n = 0; n < 400; n++) {
		float x = curand_normal(&s);
		sum += x;
		squares += x * x;
	}
	o[3] = fabsf(sum / 400) < 0.25f && squares / 400 > 0.7f && squares / 400 < 1.35f;
	double poisson = 0;
	for (int n = 0; n < 200; n++) poisson += curand_poisson(&s, 30.0);
	o[4] = poisson / 200 > 27.5 && poisson / 200 < 32.5;
	o[5] = curand_log_normal(&s, 0.0f, 1.0f) > 0.0f && curand_uniform_double(&s) <= 1.0;
}`},
}

// half16 rounds a double to the nearest half and returns its bits; bfloat is the same for
// bfloat16.
func half16(x float64) int64 { return roundBits(x, 10, 15) }
func bfloat(x float64) int64 { return roundBits(x, 7, 127) }

func roundBits(x float64, mant, bias int) int64 {
	sign := int64(0)
	if math.Signbit(x) {
		sign, x = 0x8000, -x
	}
	if x == 0 {
		return sign
	}
	_, exp := math.Frexp(x)
	exp = max(exp-1, 1-bias)
	n := int64(math.RoundToEven(math.Ldexp(x, mant-exp))) // of units of the last place
	return sign | n + int64(exp+bias-1)<<mant
}

// fromBits returns the number that bits of a half or bfloat16 mean.
func fromBits(b int64, mant, bias int) float64 {
	frac, exp := float64(b&(1<<mant-1)), int(b&0x7fff>>mant)
	x := math.Ldexp(frac+float64(int(1)<<mant), exp-bias-mant)
	if exp == 0 {
		x = math.Ldexp(frac, 1-bias-mant)
	}
	if b&0x8000 != 0 {
		x = -x
	}
	return x
}

func truth(b bool) int64 {
	if b {
		return 1
	}
	return 0
}

func halfWant(i int) []int64 {
	v := func(x float64) float64 { return fromBits(half16(x), 10, 15) }
	a := v(float64(float32(i) * 0.1))
	b, c := float64(i-40), 3.0
	x, y := v(v(a+c)*c), v(v(b+c)*c)
	neighbour := v(float64(float32(i^1) * 0.1))
	return []int64{
		half16(a + b), half16(v(a*b) - c), half16(a*b + c), half16(b / c),
		truth(a < b) + 2*truth(b >= c) + 4 + 8*truth(a == 0),
		int64(math.RoundToEven(v(b/c)))*1000 + int64(math.Floor(a)),
		half16(x), half16(y), int64(float32(x)*64 + float32(y)),
		half16(float64(float32(math.Sqrt(a)))) + 65536*half16(max(a, b)), half16(neighbour), 6432,
	}
}

func bfloatWant(i int) []int64 {
	v := func(x float64) float64 { return fromBits(bfloat(x), 7, 127) }
	f := float32(i) * 0.37
	a, b, c := v(float64(f)), float64(i-64), v(float64(float32(1e-3)))
	up, zero := int64(math.Float32bits(f))>>16, int64(math.Float32bits(-f))>>16
	if math.Float32bits(f)&0xffff != 0 {
		up++
	}
	return []int64{bfloat(a + b), bfloat(a * b), bfloat(a*b + c), bfloat(a*a+c) + 65536*bfloat(b*b+c), up + 65536*zero, 128}
}

func assignmentsWant(i int) []int64 {
	both := func(x int) int64 { return half16(float64(x)) + 65536*bfloat(float64(x)) }
	x, y := both(i*37-1000), both(i*37)
	return []int64{x, x, x, y, y, y}
}

func groupsWant(g int) []int64 {
	i := g % 80
	tile, lane := i/16, i%16
	sum, ballot := 0, 0
	size, first := 0, map[int]bool{}
	rank := 0
	for j := range 16 {
		n := tile*16 + j
		sum += n
		if n%3 == 0 {
			ballot |= 1 << j
		}
		if n%5 == i%5 {
			size++
		}
		if !first[n%5] {
			first[n%5] = true
		}
	}
	for j := range 16 { // the groups before this one's, by their first lanes
		n := tile*16 + j
		if n%5 == i%5 {
			break
		}
		rank++
	}
	up := i - 1
	if i%4 == 0 {
		up = i
	}
	w := []int64{
		int64(tile*1000 + lane*10 + 5), int64(sum), int64(i^1) + 100*int64(i|3) + 10000*int64(up), int64(ballot), 0, 0, 0,
		int64(size*100 + rank*10 + len(first)), 0, 80 * 79 / 2, 480, 720,
	}
	if quarter := i%4 == 0; quarter {
		w[8] = 400 + int64(lane/4)
	} else {
		w[8] = 1200 + int64(lane-lane/4-1)
	}
	if i%3 == 1 {
		var members []int
		before, at := 0, 0
		for n := i / 32 * 32; n < min(80, i/32*32+32); n++ {
			if n%3 == 1 {
				if n < i {
					before += n
					at++
				}
				members = append(members, n)
			}
		}
		w[4] = int64(at*1000 + len(members))
		w[5] = int64(members[len(members)-1]*1000 + before)
		w[6] = int64(members[1] * 2)
		for rank := range 2 * len(members) {
			w[6] += int64(1000 * (rank + 1) * members[rank%len(members)])
		}
	}
	return w
}

func clusterWant(i int) []int64 {
	block, thread := int64(i/40%2), int64(i%40)
	return []int64{80, block*40 + thread, 8002, block, block*40 + thread, 801, block + 20, 80}
}

func textureWant(i int) []int64 {
	row := func(x float64) float64 { // between the texels of rows 1 and 2, whose mean is 15+x
		at := func(j int) float64 {
			if j < 0 || j > 3 {
				return -1
			}
			return 15 + float64(j)
		}
		x -= 0.5
		f := math.Floor(x)
		return at(int(f))*(1-(x-f)) + at(int(f)+1)*(x-f)
	}
	mirror := []int64{0, 0, 1, 2, 3, 3, 2, 1}
	bytes := []int64{0, 51, 102, 255, 5, 6, 7, 8}
	last := int64(0)
	if i < 4 {
		last = int64(i)
	}
	return []int64{
		10 + int64(min(max(i-1, 0), 3)), int64(row(float64(i)/2) * 256), 10 + int64((i+3)%4), 10 + mirror[i], bytes[i], bytes[i],
		int64(i&4 + 3 - i&3), last, int64(i&3 + min(i/2, 1)*20),
	}
}

// randomWant has the numbers of Philox4x32-10, and the state of MRG32k3a after 2^76 steps from
// (12345, 12345, 12345), which exact arithmetic gives.
func randomWant(i int) []int64 {
	return []int64{int64(philox(uint32(i / 4))[i%4]), 870504860 + 339352413<<32, 3, 1, 1, 1}
}

func philox(count uint32) [4]uint32 {
	c, k := [4]uint32{count}, [2]uint32{}
	for range 10 {
		ah, al := bits.Mul32(0xd2511f53, c[0])
		bh, bl := bits.Mul32(0xcd9e8d57, c[2])
		c = [4]uint32{bh ^ c[1] ^ k[0], bl, ah ^ c[3] ^ k[1], al}
		k[0] += 0x9e3779b9
		k[1] += 0xbb67ae85
	}
	return c
}

// TestVolatileCast checks that a load through a pointer that is cast to one to volatile is
// not an ordinary load, which a loop would make once.
func TestVolatileCast(t *testing.T) {
	const text = `__global__ void k(unsigned *p) { while ((*(volatile unsigned *)p & 1) == 0) {} }`
	u, err := compile.Compile(source.NewFile("in.cu", []byte(text)), syntax.CUDA, "", compile.Options{CXX: &cxx.Options{}})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(u.PTXText(), "ld.volatile.global.u32") {
		t.Error(u.PTXText())
	}
}

// TestPairSums: what is added to a pair in memory is put together of two halves right before, as
// ptxas takes halves of a register of 64 bits for each other there.
func TestPairSums(t *testing.T) {
	for _, c := range []struct{ header, typ, sum string }{{"cuda_fp16.h", "__half2", "f16x2"}, {"cuda_bf16.h", "__nv_bfloat162", "bf16x2"}} {
		text := "#include <" + c.header + ">\n__global__ void k(" + c.typ + " *p, unsigned long long v) {\n" +
			"\tunsigned int upper = (unsigned int)(v >> 32);\n\tatomicAdd(p, *(" + c.typ + " *)&upper);\n}\n"
		u, err := compile.Compile(source.NewFile("in.cu", []byte(text)), syntax.CUDA, "",
			compile.Options{Check: true, CXX: &cxx.Options{}, PTX: ptxgen.Options{Target: "sm_90"}})
		if err != nil {
			t.Fatalf("%s: %v", c.header, err)
		}
		packed := regexp.MustCompile(`mov\.b32 (\w+), \{\w+, \w+\};\s+atom\.add\.noftz\.` + c.sum + ` \S+ \S+ (\w+);`).FindStringSubmatch(u.PTXText())
		if packed == nil || packed[1] != packed[2] {
			t.Errorf("%s: the addend is not put together:\n%s", c.header, u.PTXText())
		}
	}
}
