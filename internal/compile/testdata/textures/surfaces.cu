// Surfaces by both sets of functions: texels of all types are moved from one to another, with all modes of what is outside.
struct odd { unsigned a; float b; };
template <cudaSurfaceBoundaryMode M, typename T> __device__ void move(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int x, int y, int z) {
	x *= (int)sizeof(T);
	surf1Dwrite(surf1Dread<T>(from, x, M), to, x, M);
	surf2Dwrite(surf2Dread<T>(from, x, y, M), to, x, y, M);
	surf3Dwrite(surf3Dread<T>(from, x, y, z, M), to, x, y, z, M);
	surf1DLayeredwrite(surf1DLayeredread<T>(from, x, z, M), to, x, z, M);
	surf2DLayeredwrite(surf2DLayeredread<T>(from, x, y, z, M), to, x, y, z, M);
	T v;
	surfCubemapread(&v, from, x, y, z, M);
	surfCubemapwrite(v, to, x, y, z, M);
	surfCubemapLayeredread(&v, from, x, y, z, M);
	surfCubemapLayeredwrite(v, to, x, y, z, M);
}
template <cudaSurfaceBoundaryMode M> __device__ void moves(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int x, int y, int z) {
	move<M, signed char>(from, to, x, y, z);
	move<M, unsigned char>(from, to, x + 1, y, z);
	move<M, uchar2>(from, to, x, y, z);
	move<M, char4>(from, to, x, y, z);
	move<M, short>(from, to, x, y, z);
	move<M, ushort2>(from, to, x, y, z);
	move<M, short4>(from, to, x, y, z);
	move<M, int>(from, to, x, y, z);
	move<M, uint2>(from, to, x, y, z);
	move<M, float>(from, to, x, y, z);
	move<M, float4>(from, to, x, y, z);
	move<M, long long>(from, to, x, y, z);
	move<M, ulonglong2>(from, to, x, y, z);
	move<M, double>(from, to, x, y, z);
	move<M, odd>(from, to, x, y, z);
}
// One thread moves texels between surfaces: where modes send several to one place, the order counts.
__global__ void surfaces(cudaSurfaceObject_t from, cudaSurfaceObject_t to, int width, int height, int depth) {
	for (int z = -1; z <= depth; z++)
		for (int y = -1; y <= height; y++)
			for (int x = -2; x <= width + 1; x++) {
				if ((x + y + z) % 3 == 0) moves<cudaBoundaryModeClamp>(from, to, x, y, z);
				else moves<cudaBoundaryModeZero>(from, to, x, y, z);
				if (x == 0 && y >= 0 && y < height && z >= 0 && z < depth) moves<cudaBoundaryModeTrap>(from, to, 0, y, z);
			}
}
