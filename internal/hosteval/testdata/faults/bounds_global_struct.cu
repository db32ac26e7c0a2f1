// An array in the last struct is indexed beyond the struct.
struct Body {
	float position[3];
	float mass;
};
__global__ void weigh(Body *b, int n) {
	int i = threadIdx.x;
#ifdef REPAIRED
	b[i].mass = 1;
#else
	b[i + 1].mass = 1; // FAULT out-of-bounds
#endif
}
int main() {
	Body *b;
	cudaMalloc(&b, 16 * sizeof(Body)); // ALSO
	weigh<<<1, 16>>>(b, 16);
	cudaDeviceSynchronize();
	cudaFree(b);
}
