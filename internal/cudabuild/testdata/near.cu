// It launches a kernel of another file (far.cu).
struct pair { double d; int i; };
__global__ void far(int *p, pair v);
__global__ void near(int *p) { far<<<1, 1>>>(p, pair{0.5, 4}); }
