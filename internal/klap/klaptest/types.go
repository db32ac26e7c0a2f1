package klaptest

import (
	"fmt"
	"math/rand/v2"
)

// A ctype is the type of a parameter: how a thread makes a value of it from h, and what it
// does with one, which is X in hash. A make that is several statements declares X.
type ctype struct {
	name       string
	make, hash string
}

var types = []ctype{
	{"signed char", "(signed char)h", "(unsigned)X"},
	{"unsigned char", "(unsigned char)h", "(unsigned)X"},
	{"short", "(short)(h >> 3)", "(unsigned)X"},
	{"unsigned short", "(unsigned short)h", "(unsigned)X"},
	{"int", "(int)h", "(unsigned)X"},
	{"unsigned", "h >> 5", "X"},
	{"long", "(long)h * 4294967311l", "(unsigned)(X >> 32) + (unsigned)X * 5u"},
	{"unsigned long long", "(unsigned long long)h << 29 | 7ull", "(unsigned)(X >> 32) + (unsigned)X * 3u"},
	{"float", "(float)(h % 1000u)", "(unsigned)(X * 2.0f)"},
	{"double", "(double)h * 0.5", "(unsigned)(X * 2.0)"},
	{"const unsigned *", "cell(h)", "*X"},
	{"struct padded", "struct padded X = padded0; X.a = (signed char)h; X.l = (long)h << 20; X.s = (short)(h >> 9);", "(unsigned)X.a + (unsigned)(X.l >> 20) + (unsigned)X.s * 3u"},
	{"struct aligned", "struct aligned X = aligned0; X.c = (unsigned char)h; X.v[0] = h; X.v[1] = h * 3u; X.v[2] = 9u;", "X.c + X.v[0] * 3u + X.v[1] + X.v[2]"},
	{"struct nested", "struct nested X = nested0; X.p.a = 1; X.p.l = (long)h; X.p.s = 2; X.b[0] = (unsigned char)h; X.b[1] = 3; X.b[2] = (unsigned char)(h >> 7);",
		"(unsigned)X.p.a + (unsigned)X.p.l + (unsigned)X.p.s + X.b[0] * 7u + X.b[1] + X.b[2]"},
}

// prelude is in front of each program.
const prelude = `struct padded { signed char a; long l; short s; };
struct __align__(16) aligned { unsigned char c; unsigned v[3]; };
struct nested { struct padded p; unsigned char b[3]; };
__device__ struct padded padded0; // the bytes between the members of a copy have been written
__device__ struct aligned aligned0;
__device__ struct nested nested0;
typedef void *stream;
static __device__ int irgl_launch_stream(void **s) { return 0; }
static __device__ int irgl_launch_destroy(void *s) { return 0; }
static __device__ unsigned cudaStreamCreateWithFlags(void **s, unsigned flags) { return (unsigned)irgl_launch_stream(s); }
static __device__ unsigned cudaStreamDestroy(void *s) { return (unsigned)irgl_launch_destroy(s); }
__device__ unsigned heap[8192], top;
__device__ unsigned bare_out[61]; // for kernels without parameters
static __device__ unsigned mix(unsigned h, unsigned v) { h = (h ^ v) * 2654435761u; return h ^ h >> 15; }
static __device__ void record(unsigned *out, unsigned h) { atomicAdd(&out[h % 61u], h | 1u); }
static __device__ unsigned *cell(unsigned h) { unsigned *c = &heap[atomicAdd(&top, 1u) % 8192u]; *c = h; return c; }
static __device__ unsigned linear(void) { return (threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x; }
static __device__ unsigned size(void) { return blockDim.x * blockDim.y * blockDim.z; }
static __device__ unsigned here(void) {
	unsigned h = mix(gridDim.x * 3u + gridDim.y * 5u + gridDim.z, blockDim.x * 7u + blockDim.y * 11u + blockDim.z);
	h = mix(h, blockIdx.x + blockIdx.y * 1000u + blockIdx.z * 70000u);
	return mix(h, threadIdx.x + threadIdx.y * 2000u + threadIdx.z * 90000u);
}
`

// The kernels of launches that follow each other in a stream: a program that loses their order
// has another result.
const ordered = `__global__ void step(unsigned *c, unsigned v) { if (linear() == 0u && blockIdx.x == 0u) *c = *c * 3u + v; }
__global__ void last(unsigned *out, const unsigned *c, unsigned h) { if (linear() == 0u) record(out, mix(h, *c)); }
`

// A param is a parameter of a kernel.
type param struct {
	ctype
	name string
}

func (p param) hash() string { return substitute(p.ctype.hash, p.name) }

// substitute puts a name in the place of X.
func substitute(text, name string) string {
	var out []byte
	for i := 0; i < len(text); i++ {
		if text[i] == 'X' {
			out = append(out, name...)
		} else {
			out = append(out, text[i])
		}
	}
	return string(out)
}

// params returns random parameters, whose names begin with p.
func params(r *rand.Rand) []param {
	var out []param
	for i := range r.IntN(4) {
		out = append(out, param{types[r.IntN(len(types))], fmt.Sprintf("p%d", i)})
	}
	return out
}
