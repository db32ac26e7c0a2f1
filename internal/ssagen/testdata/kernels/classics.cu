// Kernels as people write them: tiles, reductions, scans, histograms, sparse
// products, particles, sorting networks.
#include <stdio.h>
#define TILE 16
#define CEIL(a, b) (((a) + (b) - 1) / (b))

typedef struct { int n, m; const int *__restrict__ row, *col; const double *val; } csr_t;

__global__ void matmul(const float *A, const float *B, float *C, int n) {
	__shared__ float as[TILE][TILE], bs[TILE][TILE];
	int x = blockIdx.x * TILE + threadIdx.x, y = blockIdx.y * TILE + threadIdx.y;
	float acc = 0.f;
	for (int t = 0; t < CEIL(n, TILE); ++t) {
		as[threadIdx.y][threadIdx.x] = (y < n && t * TILE + threadIdx.x < n) ? A[y * n + t * TILE + threadIdx.x] : 0;
		bs[threadIdx.y][threadIdx.x] = B[(t * TILE + threadIdx.y) * n + x];
		__syncthreads();
#pragma unroll
		for (int k = 0; k < TILE; k++) acc += as[threadIdx.y][k] * bs[k][threadIdx.x];
		__syncthreads();
	}
	if (x < n && y < n) C[y * n + x] = acc;
}

__device__ __inline__ int warp_sum(int v) {
	for (int o = warpSize / 2; o > 0; o >>= 1) v += __shfl_down_sync(0xffffffff, v, o);
	return v;
}

__global__ void reduce(const int *in, int *out, size_t n) {
	extern __shared__ int part[];
	int s = 0;
	for (size_t i = blockIdx.x * (size_t)blockDim.x + threadIdx.x; i < n; i += (size_t)blockDim.x * gridDim.x) s += in[i];
	s = warp_sum(s);
	if ((threadIdx.x & 31) == 0) part[threadIdx.x >> 5] = s;
	__syncthreads();
	if (threadIdx.x < 32) {
		s = threadIdx.x < CEIL(blockDim.x, 32) ? part[threadIdx.x] : 0;
		s = warp_sum(s);
		if (!threadIdx.x) atomicAdd(out, s);
	}
}

__device__ unsigned int histogram[256];

__global__ void hist(const unsigned char *data, long n) {
	__shared__ unsigned int h[256];
	for (int i = threadIdx.x; i < 256; i += blockDim.x) h[i] = 0;
	__syncthreads();
	long i = blockIdx.x * blockDim.x + threadIdx.x;
	const long step = (long)gridDim.x * blockDim.x;
	while (i < n) { atomicAdd(&h[data[i]], 1u); i += step; }
	__syncthreads();
	for (int i = threadIdx.x; i < 256; i += blockDim.x) if (h[i]) atomicAdd(histogram + i, h[i]);
}

__global__ void spmv(csr_t a, const double *x, double *y) {
	int r = blockIdx.x * blockDim.x + threadIdx.x;
	if (r >= a.n) return;
	double s = 0.0;
	for (int e = a.row[r], end = a.row[r + 1]; e < end; e++) s += a.val[e] * x[a.col[e]];
	y[r] = s;
}

__device__ float3 accel(float4 a, float4 b, float3 acc) {
	float3 r;
	r.x = b.x - a.x; r.y = b.y - a.y; r.z = b.z - a.z;
	float d2 = fmaf(r.x, r.x, fmaf(r.y, r.y, r.z * r.z)) + 1e-9f;
	float inv = rsqrtf(d2), inv3 = inv * inv * inv * b.w;
	acc.x += r.x * inv3; acc.y += r.y * inv3; acc.z += r.z * inv3;
	return acc;
}

__global__ void bodies(const float4 *p, float3 *out, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	float3 acc = { 0, 0, 0 };
	if (i < n) {
		for (int j = 0; j < n; j++) acc = accel(p[i], p[j], acc);
		out[i] = acc;
	}
}

__global__ void bitonic(int *v, int j, int k) {
	unsigned i = threadIdx.x + blockDim.x * blockIdx.x, ixj = i ^ j;
	if (ixj > i && ((i & k) == 0) == (v[i] > v[ixj])) { int t = v[i]; v[i] = v[ixj]; v[ixj] = t; }
}

__device__ volatile int lock;
__device__ void spin(void) {
	while (atomicCAS((int *)&lock, 0, 1) != 0)
		;
	__threadfence();
}
__global__ void locked(int *x) {
	if (threadIdx.x == 0) { spin(); *x += 1; __threadfence(); lock = 0; }
	switch (*x) { case 1: case 2: printf("small %d\n", *x); break; default: printf("%5.2f %s\n", *x * 0.5, *x > 9 ? "big" : "mid"); }
}

int main(void) {
	int *d;
	cudaMalloc((void **)&d, 4096);
	hist<<<2, 64>>>((unsigned char *)d, 4096);
	reduce<<<dim3(4), 128, 4 * sizeof(int)>>>(d, d + 1, 100);
	cudaDeviceSynchronize();
	printf("done\n");
	return 0;
}
