// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// nvcuda::wmma: products of matrices by a warp, on the tensor cores. A fragment's elements are those
// of the PTX manual's mma instructions: of which row and column they are is this header's own.
#pragma once

#include <string.h>

#include <cuda_bf16.h>
#include <cuda_fp16.h>

namespace nvcuda {
namespace wmma {

struct row_major {};
struct col_major {};
struct matrix_a {};
struct matrix_b {};
struct accumulator {};
enum layout_t { mem_row_major, mem_col_major };

namespace precision {
struct tf32 {};
struct u4 {};
struct s4 {};
struct b1 {};
}

// The nearest number of 10 bits of fraction, ties away from zero.
inline __device__ float __float_to_tf32(float x) {
	unsigned int bits = __float_as_uint(x);
	return (bits & 0x7f800000u) == 0x7f800000u ? x : __uint_as_float((bits + 0x1000u) & ~0x1fffu);
}

namespace irgl {

// What a type of elements is stored as, and the shape of the instruction: m by n by k, and elements in a
// register of A and B.
template <typename T> struct element { static constexpr bool known = false; };
template <> struct element<__half> { typedef __half type; static constexpr bool known = true; static constexpr int m = 16, k = 16, pack = 2; };
template <> struct element<__nv_bfloat16> { typedef __nv_bfloat16 type; static constexpr bool known = true; static constexpr int m = 16, k = 16, pack = 2; };
template <> struct element<precision::tf32> { typedef float type; static constexpr bool known = true; static constexpr int m = 16, k = 8, pack = 1; };
template <> struct element<double> { typedef double type; static constexpr bool known = true; static constexpr int m = 8, k = 4, pack = 1; };
#if __CUDA_ARCH__ >= 800
constexpr int rows_of_bytes = 16;
#else
constexpr int rows_of_bytes = 8;
#endif
template <> struct element<signed char> { typedef signed char type; static constexpr bool known = true; static constexpr int m = rows_of_bytes, k = 16, pack = 4; };
template <> struct element<unsigned char> { typedef unsigned char type; static constexpr bool known = true; static constexpr int m = rows_of_bytes, k = 16, pack = 4; };

inline __device__ int lane() {
	int l;
	asm("mov.u32 %0, %%laneid;" : "=r"(l));
	return l;
}

// Fragments are of tiles: those of the first factor have M rows, those of the second 8 columns. Where the
// instruction has 16 rows and the matrix 8, the factors change places: D^T = B^T * A^T.
template <int M, int m> constexpr bool swapped = M < m;

// The place of element i of a fragment of the first factor, of rows by k.
template <int m, int k, int pack> inline __device__ void first_at(int i, int &row, int &col) {
	constexpr int halves = m / 8, count = m * k / 32;
	int g = lane() >> 2, t = lane() & 3, tile = i / count, j = i % count / pack;
	row = tile * m + g + 8 * (j % halves);
	col = pack * t + i % pack + 4 * pack * (j / halves);
}

// The place of element i of a fragment of the second factor, of k by columns.
template <int k, int pack> inline __device__ void second_at(int i, int &row, int &col) {
	constexpr int count = k * 8 / 32;
	int g = lane() >> 2, t = lane() & 3, tile = i / count, j = i % count;
	row = pack * t + j % pack + 4 * pack * (j / pack);
	col = tile * 8 + g;
}

// The place of the q-th register of a fragment of a factor as a matrix of 8 rows of 16 bytes: its first row, or column,
// outside of k, and its first k.
template <int m, int k, typename T> inline __device__ void first_rows(int q, int &outer, int &inner) {
	constexpr int halves = m / 8, across = k * sizeof(T) / 16;
	outer = q / (halves * across) * m + 8 * (q % halves);
	inner = q / halves % across * (16 / sizeof(T));
}
template <int k, typename T> inline __device__ void second_rows(int q, int &outer, int &inner) {
	constexpr int across = k * sizeof(T) / 16;
	outer = q / across * 8;
	inner = q % across * (16 / sizeof(T));
}

// The place of element i of a sum of rows by columns: tiles of m by 8, a row of tiles after another.
template <int m, int columns> inline __device__ void sum_at(int i, int &row, int &col) {
	constexpr int count = m * 8 / 32, across = columns / 8;
	int g = lane() >> 2, t = lane() & 3, tile = i / count, j = i % count;
	row = tile / across * m + g + 8 * (j / 2);
	col = tile % across * 8 + 2 * t + j % 2;
}

// The elements of a register, from p on.
inline __device__ unsigned int word(const __half *p) { return __half_as_ushort(p[0]) | (unsigned int)__half_as_ushort(p[1]) << 16; }
inline __device__ unsigned int word(const __nv_bfloat16 *p) { return __bfloat16_as_ushort(p[0]) | (unsigned int)__bfloat16_as_ushort(p[1]) << 16; }
inline __device__ unsigned int word(const float *p) { return __float_as_uint(p[0]); }
inline __device__ unsigned int word(const unsigned char *p) { return p[0] | p[1] << 8 | p[2] << 16 | (unsigned int)p[3] << 24; }
inline __device__ unsigned int word(const signed char *p) {
	return (unsigned char)p[0] | (unsigned char)p[1] << 8 | (unsigned char)p[2] << 16 | (unsigned int)(unsigned char)p[3] << 24;
}


// And the elements that a register holds, to p on.
inline __device__ void split(__half *p, unsigned int r) { p[0] = __ushort_as_half((unsigned short)r), p[1] = __ushort_as_half((unsigned short)(r >> 16)); }
inline __device__ void split(__nv_bfloat16 *p, unsigned int r) { p[0] = __ushort_as_bfloat16((unsigned short)r), p[1] = __ushort_as_bfloat16((unsigned short)(r >> 16)); }
inline __device__ void split(float *p, unsigned int r) { p[0] = __uint_as_float(r); }
template <typename T> inline __device__ void split(T *p, unsigned int r) { p[0] = (T)r, p[1] = (T)(r >> 8), p[2] = (T)(r >> 16), p[3] = (T)(r >> 24); }

// The products of one tile: d = a * b + c.
inline __device__ void product(float *d, const __half *a, const __half *b, const float *c) {
#if __CUDA_ARCH__ >= 800
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
		: "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
		: "r"(word(a)), "r"(word(a + 2)), "r"(word(a + 4)), "r"(word(a + 6)), "r"(word(b)), "r"(word(b + 2)), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
#else
	float s[4];
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
		: "=f"(s[0]), "=f"(s[1]), "=f"(s[2]), "=f"(s[3])
		: "r"(word(a)), "r"(word(a + 2)), "r"(word(b)), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.f16.f16.f32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
		: "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
		: "r"(word(a + 4)), "r"(word(a + 6)), "r"(word(b + 2)), "f"(s[0]), "f"(s[1]), "f"(s[2]), "f"(s[3]));
#endif
}
inline __device__ void product(__half *d, const __half *a, const __half *b, const __half *c) {
	unsigned int r[2];
#if __CUDA_ARCH__ >= 800
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3, %4, %5}, {%6, %7}, {%8, %9};"
		: "=r"(r[0]), "=r"(r[1])
		: "r"(word(a)), "r"(word(a + 2)), "r"(word(a + 4)), "r"(word(a + 6)), "r"(word(b)), "r"(word(b + 2)), "r"(word(c)), "r"(word(c + 2)));
#else
	unsigned int s[2];
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %6};"
		: "=r"(s[0]), "=r"(s[1])
		: "r"(word(a)), "r"(word(a + 2)), "r"(word(b)), "r"(word(c)), "r"(word(c + 2)));
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f16.f16.f16.f16 {%0, %1}, {%2, %3}, {%4}, {%5, %6};"
		: "=r"(r[0]), "=r"(r[1])
		: "r"(word(a + 4)), "r"(word(a + 6)), "r"(word(b + 2)), "r"(s[0]), "r"(s[1]));
#endif
	memcpy(d, r, 8);
}
inline __device__ void product(float *d, const __nv_bfloat16 *a, const __nv_bfloat16 *b, const float *c) {
	asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.bf16.bf16.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
		: "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
		: "r"(word(a)), "r"(word(a + 2)), "r"(word(a + 4)), "r"(word(a + 6)), "r"(word(b)), "r"(word(b + 2)), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
}
inline __device__ void product(float *d, const float *a, const float *b, const float *c) {
	asm volatile("mma.sync.aligned.m16n8k8.row.col.f32.tf32.tf32.f32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, {%10, %11, %12, %13};"
		: "=f"(d[0]), "=f"(d[1]), "=f"(d[2]), "=f"(d[3])
		: "r"(word(a)), "r"(word(a + 1)), "r"(word(a + 2)), "r"(word(a + 3)), "r"(word(b)), "r"(word(b + 1)), "f"(c[0]), "f"(c[1]), "f"(c[2]), "f"(c[3]));
}
inline __device__ void product(double *d, const double *a, const double *b, const double *c) {
	asm volatile("mma.sync.aligned.m8n8k4.row.col.f64.f64.f64.f64 {%0, %1}, {%2}, {%3}, {%4, %5};" : "=d"(d[0]), "=d"(d[1]) : "d"(a[0]), "d"(b[0]), "d"(c[0]), "d"(c[1]));
}
inline __device__ void product(int *d, const signed char *a, const signed char *b, const int *c) {
#if __CUDA_ARCH__ >= 800
	asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
		: "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(word(a)), "r"(word(a + 4)), "r"(word(b)), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
#else
	asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0, %1}, {%2}, {%3}, {%4, %5};" : "=r"(d[0]), "=r"(d[1]) : "r"(word(a)), "r"(word(b)), "r"(c[0]), "r"(c[1]));
#endif
}
inline __device__ void product(int *d, const unsigned char *a, const unsigned char *b, const int *c) {
#if __CUDA_ARCH__ >= 800
	asm volatile("mma.sync.aligned.m16n8k16.row.col.s32.u8.u8.s32 {%0, %1, %2, %3}, {%4, %5}, {%6}, {%7, %8, %9, %10};"
		: "=r"(d[0]), "=r"(d[1]), "=r"(d[2]), "=r"(d[3]) : "r"(word(a)), "r"(word(a + 4)), "r"(word(b)), "r"(c[0]), "r"(c[1]), "r"(c[2]), "r"(c[3]));
#else
	asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.u8.u8.s32 {%0, %1}, {%2}, {%3}, {%4, %5};" : "=r"(d[0]), "=r"(d[1]) : "r"(word(a)), "r"(word(b)), "r"(c[0]), "r"(c[1]));
#endif
}

// The instruction's rows for sums of a type.
template <typename T> struct sum { static constexpr int m = 16; };
template <> struct sum<double> { static constexpr int m = 8; };
template <> struct sum<int> { static constexpr int m = rows_of_bytes; };

} // namespace irgl

// The elements of a matrix that a lane has: __pack of them are side by side in a row, or in a column. Matrices in memory
// are aligned to 32 bytes and their rows to 16, so that those are one access if they follow each other there.
template <typename Use, int M, int N, int K, typename T, typename Layout = void> class fragment;

template <int M, int N, int K, typename T, typename Layout> class fragment<matrix_a, M, N, K, T, Layout> {
	typedef irgl::element<T> E;
	static_assert(E::known, "fragments are of half, __nv_bfloat16, precision::tf32, double, signed char and unsigned char");
	static_assert(K == E::k, "the shape is not supported for this type");

public:
	typedef T element_type;
	typedef typename E::type storage_element_type;
	static constexpr int num_elements = M * K / 32, num_storage_elements = num_elements;
	alignas(8) storage_element_type x[num_elements];
	static constexpr int __pack = E::pack;
	static constexpr bool __in_rows = true;
	static __device__ void __at(int i, int &row, int &col) {
		if constexpr (irgl::swapped<M, E::m>) irgl::second_at<K, E::pack>(i, col, row);
		else irgl::first_at<E::m, K, E::pack>(i, row, col);
	}
	static __device__ void __rows(int q, int &outer, int &inner) {
		if constexpr (irgl::swapped<M, E::m>) irgl::second_rows<K, storage_element_type>(q, outer, inner);
		else irgl::first_rows<E::m, K, storage_element_type>(q, outer, inner);
	}
};

template <int M, int N, int K, typename T, typename Layout> class fragment<matrix_b, M, N, K, T, Layout> {
	typedef irgl::element<T> E;
	static_assert(E::known, "fragments are of half, __nv_bfloat16, precision::tf32, double, signed char and unsigned char");
	static_assert(K == E::k, "the shape is not supported for this type");

public:
	typedef T element_type;
	typedef typename E::type storage_element_type;
	static constexpr int num_elements = K * N / 32, num_storage_elements = num_elements;
	alignas(8) storage_element_type x[num_elements];
	static constexpr int __pack = E::pack;
	static constexpr bool __in_rows = false;
	static __device__ void __at(int i, int &row, int &col) {
		if constexpr (irgl::swapped<M, E::m>) irgl::first_at<E::m, K, E::pack>(i, col, row);
		else irgl::second_at<K, E::pack>(i, row, col);
	}
	static __device__ void __rows(int q, int &outer, int &inner) {
		if constexpr (irgl::swapped<M, E::m>) irgl::first_rows<E::m, K, storage_element_type>(q, outer, inner);
		else irgl::second_rows<K, storage_element_type>(q, outer, inner);
	}
};

template <int M, int N, int K, typename T> class fragment<accumulator, M, N, K, T, void> {
public:
	typedef T element_type;
	typedef T storage_element_type;
	static constexpr int num_elements = M * N / 32, num_storage_elements = num_elements;
	alignas(8) T x[num_elements];
	static constexpr int __pack = 2;
	static constexpr bool __in_rows = !irgl::swapped<M, irgl::sum<T>::m>;
	static __device__ void __at(int i, int &row, int &col) {
		constexpr int m = irgl::sum<T>::m;
		if constexpr (irgl::swapped<M, m>) irgl::sum_at<m, M>(i, col, row);
		else irgl::sum_at<m, N>(i, row, col);
	}
};

template <typename F, typename V> inline __device__ void fill_fragment(F &f, const V &v) {
#pragma unroll
	for (int i = 0; i < F::num_elements; i++) f.x[i] = (typename F::storage_element_type)v;
}

namespace irgl {
template <typename T, int n> struct alignas(n * sizeof(T)) group { T x[n]; };

// n matrices of 8 rows of 16 bytes, a register of each: lane 8 * i + j has the address of row j of the i-th.
template <int n> struct registers { unsigned int r[n]; };
#if __CUDA_ARCH__ >= 750
inline __device__ void matrices(registers<1> &d, unsigned int row) { asm volatile("ldmatrix.sync.aligned.m8n8.x1.shared.b16 {%0}, [%1];" : "=r"(d.r[0]) : "r"(row)); }
inline __device__ void matrices(registers<2> &d, unsigned int row) {
	asm volatile("ldmatrix.sync.aligned.m8n8.x2.shared.b16 {%0, %1}, [%2];" : "=r"(d.r[0]), "=r"(d.r[1]) : "r"(row));
}
inline __device__ void matrices(registers<4> &d, unsigned int row) {
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(d.r[0]), "=r"(d.r[1]), "=r"(d.r[2]), "=r"(d.r[3]) : "r"(row));
}
inline __device__ void transposed(registers<2> &d, unsigned int row) {
	asm volatile("ldmatrix.sync.aligned.m8n8.x2.trans.shared.b16 {%0, %1}, [%2];" : "=r"(d.r[0]), "=r"(d.r[1]) : "r"(row));
}
inline __device__ void transposed(registers<4> &d, unsigned int row) {
	asm volatile("ldmatrix.sync.aligned.m8n8.x4.trans.shared.b16 {%0, %1, %2, %3}, [%4];" : "=r"(d.r[0]), "=r"(d.r[1]), "=r"(d.r[2]), "=r"(d.r[3]) : "r"(row));
}

// Loads a fragment of a factor from shared memory, by rows of 16 bytes: along k, or, of elements of 16 bits, across it.
template <bool along, typename F, typename T> inline __device__ void load_rows(F &f, const T *p, unsigned int stride) {
	constexpr int count = F::num_elements / F::__pack, n = count % 4 == 0 ? 4 : count;
	unsigned int base = (unsigned int)__cvta_generic_to_shared(p);
#pragma unroll
	for (int i = 0; i < count; i += n) {
		int outer, inner, l = lane();
		F::__rows(i + l / 8 % n, outer, inner);
		registers<n> d;
		if constexpr (along) matrices(d, base + ((outer + l % 8) * stride + inner) * (unsigned int)sizeof(T));
		else transposed(d, base + ((inner + l % 8) * stride + outer) * (unsigned int)sizeof(T));
#pragma unroll
		for (int k = 0; k < n; k++) split(&f.x[(i + k) * F::__pack], d.r[k]);
	}
}
#endif

// Where element i of a fragment is in a matrix.
template <typename F> inline __device__ unsigned int place(int i, unsigned int stride, bool rows) {
	int row, col;
	F::__at(i, row, col);
	return rows ? row * stride + col : col * stride + row;
}

template <typename F, typename T> inline __device__ void load(F &f, const T *p, unsigned int stride, bool rows) {
	typedef group<T, F::__pack> G;
	__syncwarp();
#pragma unroll
	for (int i = 0; i < F::num_elements; i += F::__pack) {
		if (rows == F::__in_rows) {
			G g = *(const G *)&p[place<F>(i, stride, rows)];
#pragma unroll
			for (int k = 0; k < F::__pack; k++) f.x[i + k] = g.x[k];
		} else {
#pragma unroll
			for (int k = 0; k < F::__pack; k++) f.x[i + k] = p[place<F>(i + k, stride, rows)];
		}
	}
}

// Whether a fragment consists of matrices of 8 rows of 16 bytes in memory, which are along k or, of elements of 16 bits, across it.
template <typename F, bool along, typename T> constexpr bool has_rows = false;
template <int M, int N, int K, typename T, typename L, bool along, typename S>
constexpr bool has_rows<fragment<matrix_a, M, N, K, T, L>, along, S> = along ? sizeof(S) <= 4 : sizeof(S) == 2;
template <int M, int N, int K, typename T, typename L, bool along, typename S>
constexpr bool has_rows<fragment<matrix_b, M, N, K, T, L>, along, S> = along ? sizeof(S) <= 4 : sizeof(S) == 2;

template <bool rows, typename F, typename T> inline __device__ void load_factor(F &f, const T *p, unsigned int stride) {
#if __CUDA_ARCH__ >= 750
	constexpr bool along = rows == F::__in_rows;
	if constexpr (has_rows<F, along, T>) {
		if (__isShared(p) && stride * sizeof(T) % 16 == 0 && ((unsigned long)p & 15) == 0) {
			__syncwarp();
			load_rows<along>(f, p, stride);
			return;
		}
	}
#endif
	load(f, p, stride, rows);
}
template <typename F, typename T> inline __device__ void store(T *p, const F &f, unsigned int stride, bool rows) {
	typedef group<T, F::__pack> G;
#pragma unroll
	for (int i = 0; i < F::num_elements; i += F::__pack) {
		if (rows == F::__in_rows) {
			G g;
#pragma unroll
			for (int k = 0; k < F::__pack; k++) g.x[k] = f.x[i + k];
			*(G *)&p[place<F>(i, stride, rows)] = g;
		} else {
#pragma unroll
			for (int k = 0; k < F::__pack; k++) p[place<F>(i + k, stride, rows)] = f.x[i + k];
		}
	}
	__syncwarp();
}
template <typename Layout> constexpr bool by_rows = false;
template <> constexpr bool by_rows<row_major> = true;
} // namespace irgl

template <typename Use, int M, int N, int K, typename T, typename Layout, typename P>
inline __device__ void load_matrix_sync(fragment<Use, M, N, K, T, Layout> &f, const P *p, unsigned int stride) {
	irgl::load_factor<irgl::by_rows<Layout>>(f, p, stride);
}
template <int M, int N, int K, typename T> inline __device__ void load_matrix_sync(fragment<accumulator, M, N, K, T> &f, const T *p, unsigned int stride, layout_t layout) {
	irgl::load(f, p, stride, layout == mem_row_major);
}
template <int M, int N, int K, typename T> inline __device__ void store_matrix_sync(T *p, const fragment<accumulator, M, N, K, T> &f, unsigned int stride, layout_t layout) {
	irgl::store(p, f, stride, layout == mem_row_major);
}

// Sums of integers wrap.
template <int M, int N, int K, typename T, typename LA, typename LB, typename D, typename C>
inline __device__ void mma_sync(fragment<accumulator, M, N, K, D> &d, const fragment<matrix_a, M, N, K, T, LA> &a, const fragment<matrix_b, M, N, K, T, LB> &b,
	const fragment<accumulator, M, N, K, C> &c) {
	typedef irgl::element<T> E;
	constexpr bool swap = irgl::swapped<M, E::m>;
	constexpr int rows = (swap ? N : M) / E::m, columns = (swap ? M : N) / 8, first = E::m * K / 32, second = K * 8 / 32, sum = E::m * 8 / 32;
#pragma unroll
	for (int i = 0; i < rows; i++) {
#pragma unroll
		for (int j = 0; j < columns; j++) {
			int at = (i * columns + j) * sum;
			D s[sum];
#pragma unroll
			for (int n = 0; n < sum; n++) s[n] = (D)c.x[at + n];
			if constexpr (swap) irgl::product(&d.x[at], &b.x[i * first], &a.x[j * second], s);
			else irgl::product(&d.x[at], &a.x[i * first], &b.x[j * second], s);
		}
	}
}

} // namespace wmma
} // namespace nvcuda
