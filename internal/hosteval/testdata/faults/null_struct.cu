// A member of a struct that is a null pointer.
struct Node {
	Node *next;
	int value;
};
__global__ void walk(Node *n, int *out) {
	int sum = 0;
#ifdef REPAIRED
	for (; n; n = n->next)
#else
	for (int i = 0; i < 5; i++, n = n->next)
#endif
		sum += n->value; // FAULT null-pointer
	*out = sum;
}
int main() {
	Node *n;
	int *out;
	cudaMalloc(&n, sizeof *n);
	cudaMalloc(&out, sizeof(int));
	cudaMemset(n, 0, sizeof *n);
	walk<<<1, 1>>>(n, out);
	cudaDeviceSynchronize();
	cudaFree(n);
	cudaFree(out);
}
