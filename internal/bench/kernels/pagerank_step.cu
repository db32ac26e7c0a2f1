// Ranks pulled along incoming edges.
//bench suite graph
//bench size n 1024 1048576
//bench size deg 8 16
//bench buffer row i32 n+1 rows deg
//bench buffer src i32 n*deg uniform 0 n
//bench buffer degree i32 n uniform 1 32
//bench buffer rank f64 n uniform 0 1
//bench buffer out f64 n zero out 1e-12
//bench launch pagerank_step grid n/256 block 256 args row src degree rank out i32:n f64:0.85
extern "C" __global__ void pagerank_step(const int *__restrict__ row, const int *__restrict__ src, const int *__restrict__ degree, const double *__restrict__ rank, double *__restrict__ out, int n, double damping) {
  int v = blockIdx.x * blockDim.x + threadIdx.x;
  if (v >= n) return;
  double sum = 0.0;
  for (int e = row[v]; e < row[v + 1]; e++)
    sum += rank[src[e]] / degree[src[e]];
  out[v] = (1.0 - damping) / n + damping * sum;
}
