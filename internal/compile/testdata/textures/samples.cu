// Samples by both sets of functions: each thread reads one texture at one place with every function, and writes the bits.
__device__ void put(unsigned *&out, uint4 v) {
	*out++ = v.x;
	*out++ = v.y;
	*out++ = v.z;
	*out++ = v.w;
}
__device__ void put(unsigned *&out, float4 v) { put(out, make_uint4(__float_as_uint(v.x), __float_as_uint(v.y), __float_as_uint(v.z), __float_as_uint(v.w))); }
__device__ void put(unsigned *&out, int4 v) { put(out, make_uint4(v.x, v.y, v.z, v.w)); }
template <typename T> __device__ void sample(unsigned *out, cudaTextureObject_t o, float x, float y, float z, int layer, int depth) {
	float2 d2 = make_float2(x, y);
	float4 d4 = make_float4(x, y, z, 0);
	put(out, tex1Dfetch<T>(o, (int)x));
	put(out, tex1D<T>(o, x));
	put(out, tex2D<T>(o, x, y));
	put(out, tex3D<T>(o, x, y, z));
	put(out, tex1DLod<T>(o, x, y));
	put(out, tex2DLod<T>(o, x, y, z));
	put(out, tex3DLod<T>(o, x, y, z, x));
	put(out, tex1DGrad<T>(o, x, y, z));
	put(out, tex2DGrad<T>(o, x, y, d2, d2));
	put(out, tex3DGrad<T>(o, x, y, z, d4, d4));
	put(out, tex1DLayered<T>(o, x, layer));
	put(out, tex2DLayered<T>(o, x, y, layer));
	put(out, tex1DLayeredLod<T>(o, x, layer, z));
	put(out, tex2DLayeredLod<T>(o, x, y, layer, z));
	put(out, tex1DLayeredGrad<T>(o, x, layer, y, z));
	put(out, tex2DLayeredGrad<T>(o, x, y, layer, d2, d2));
	for (int c = 0; c < 4; c++) put(out, tex2Dgather<T>(o, x, y, c));
	if (depth < 6) return;
	put(out, texCubemap<T>(o, x, y, z));
	put(out, texCubemapLod<T>(o, x, y, z, y));
	put(out, texCubemapGrad<T>(o, x, y, z, d4, d4));
	put(out, texCubemapLayered<T>(o, x, y, z, layer));
	put(out, texCubemapLayeredLod<T>(o, x, y, z, layer, y));
	put(out, texCubemapLayeredGrad<T>(o, x, y, z, layer, d4, d4));
}
// A place is a texture, a point of it, a layer, and the texture's depth.
struct place {
	cudaTextureObject_t o;
	float x, y, z;
	int layer, depth, pad;
};
__global__ void samples(unsigned *out, const place *list, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i >= n) return;
	place p = list[i];
	out += i * 104;
	switch (i % 3) {
	case 0: sample<float4>(out, p.o, p.x, p.y, p.z, p.layer, p.depth); break;
	case 1: sample<int4>(out, p.o, p.x, p.y, p.z, p.layer, p.depth); break;
	default: sample<uint4>(out, p.o, p.x, p.y, p.z, p.layer, p.depth);
	}
}
