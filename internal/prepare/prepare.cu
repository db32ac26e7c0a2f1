// The kernels of package prepare. Arcs are records in three arrays: the node u by which
// they are ordered, the other end v, and the weight, null for none. Blocks have 256
// threads.

#define THREADS 256
#define WARPS 8
#define DIGITS 256 /* values of a digit of a sort */
#define STRIP 512  /* records that a warp of a sort moves */
#define TILE 4096  /* that a block does */
#define LIST 2048  /* arcs of a block of list */
#define SCAN 2048  /* numbers of a block of scan */

// sourceOf returns the least i in lo..hi with row[i + 1] > e: the node whose row has arc e.
__device__ unsigned sourceOf(const unsigned *row, unsigned lo, unsigned hi, unsigned e) {
  while (lo < hi) {
    unsigned mid = lo + (hi - lo) / 2;
    if (row[mid + 1] <= e)
      lo = mid + 1;
    else
      hi = mid;
  }
  return lo;
}

// list writes the arcs of n nodes as records from at on, reversed if asked; without v their
// sources alone.
__global__ void list(const unsigned *row, const unsigned *dst, const int *weight, unsigned n, unsigned m, int reverse, unsigned at,
                     unsigned *u, unsigned *v, int *w) {
  __shared__ unsigned range[2]; // the first and the last node of the block's arcs
  unsigned first = blockIdx.x * LIST;
  unsigned end = m - first < LIST ? m : first + LIST;
  if (threadIdx.x < 2)
    range[threadIdx.x] = sourceOf(row, 0, n - 1, threadIdx.x == 0 ? first : end - 1);
  __syncthreads();
  for (unsigned e = first + threadIdx.x; e < end; e += THREADS) {
    unsigned from = sourceOf(row, range[0], range[1], e);
    if (v == 0) {
      u[at + e] = from;
      continue;
    }
    unsigned to = dst[e];
    u[at + e] = reverse ? to : from;
    v[at + e] = reverse ? from : to;
    if (weight != 0)
      w[at + e] = weight[e];
  }
}

// digits counts the keys of each tile by a digit: count[d * blocks + block].
__global__ void digits(const unsigned *key, unsigned n, int shift, unsigned *count) {
  __shared__ unsigned mine[DIGITS];
  mine[threadIdx.x] = 0;
  __syncthreads();
  unsigned first = blockIdx.x * TILE;
  for (unsigned k = threadIdx.x; k < TILE && k < n - first; k += THREADS)
    atomicAdd(&mine[key[first + k] >> shift & (DIGITS - 1)], 1u);
  __syncthreads();
  count[threadIdx.x * gridDim.x + blockIdx.x] = mine[threadIdx.x];
}

// scatter moves the records of each tile to the places of their digits, which count has
// after a scan, in order. A warp moves a strip of the tile, 32 records at a time: it counts
// its digits first, so that each warp knows what those before it have.
__global__ void scatter(const unsigned *key, const unsigned *other, const int *weight, unsigned n, int shift, const unsigned *count,
                        unsigned *keyTo, unsigned *otherTo, int *weightTo) {
  __shared__ unsigned at[WARPS * DIGITS];
  unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned mine = warp * DIGITS;
  unsigned before = (1u << lane) - 1;
  unsigned first = blockIdx.x * TILE + warp * STRIP;
  unsigned have = first < n ? n - first : 0; // of the strip, and of later ones
  for (unsigned d = lane; d < DIGITS; d += 32)
    at[mine + d] = 0;
  __syncwarp();
  for (unsigned k = lane; k < STRIP; k += 32) {
    unsigned d = k < have ? key[first + k] >> shift & (DIGITS - 1) : DIGITS;
    unsigned peers = __match_any_sync(~0u, d);
    if (d < DIGITS && (peers & before) == 0)
      at[mine + d] += __popc(peers);
    __syncwarp();
  }
  __syncthreads();
  unsigned place = count[threadIdx.x * gridDim.x + blockIdx.x];
  for (unsigned i = threadIdx.x; i < WARPS * DIGITS; i += DIGITS) {
    unsigned c = at[i];
    at[i] = place;
    place += c;
  }
  __syncthreads();
  for (unsigned k = lane; k < STRIP; k += 32) {
    unsigned from = first + k;
    unsigned x = k < have ? key[from] : 0;
    unsigned d = k < have ? x >> shift & (DIGITS - 1) : DIGITS;
    unsigned peers = __match_any_sync(~0u, d);
    unsigned to = d < DIGITS ? at[mine + d] : 0;
    __syncwarp();
    if (d < DIGITS && (peers & before) == 0)
      at[mine + d] = to + __popc(peers);
    __syncwarp();
    if (d < DIGITS) {
      to += __popc(peers & before);
      keyTo[to] = x;
      otherTo[to] = other[from];
      if (weight != 0)
        weightTo[to] = weight[from];
    }
  }
}

// scan replaces the numbers of each tile by the sums of those before them in the tile, and
// writes the tile's sum. A thread has eight numbers that are next to each other.
__global__ void scan(unsigned *x, unsigned n, unsigned *sums) {
  __shared__ unsigned warps[WARPS];
  unsigned warp = threadIdx.x / 32, lane = threadIdx.x % 32;
  unsigned first = blockIdx.x * SCAN + threadIdx.x * 8;
  unsigned value[8];
  unsigned mine = 0;
  for (int k = 0; k < 8; k++) {
    value[k] = first < n && k < n - first ? x[first + k] : 0;
    mine += value[k];
  }
  unsigned sum = mine;
  for (int step = 1; step < 32; step *= 2) {
    unsigned below = __shfl_up_sync(~0u, sum, step);
    if (lane >= step)
      sum += below;
  }
  if (lane == 31)
    warps[warp] = sum;
  __syncthreads();
  unsigned place = sum - mine;
  unsigned total = 0;
  for (int k = 0; k < WARPS; k++) {
    if (k < warp)
      place += warps[k];
    total += warps[k];
  }
  for (int k = 0; k < 8; k++) {
    if (first < n && k < n - first)
      x[first + k] = place;
    place += value[k];
  }
  if (threadIdx.x == 0)
    sums[blockIdx.x] = total;
}

// add adds to the numbers of each tile of scan what is before the tile.
__global__ void add(unsigned *x, unsigned n, const unsigned *before) {
  unsigned first = blockIdx.x * SCAN;
  for (unsigned k = threadIdx.x; k < SCAN && k < n - first; k += THREADS)
    x[first + k] += before[blockIdx.x];
}

// mark says 1 for the ordered arcs that stay: without self-loops, and without those that
// follow one with the same ends, if asked.
__global__ void mark(const unsigned *u, const unsigned *v, unsigned n, int dropLoops, int dedup, unsigned *stays) {
  unsigned i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n)
    return;
  int drop = dropLoops && u[i] == v[i] || dedup && i > 0 && u[i - 1] == u[i] && v[i - 1] == v[i];
  stays[i] = drop ? 0 : 1;
}

// most sets numbers to the largest one.
__global__ void most(int *x, unsigned n) {
  unsigned i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n)
    x[i] = 2147483647;
}

// keep writes the arcs that mark has marked to their places, which are the marks after a
// scan; kept is their number. Of arcs with the same ends the smallest weight stays.
__global__ void keep(const unsigned *u, const unsigned *v, const int *weight, unsigned n, int dropLoops, const unsigned *place, unsigned kept,
                     unsigned *uTo, unsigned *vTo, int *weightTo) {
  unsigned i = blockIdx.x * THREADS + threadIdx.x;
  if (i >= n || dropLoops && u[i] == v[i])
    return;
  unsigned next = i + 1 < n ? place[i + 1] : kept; // the arcs that stay up to i and including it
  if (next > place[i]) {
    uTo[place[i]] = u[i];
    vTo[place[i]] = v[i];
  }
  if (weight != 0)
    atomicMin(&weightTo[next - 1], weight[i]);
}

// mix is package graph's hash.
__device__ unsigned long long mix(unsigned long long x) {
  x += 0x9E3779B97F4A7C15ull;
  x = (x ^ x >> 30) * 0xBF58476D1CE4E5B9ull;
  x = (x ^ x >> 27) * 0x94D049BB133111EBull;
  return x ^ x >> 31;
}

// ends joins the ends of an arc, the lower one first.
__device__ unsigned long long ends(unsigned u, unsigned v) {
  return (unsigned long long)min(u, v) << 32 | max(u, v);
}

#define UNSORTED 1 /* a row falls */
#define LOOPS 2
#define REPEATS 4 /* next to each other */

// look finds out about the arcs of n nodes: what there is of the above, and the sum of the
// hashes of the arcs that lead up less that of those that lead down, with the weights if
// they are given, which is 0 in a graph that is its own transpose.
__global__ void look(const unsigned *row, const unsigned *dst, const int *weight, unsigned n, unsigned m, unsigned long long key,
                     unsigned long long *sum, unsigned *found) {
  __shared__ unsigned range[2];
  unsigned first = blockIdx.x * LIST;
  unsigned end = m - first < LIST ? m : first + LIST;
  if (threadIdx.x < 2)
    range[threadIdx.x] = sourceOf(row, 0, n - 1, threadIdx.x == 0 ? first : end - 1);
  __syncthreads();
  unsigned long long mine = 0;
  unsigned has = 0;
  for (unsigned e = first + threadIdx.x; e < end; e += THREADS) {
    unsigned u = sourceOf(row, range[0], range[1], e), v = dst[e];
    if (e > row[u]) {
      unsigned before = dst[e - 1];
      has |= (before > v ? UNSORTED : 0) | (before == v ? REPEATS : 0);
    }
    if (u == v) {
      has |= LOOPS;
      continue;
    }
    unsigned long long h = mix(ends(u, v) ^ key);
    if (weight != 0)
      h = mix(h ^ (unsigned long long)(long long)weight[e]);
    mine += u < v ? h : -h;
  }
  for (int step = 16; step > 0; step /= 2) {
    mine += __shfl_down_sync(~0u, mine, step);
    has |= __shfl_down_sync(~0u, has, step);
  }
  if (threadIdx.x % 32 == 0) {
    atomicAdd(sum, mine);
    atomicOr(found, has);
  }
}

// weigh gives arcs random weights from 1 to most: package graph's hash of their ends.
__global__ void weigh(const unsigned *row, const unsigned *dst, unsigned n, unsigned m, unsigned long long seed, unsigned most, int *weight) {
  __shared__ unsigned range[2];
  unsigned first = blockIdx.x * LIST;
  unsigned end = m - first < LIST ? m : first + LIST;
  if (threadIdx.x < 2)
    range[threadIdx.x] = sourceOf(row, 0, n - 1, threadIdx.x == 0 ? first : end - 1);
  __syncthreads();
  for (unsigned e = first + threadIdx.x; e < end; e += THREADS) {
    unsigned u = sourceOf(row, range[0], range[1], e);
    weight[e] = 1 + (int)(mix(mix(ends(u, dst[e])) ^ seed) % most);
  }
}

// rows finds where the arcs of each of n nodes begin in an ordered list of m, and the end.
__global__ void rows(const unsigned *u, unsigned m, unsigned n, unsigned *row) {
  unsigned node = blockIdx.x * THREADS + threadIdx.x;
  if (node > n)
    return;
  unsigned lo = 0, hi = m;
  while (lo < hi) {
    unsigned mid = lo + (hi - lo) / 2;
    if (u[mid] < node)
      lo = mid + 1;
    else
      hi = mid;
  }
  row[node] = lo;
}

// extremes finds the largest weight, and the least: of their bits in an order that is that
// of unsigned numbers, the largest, and the largest of the complements.
__global__ void extremes(const int *weight, unsigned m, unsigned *found) {
  unsigned first = blockIdx.x * LIST;
  unsigned most = 0, least = 0;
  for (unsigned k = threadIdx.x; k < LIST && k < m - first; k += THREADS) {
    unsigned w = (unsigned)weight[first + k] ^ 0x80000000u;
    most = max(most, w);
    least = max(least, ~w);
  }
  for (int step = 16; step > 0; step /= 2) {
    most = max(most, __shfl_down_sync(~0u, most, step));
    least = max(least, __shfl_down_sync(~0u, least, step));
  }
  if (threadIdx.x % 32 == 0) {
    atomicMax(&found[0], most);
    atomicMax(&found[1], least);
  }
}

// bucketOf returns the bucket of a degree in package tune's histogram: one each up to 15,
// then eight for a power of two.
__device__ unsigned bucketOf(unsigned degree) {
  if (degree < 16)
    return degree;
  unsigned k = 31 - __clz((int)degree);
  return 16 + 8 * (k - 4) + (degree >> (k - 3) & 7);
}

// degrees counts the n nodes by the bucket of their degree, and the arcs of those that share
// it with other degrees, and finds the largest degree. A degree of 32 bits has one of 240
// buckets.
__global__ void degrees(const unsigned *row, unsigned n, unsigned long long *nodes, unsigned long long *arcs, unsigned *most) {
  __shared__ unsigned nodesHere[THREADS];
  __shared__ unsigned long long arcsHere[THREADS];
  __shared__ unsigned mostHere;
  nodesHere[threadIdx.x] = 0;
  arcsHere[threadIdx.x] = 0;
  if (threadIdx.x == 0)
    mostHere = 0;
  __syncthreads();
  unsigned first = blockIdx.x * LIST;
  for (unsigned k = threadIdx.x; k < LIST && k < n - first; k += THREADS) {
    unsigned degree = row[first + k + 1] - row[first + k];
    unsigned bucket = bucketOf(degree);
    atomicAdd(&nodesHere[bucket], 1u);
    if (degree >= 16)
      atomicAdd(&arcsHere[bucket], (unsigned long long)degree);
    atomicMax(&mostHere, degree);
  }
  __syncthreads();
  if (nodesHere[threadIdx.x] != 0) {
    atomicAdd(&nodes[threadIdx.x], (unsigned long long)nodesHere[threadIdx.x]);
    atomicAdd(&arcs[threadIdx.x], arcsHere[threadIdx.x]);
  }
  if (threadIdx.x == 0)
    atomicMax(most, mostHere);
}

#define SEEN 16384 /* slots of a search's table, many more than nodes in it */
#define LANES 16   /* threads that have a node of a search: rows are short, but for hubs */

// insert adds a node to a table, and reports whether it was not there.
__device__ int insert(unsigned *table, unsigned node) {
  unsigned slot = (unsigned)mix(node) & (SEEN - 1);
  for (;;) {
    unsigned old = atomicCAS(&table[slot], 0u, node + 1); // 0 is an empty slot
    if (old == 0)
      return 1;
    if (old == node + 1)
      return 0;
    slot = (slot + 1) & (SEEN - 1);
  }
}

// search is a breadth-first search by each block, from nodes spread over the n of a graph:
// the first of the next 1000 that has arcs. It ends when more than most nodes are seen, of
// which tables have the set and queues the order. found[2 * block] is the number of levels,
// and found[2 * block + 1] is 1 if these are all.
__global__ void search(const unsigned *row, const unsigned *dst, unsigned n, unsigned most, unsigned *tables, unsigned *queues, unsigned *found) {
  __shared__ unsigned count;
  unsigned *table = tables + blockIdx.x * SEEN;
  unsigned *queue = queues + blockIdx.x * most;
  if (threadIdx.x == 0) {
    unsigned v = (unsigned)((unsigned long long)n * blockIdx.x / gridDim.x);
    for (int k = 0; k < 1000 && row[v] == row[v + 1]; k++)
      v = v + 1 < n ? v + 1 : 0;
    queue[0] = v;
    insert(table, v);
    count = 1;
  }
  __syncthreads();
  unsigned levels = 0, begin = 0, end = 1;
  while (begin < end && end <= most) {
    for (unsigned i = begin + threadIdx.x / LANES; i < end; i += THREADS / LANES) {
      unsigned u = queue[i];
      for (unsigned e = row[u] + threadIdx.x % LANES; e < row[u + 1] && atomicAdd(&count, 0u) <= most; e += LANES) {
        unsigned v = dst[e];
        if (insert(table, v)) {
          unsigned at = atomicAdd(&count, 1u);
          if (at < most)
            queue[at] = v;
        }
      }
    }
    __syncthreads();
    begin = end;
    end = count;
    levels++;
    __syncthreads();
  }
  if (threadIdx.x == 0) {
    found[2 * blockIdx.x] = levels;
    found[2 * blockIdx.x + 1] = begin == end;
  }
}

// reverses looks for the reverse of one of the m arcs, evenly spaced, by each block, and
// sets lacks where there is none. A row of longest arcs or more is taken to have it.
__global__ void reverses(const unsigned *row, const unsigned *dst, unsigned n, unsigned m, unsigned longest, unsigned *lacks) {
  unsigned e = (unsigned)((unsigned long long)m * blockIdx.x / gridDim.x);
  unsigned u = sourceOf(row, 0, n - 1, e), v = dst[e];
  if (row[v + 1] - row[v] >= longest)
    return;
  int has = 0;
  for (unsigned i = row[v] + threadIdx.x; i < row[v + 1]; i += THREADS)
    has = has || dst[i] == u;
  if (!__syncthreads_or(has) && threadIdx.x == 0)
    atomicOr(lacks, 1u);
}

// pick copies n numbers, evenly spaced, of so many.
__global__ void pick(const unsigned *from, unsigned long long length, unsigned n, unsigned *to) {
  unsigned i = blockIdx.x * THREADS + threadIdx.x;
  if (i < n)
    to[i] = from[length * i / n];
}
