// Minimum spanning forests: a thread of the parent for each node that may have the lightest
// edge of its component, which launches a child with a thread for each arc to find it.
#include "mst.cuh"

#ifndef NO_DP

__global__ void __launch_bounds__(CHILD) mstf_child(Mst m, int v, int own, int weight, int start, int degree) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < degree) mst_consider(m, v, own, weight, start + i);
}

__global__ void __launch_bounds__(PARENT) mstf_parent(Mst m) {
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v < m.nodes && mst_is_lightest(m, v)) {
		int start = m.row[v];
		int degree = m.row[v + 1] - start;
		LAUNCH(mstf_child, (degree + CHILD - 1) / CHILD, CHILD, m, v, m.component[v], m.lightest[v], start, degree);
	}
}

// mstf_verify has a warp for a component.
__global__ void mstf_verify(Mst m, int round) {
	int c = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	if (c < m.nodes && m.edge[c] != NONE) {
		int v = mst_end(m, c);
		for (int i = m.row[v] + threadIdx.x % 32; i < m.row[v + 1]; i += 32) mst_confirm(m, c, v, m.least[c], i, round);
	}
}

static void findEdges(const Mst &m) { ROUND(mstf_parent<<<blocksFor(m.nodes, PARENT), PARENT>>>(m)); }
static void verifyEdges(const Mst &m, int round) { mstf_verify<<<blocksFor(32L * m.nodes, 256), 256>>>(m, round); }

#endif

int main(int argc, char **argv) { return spanningForest(argc, argv); }
