// Initial values that are addresses, accepted by NVIDIA's assembler.
typedef int (*op)(int, int);
__device__ int add(int a, int b) { return a + b; }
__device__ int mul(int a, int b);
__device__ int words[8] = {1, 2, 3, 4, 5, 6, 7, 8};
__constant__ int fixed[2] = {21, 22};
struct node { int v; const struct node *next; const char *name; op f; };
__device__ struct node third = {3, 0, 0, 0}, second = {2, &third, "two", &mul}, list[1] = {{1, &second, "one", add}};
__constant__ op ops[3] = {add, mul, 0};
__device__ int *inside = &words[3], *end = words + 8 - 1;
__device__ const int *constants = fixed;
__device__ const char *text = "hello";
__device__ long long *number = (long long *)(words + 2);
__device__ void *other = &number;
__device__ int mul(int a, int b) { return a * b; }
__global__ void k(long long *out) {
	static int own = 9;
	static int *where = &own;
	int i = threadIdx.x;
	if (i == 0) {
		int n = 0;
		for (const struct node *p = list; p; p = p->next) n = n * 10 + p->v + (p->name ? p->name[0] : 0) * 1000 + (p->f ? p->f(p->v, 5) : 0) * 100000;
		out[0] = n;
		out[1] = *inside + *end * 10 + constants[1] * 100 + text[4] * 10000;
		out[2] = other == &number;
		out[3] = *number;
		out[4] = *where;
	}
	out[5 + i] = ops[i & 1](i, 3);
}
