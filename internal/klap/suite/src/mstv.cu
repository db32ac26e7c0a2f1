// Minimum spanning forests: a thread of the parent for each component, which launches a child
// with a thread for each arc of the node with its edge, to verify the edge and to merge with the
// component at its other end.
#include "mst.cuh"

#ifndef NO_DP

__global__ void __launch_bounds__(CHILD) mstv_child(Mst m, int round, int c, int v, int weight, int start, int degree) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < degree) mst_confirm(m, c, v, weight, start + i, round);
}

__global__ void __launch_bounds__(PARENT) mstv_parent(Mst m, int round) {
	int c = blockIdx.x * blockDim.x + threadIdx.x;
	if (c < m.nodes && m.edge[c] != NONE) {
		int v = mst_end(m, c);
		int start = m.row[v];
		int degree = m.row[v + 1] - start;
		LAUNCH(mstv_child, (degree + CHILD - 1) / CHILD, CHILD, m, round, c, v, m.least[c], start, degree);
	}
}

// mstv_find has a warp for a node.
__global__ void mstv_find(Mst m) {
	int v = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	if (v < m.nodes && mst_is_lightest(m, v)) {
		for (int i = m.row[v] + threadIdx.x % 32; i < m.row[v + 1]; i += 32) mst_consider(m, v, m.component[v], m.lightest[v], i);
	}
}

static void findEdges(const Mst &m) { mstv_find<<<blocksFor(32L * m.nodes, 256), 256>>>(m); }
static void verifyEdges(const Mst &m, int round) { ROUND(mstv_parent<<<blocksFor(m.nodes, PARENT), PARENT>>>(m, round)); }

#endif

int main(int argc, char **argv) { return spanningForest(argc, argv); }
