struct pointNNN {
  float x, y, z;
  int id;
};

__device__ float distanceNNN(const struct pointNNN *a, const struct pointNNN *b) {
  float dx = a->x - b->x;
  float dy = a->y - b->y;
  float dz = a->z - b->z;
  return sqrtf(dx * dx + dy * dy + dz * dz);
}

// nearestNNN finds the nearest point of each.
__global__ void nearestNNN(const struct pointNNN *points, int n, int *nearest, float *out) {
  __shared__ struct pointNNN tile[256];
  int i = blockIdx.x * blockDim.x + threadIdx.x;
  float best = 1e30f;
  int best_id = -1;
  for (int start = 0; start < n; start += 256) {
    if (start + threadIdx.x < n) {
      tile[threadIdx.x] = points[start + threadIdx.x];
    }
    __syncthreads();
    for (int j = 0; j < 256 && start + j < n; ++j) {
      float d = distanceNNN(&points[i], &tile[j]);
      if (d < best && start + j != i) {
        best = d;
        best_id = tile[j].id;
      } else if (d == best) {
        best_id = min(best_id, tile[j].id);
      }
    }
    __syncthreads();
  }
  if (i < n) {
    nearest[i] = best_id;
    out[i] = (float)best * 0.5f + (i % 2 ? 1.0f : 2.0f);
    atomicAdd(&out[n], best);
  }
}

