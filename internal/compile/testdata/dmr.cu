// Made by irgl from dmr.irgl. Compile with nvcc, or run its PTX with irgl run --ptx.
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef unsigned int irgl_index;

struct irgl_worklist {
	int *items;
	int *count;
	int capacity;
	int size;
};

struct irgl_pipe {
	struct irgl_worklist in;
	struct irgl_worklist out;
	struct irgl_worklist retry;
	int *counts;
	int *used;
	int *zero;
	int pushed;
	int retried;
	int size;
	int narrow;
	int need;
};

struct irgl_graph {
	int nnodes;
	int irgl_unused;
	long nedges;
	const irgl_index *row;
	const int *dst;
	int npoints;
	int nelements;
	int point_room;
	int element_room;
	int *mesh_count;
	int *element_locks;
	double *x;
	double *y;
	int (*points)[3];
	int (*neighbors)[3];
	bool *deleted;
	int *on;
	int *line;
	int (*ends)[2];
	bool *stuck;
};

struct pair {
	double high;
	double low;
};

struct irgl_frame_1 {
	double cosine;
	int rounds;
	long irgl_iterations;
	struct irgl_pipe irgl_wl;
};

__device__ unsigned int irgl_arrived = 0;

__device__ int irgl_stop = 0;
__device__ int irgl_stopped = 0;
int irgl_max_blocks = 1024;
int irgl_capacity = 0;
long irgl_iterations = 0;
int irgl_npoints = 0;
int irgl_nelements = 0;

int rounds = 0;
__device__ int skipped = 0;
__device__ struct irgl_frame_1 irgl_result_1;

static __device__ __forceinline__ int irgl_thread() {
	return (int)(blockIdx.x * blockDim.x + threadIdx.x);
}

static __device__ __forceinline__ int irgl_threads() {
	return (int)(gridDim.x * blockDim.x);
}

static __device__ __forceinline__ int irgl_place() {
	int lanes = blockDim.x % 32 == 0 ? 32 : 1;
	int within = (int)(threadIdx.x % lanes * (blockDim.x / lanes) + threadIdx.x / lanes);
	return within * (int)gridDim.x + (int)blockIdx.x;
}

static __device__ __forceinline__ int irgl_scattered(long place, long n) {
	return (int)((unsigned long)place * 2654435761u % (unsigned long)n);
}

static __device__ __forceinline__ void irgl_fence() {
	__nv_atomic_thread_fence(__NV_ATOMIC_ACQ_REL, __NV_THREAD_SCOPE_DEVICE);
}

static __device__ __forceinline__ bool irgl_turned(unsigned int before) {
	return ((__nv_atomic_load_n(&irgl_arrived, __NV_ATOMIC_ACQUIRE, __NV_THREAD_SCOPE_DEVICE) ^ before) & 0x80000000u) != 0;
}

static __device__ void irgl_grid_barrier() {
	unsigned int before = 0;
	if (threadIdx.x == 0 && gridDim.x > 1) {
		before = *(volatile unsigned int *)&irgl_arrived;
	}
	__syncthreads();
	if (gridDim.x > 1) {
		if (threadIdx.x == 0) {
			unsigned int share = blockIdx.x == 0 ? 0x80000000u - (gridDim.x - 1) : 1u;
			irgl_fence();
			atomicAdd(&irgl_arrived, share);
			while (!irgl_turned(before)) {}
		}
		__syncthreads();
	}
}

static __device__ __forceinline__ void irgl_claim(int *locks, long item) {
	if (item >= 0) {
		*(volatile int *)&locks[item] = irgl_thread();
	}
}

static __device__ __forceinline__ void irgl_prefer(int *locks, long item) {
	if (item >= 0 && *(volatile int *)&locks[item] > irgl_thread()) {
		atomicMin(&locks[item], irgl_thread());
	}
}

static __device__ __forceinline__ bool irgl_owns(int *locks, long item) {
	return item < 0 || *(volatile int *)&locks[item] == irgl_thread();
}

static __device__ __forceinline__ int irgl_size(struct irgl_worklist in) {
	return in.size;
}

static __device__ __forceinline__ int irgl_pop(struct irgl_worklist in, int index) {
	return in.items[index];
}

static __device__ __forceinline__ void irgl_push(struct irgl_worklist out, int item) {
	int at = atomicAdd(out.count, 1);

	if ((unsigned int)at < (unsigned int)out.capacity) {
		out.items[at] = item;
	}
}

static __device__ __forceinline__ void irgl_look(int calls) {
	if (calls == 15 && irgl_thread() == 0) {
		irgl_stopped = *(volatile int *)&irgl_stop;
	}
}

static __device__ __forceinline__ void irgl_looked(int *calls) {
	if (*calls == 15 && *(volatile int *)&irgl_stopped != 0) {
		*calls = -1;
	} else if (*calls >= 0) {
		*calls = (*calls + 1) % 16;
	}
}

static __device__ __forceinline__ void irgl_pipe_clear(struct irgl_pipe *pipe) {
	if (irgl_thread() == 0) {
		*pipe->used = 0;
	}
}

static __device__ __forceinline__ void irgl_pipe_need(struct irgl_pipe *pipe, int n) {
	if (n < 0 || n > pipe->in.capacity) {
		pipe->need = n < 0 ? INT_MAX : n;
	}
}

static __device__ __forceinline__ bool irgl_full(int count, int room) {
	return (unsigned int)count > (unsigned int)room;
}

static __device__ __forceinline__ void irgl_pipe_turn(struct irgl_pipe *pipe) {
	struct irgl_worklist pushed = pipe->out;
	pipe->out.items = pipe->in.items;
	pipe->out.count = pipe->used;
	pipe->used = pipe->in.count;
	pushed.size = *pushed.count;
	pipe->in = pushed;
	pipe->size = pushed.size;
	irgl_pipe_need(pipe, pushed.size);
}

static __device__ __forceinline__ int irgl_lane() {
	return (int)(threadIdx.x % 32);
}

static __device__ __forceinline__ unsigned int irgl_lanes_below() {
	return (1u << irgl_lane()) - 1;
}

static __device__ __forceinline__ int irgl_add_once(unsigned int mask, int *counter, unsigned int all, unsigned int before) {
	int leader = __ffs((int)mask) - 1;
	unsigned int start = 0;
	if (irgl_lane() == leader) {
		start = (unsigned int)atomicAdd(counter, (int)all);
	}
	return (int)(__shfl_sync(mask, start, leader) + before);
}

static __device__ __forceinline__ int irgl_add_same(int *counter, int n) {
	unsigned int mask = __activemask();
	unsigned int each = (unsigned int)n;
	return irgl_add_once(mask, counter, each * (unsigned int)__popc(mask), each * (unsigned int)__popc(mask & irgl_lanes_below()));
}

static __device__ int irgl_add_point(struct irgl_graph graph, double x, double y) {
	int id = irgl_add_same(&graph.mesh_count[0], 1);
	if ((unsigned int)id >= (unsigned int)graph.point_room) {
		id = graph.point_room;
	}
	graph.x[id] = x;
	graph.y[id] = y;
	graph.on[id] = -1;
	return id;
}

static __device__ int irgl_add_element(struct irgl_graph graph, int a, int b, int c) {
	int id = irgl_add_same(&graph.mesh_count[1], 1);
	if ((unsigned int)id >= (unsigned int)graph.element_room) {
		id = graph.element_room;
	}
	graph.points[id][0] = a;
	graph.points[id][1] = b;
	graph.points[id][2] = c;
	graph.neighbors[id][0] = -1;
	graph.neighbors[id][1] = -1;
	graph.neighbors[id][2] = -1;
	graph.deleted[id] = false;
	graph.line[id] = -1;
	for (int k0 = 0; k0 < 2; k0++) {
		graph.ends[id][k0] = 0;
	}
	graph.stuck[id] = 0;
	return id;
}

static __device__ inline struct pair difference(double a, double b) {
	struct pair d;
	d.high = a - b;
	double back = a - d.high;
	double over = d.high + back;
	d.low = (a - over) + (back - b);
	return d;
}

static __device__ inline struct pair plus(struct pair a, struct pair b) {
	struct pair s;
	double high = a.high + b.high;
	double bb = high - a.high;
	double low = (a.high - (high - bb)) + (b.high - bb);
	low += a.low + b.low;
	s.high = high + low;
	s.low = low - (s.high - high);
	return s;
}

static __device__ inline struct pair times(struct pair a, struct pair b) {
	struct pair p;
	double high = fma(a.high, b.high, 0.0);
	double low = fma(a.high, b.high, -high);
	low = fma(a.high, b.low, fma(a.low, b.high, low));
	p.high = high + low;
	p.low = low - (p.high - high);
	return p;
}

static __device__ inline struct pair minus(struct pair a) {
	a.high = -a.high;
	a.low = -a.low;
	return a;
}

static __device__ inline int side(double ax, double ay, double bx, double by, double cx, double cy) {
	double left = (ax - cx) * (by - cy);
	double right = (ay - cy) * (bx - cx);
	double det = left - right;
	double bound = 1e-15 * (fabs(left) + fabs(right));
	if (fabs(det) <= bound) {
		struct pair l = times(difference(ax, cx), difference(by, cy));
		struct pair r = times(difference(ay, cy), difference(bx, cx));
		det = plus(l, minus(r)).high;
		bound = 1e-30 * (fabs(left) + fabs(right));
	}
	return det > bound ? 1 : det < -bound ? -1 : 0;
}

static __device__ inline struct pair term(struct pair px, struct pair py, struct pair qx, struct pair qy, struct pair rx, struct pair ry) {
	struct pair cross = plus(times(qx, ry), minus(times(rx, qy)));
	return times(plus(times(px, px), times(py, py)), cross);
}

static __device__ inline bool in_circle(struct irgl_graph mesh, int t, double x, double y) {
	int a = mesh.points[t][0];
	int b = mesh.points[t][1];
	int c = mesh.points[t][2];
	double ax = mesh.x[a] - x, ay = mesh.y[a] - y;
	double bx = mesh.x[b] - x, by = mesh.y[b] - y;
	double cx = mesh.x[c] - x, cy = mesh.y[c] - y;
	double bc = bx * cy, cb = cx * by;
	double ca = cx * ay, ac = ax * cy;
	double ab = ax * by, ba = bx * ay;
	double alift = ax * ax + ay * ay;
	double blift = bx * bx + by * by;
	double clift = cx * cx + cy * cy;
	double det = alift * (bc - cb) + blift * (ca - ac) + clift * (ab - ba);
	double size = (fabs(bc) + fabs(cb)) * alift + (fabs(ca) + fabs(ac)) * blift + (fabs(ab) + fabs(ba)) * clift;
	if (fabs(det) > 2e-15 * size) {
		return det > 0;
	}
	struct pair pax = difference(mesh.x[a], x), pay = difference(mesh.y[a], y);
	struct pair pbx = difference(mesh.x[b], x), pby = difference(mesh.y[b], y);
	struct pair pcx = difference(mesh.x[c], x), pcy = difference(mesh.y[c], y);
	struct pair sum = plus(term(pax, pay, pbx, pby, pcx, pcy), term(pbx, pby, pcx, pcy, pax, pay));
	return plus(sum, term(pcx, pcy, pax, pay, pbx, pby)).high > 1e-29 * size;
}

static __device__ inline bool is_segment(struct irgl_graph mesh, int t) {
	return mesh.points[t][2] < 0;
}

static __device__ inline double squared(struct irgl_graph mesh, int a, int b) {
	double dx = mesh.x[a] - mesh.x[b];
	double dy = mesh.y[a] - mesh.y[b];
	return dx * dx + dy * dy;
}

static __device__ inline int sharpest(struct irgl_graph mesh, int t) {
	double a = squared(mesh, mesh.points[t][1], mesh.points[t][2]);
	double b = squared(mesh, mesh.points[t][2], mesh.points[t][0]);
	double c = squared(mesh, mesh.points[t][0], mesh.points[t][1]);
	return a <= b && a <= c ? 0 : b <= c ? 1 : 2;
}

static __device__ inline bool sharp(double ax, double ay, double bx, double by, double cx, double cy, double cosine) {
	double ux = bx - ax, uy = by - ay;
	double vx = cx - bx, vy = cy - by;
	double wx = ax - cx, wy = ay - cy;
	double u = ux * ux + uy * uy;
	double v = vx * vx + vy * vy;
	double w = wx * wx + wy * wy;
	double longer = v * w;
	double dot = vx * wx + vy * wy;
	if (v <= u && v <= w) {
		longer = u * w;
		dot = ux * wx + uy * wy;
	} else if (w <= u) {
		longer = u * v;
		dot = ux * vx + uy * vy;
	}
	return dot * dot > cosine * longer;
}

static __device__ inline bool bad(struct irgl_graph mesh, int t, double cosine) {
	int a = mesh.points[t][0];
	int b = mesh.points[t][1];
	int c = mesh.points[t][2];
	return sharp(mesh.x[a], mesh.y[a], mesh.x[b], mesh.y[b], mesh.x[c], mesh.y[c], cosine);
}

static __device__ inline bool encroaches(struct irgl_graph mesh, double x, double y, int s) {
	int a = mesh.points[s][0];
	int b = mesh.points[s][1];
	return (mesh.x[a] - x) * (mesh.x[b] - x) + (mesh.y[a] - y) * (mesh.y[b] - y) < 0;
}

static __device__ inline bool encroached(struct irgl_graph mesh, int s) {
	for (int k = 0; k < 2; k++) {
		if (mesh.neighbors[s][k] >= 0) {
			int t = mesh.neighbors[s][k];
			for (int i = 0; i < 3; i++) {
				int p = mesh.points[t][i];
				if (p != mesh.points[s][0] && p != mesh.points[s][1] && encroaches(mesh, mesh.x[p], mesh.y[p], s)) {
					return 1;
				}
			}
		}
	}
	return 0;
}

static __device__ inline int lines(struct irgl_graph mesh, int t, int v, int *apex, int *foot) {
	int n = 0;
	if (mesh.on[v] == -1) {
		return 0;
	}
	if (mesh.on[v] >= 0) {
		int s = mesh.on[v];
		apex[0] = mesh.ends[s][0];
		foot[0] = mesh.ends[s][1];
		apex[1] = mesh.ends[s][1];
		foot[1] = mesh.ends[s][0];
		return 2;
	}

	for (int way = 0; way < 2; way++) {
		int at = t;
		for (int steps = 0; steps < 1000 && at >= 0; steps++) {
			int u = at;
			int k = mesh.points[u][0] == v ? 0 : mesh.points[u][1] == v ? 1 : 2;
			int next = way == 0 ? mesh.neighbors[u][k] : mesh.neighbors[u][(k + 2) % 3];
			int o = next;
			if (next >= 0 && is_segment(mesh, o)) {
				int s = mesh.line[o];
				if (n < 16) {
					apex[n] = mesh.ends[s][0] == v ? mesh.ends[s][1] : mesh.ends[s][0];
					foot[n] = v;
					n++;
				}
				next = mesh.neighbors[o][0] == at ? mesh.neighbors[o][1] : mesh.neighbors[o][0];
			}
			if (next == t) {
				return n;
			}
			at = next;
		}
	}
	return n;
}

static __device__ inline bool fixable(struct irgl_graph mesh, int t) {
	int k = sharpest(mesh, t);
	int right = mesh.neighbors[t][k];
	int left = mesh.neighbors[t][(k + 2) % 3];
	if (is_segment(mesh, right) && is_segment(mesh, left)) {
		return 0;
	}
	int apex[16];
	int foot[16];
	int apex2[16];
	int foot2[16];
	int n = lines(mesh, t, mesh.points[t][(k + 1) % 3], apex, foot);
	if (n == 0) {
		return 1;
	}
	int m = lines(mesh, t, mesh.points[t][(k + 2) % 3], apex2, foot2);
	for (int i = 0; i < n; i++) {
		for (int j = 0; j < m; j++) {
			if (apex[i] == apex2[j] && foot[i] != foot2[j]) {
				int a = apex[i];
				int b = foot[i];
				int c = foot2[j];
				double dot = (mesh.x[b] - mesh.x[a]) * (mesh.x[c] - mesh.x[a]) + (mesh.y[b] - mesh.y[a]) * (mesh.y[c] - mesh.y[a]);
				if (dot > 0 && 4 * dot * dot > squared(mesh, a, b) * squared(mesh, a, c)) {
					return 0;
				}
			}
		}
	}
	return 1;
}

static __device__ inline int locate(struct irgl_graph mesh, int t, double x, double y) {
	int before = -1;
	for (int steps = 0; steps < mesh.nelements; steps++) {
		int next = -1;
		for (int k = 0; k < 3 && next < 0; k++) {
			int a = mesh.points[t][k];
			int b = mesh.points[t][(k + 1) % 3];
			if (mesh.neighbors[t][k] != before && side(mesh.x[a], mesh.y[a], mesh.x[b], mesh.y[b], x, y) < 0) {
				next = mesh.neighbors[t][k];
			}
		}
		if (next < 0) {
			return t;
		}
		int o = next;
		if (is_segment(mesh, o)) {
			return next;
		}
		before = t;
		t = o;
	}
	return -1;
}

static __device__ inline bool contains(int *list, int n, int x) {
	for (int i = 0; i < n; i++) {
		if (list[i] == x) {
			return 1;
		}
	}
	return 0;
}

static __device__ inline int grow(struct irgl_graph mesh, double x, double y, int first, int edge, int *inside, int n, int *start, int *outside, int m) {
	int todo = edge < 0 ? 164 - 3 : 164 - 2;
	inside[n] = first;
	outside[164 - 1] = 3 * n + (edge < 0 ? 2 : (edge + 2) % 3);
	outside[164 - 2] = 3 * n + (edge < 0 ? 1 : (edge + 1) % 3);
	if (edge < 0) {
		outside[164 - 3] = 3 * n;
	}
	n++;
	while (todo < 164) {
		int next = outside[todo];
		todo++;
		int t = inside[next / 3];
		int k = next % 3;
		int o = mesh.neighbors[t][k];
		if (is_segment(mesh, o) || !in_circle(mesh, o, x, y)) {
			start[m] = mesh.points[t][k];
			outside[m] = o;
			m++;
			continue;
		}
		if (n == 160 || contains(inside, n, o)) {
			return -1;
		}
		int back = mesh.neighbors[o][0] == t ? 0 : mesh.neighbors[o][1] == t ? 1 : 2;
		todo -= 2;
		outside[todo] = 3 * n + (back + 1) % 3;
		outside[todo + 1] = 3 * n + (back + 2) % 3;
		inside[n] = o;
		n++;
	}
	return m;
}

static __device__ inline bool star_shaped(struct irgl_graph mesh, double x, double y, int *start, int m) {
	int a = start[0];
	double ax = mesh.x[a];
	double ay = mesh.y[a];
	for (int i = 1; i <= m; i++) {
		int b = start[i];
		if (side(ax, ay, mesh.x[b], mesh.y[b], x, y) <= 0) {
			return 0;
		}
		ax = mesh.x[b];
		ay = mesh.y[b];
	}
	return 1;
}

static __device__ inline double fraction(struct irgl_graph mesh, int s) {
	bool first = mesh.on[mesh.points[s][0]] >= 0;
	if (first == (mesh.on[mesh.points[s][1]] >= 0)) {
		return 0.5;
	}
	double length = sqrt(squared(mesh, mesh.points[s][0], mesh.points[s][1]));
	double d = 1;
	while (d > 0.7071 * length) {
		d *= 0.5;
	}
	while (d < 0.35355 * length) {
		d *= 2;
	}
	return first ? 1 - d / length : d / length;
}

static __device__ inline int fill(struct irgl_graph mesh, int p, int s, int *inside, int n, int *start, int *outside, int m) {
	for (int i = n; i < m; i++) {
		inside[i] = irgl_add_element(mesh, p, p, p);
	}
	int first = s;
	int second = s;
	int a = -1;
	int b = -1;
	if (s >= 0) {
		a = mesh.points[first][0];
		b = mesh.points[first][1];
		second = irgl_add_element(mesh, p, b, -1);
		mesh.line[second] = mesh.line[first];
		mesh.points[first][1] = p;
		mesh.neighbors[first][0] = -1;
		mesh.neighbors[first][1] = -1;
	}
	int before = inside[m - 1];
	int t = inside[0];
	for (int i = 0; i < m; i++) {
		int after = inside[i + 1 == m ? 0 : i + 1];
		int from = start[i];
		int to = start[i + 1];
		mesh.points[t][0] = from;
		mesh.points[t][1] = to;
		mesh.points[t][2] = p;
		mesh.stuck[t] = 0;

		int o = outside[i];
		int k = mesh.points[o][0] == to ? 0 : mesh.points[o][1] == to ? 1 : 2;
		if (is_segment(mesh, o)) {
			k = mesh.points[o][0] == from ? 0 : 1;
		}
		mesh.neighbors[o][k] = t;
		mesh.neighbors[t][0] = o;
		mesh.neighbors[t][1] = after;
		mesh.neighbors[t][2] = before;
		if (s >= 0) {
			if (to == a) {
				mesh.neighbors[t][1] = first;
				mesh.neighbors[first][0] = t;
			}
			if (to == b) {
				mesh.neighbors[t][1] = second;
				mesh.neighbors[second][1] = t;
			}
			if (from == a) {
				mesh.neighbors[t][2] = first;
				mesh.neighbors[first][1] = t;
			}
			if (from == b) {
				mesh.neighbors[t][2] = second;
				mesh.neighbors[second][0] = t;
			}
		}
		before = t;
		t = after;
	}
	return second;
}

extern "C" __global__ void irgl_init_points(struct irgl_graph graph) {
	for (int id = irgl_thread(); id < graph.npoints; id += irgl_threads()) {
		graph.on[id] = -1;
	}
}

extern "C" __global__ void irgl_init_elements(struct irgl_graph graph) {
	for (int id = irgl_thread(); id < graph.nelements; id += irgl_threads()) {
		graph.line[id] = -1;
		for (int k0 = 0; k0 < 2; k0++) {
			graph.ends[id][k0] = 0;
		}
		graph.stuck[id] = 0;
	}
}

extern "C" __global__ void prepare(struct irgl_graph mesh) {
	for (int t = irgl_thread(); t < mesh.nelements; t += irgl_threads()) {
		if (is_segment(mesh, t)) {
			mesh.line[t] = t;
			mesh.ends[t][0] = mesh.points[t][0];
			mesh.ends[t][1] = mesh.points[t][1];
			atomicMin(&mesh.on[mesh.points[t][0]], -2);
			atomicMin(&mesh.on[mesh.points[t][1]], -2);
		}
	}
}

static __device__ __forceinline__ void irgl_body_identify(struct irgl_graph mesh, struct irgl_worklist in, struct irgl_worklist out, double cosine) {
	for (int t = irgl_thread(); t < mesh.nelements; t += irgl_threads()) {
		if (is_segment(mesh, t) ? encroached(mesh, t) : bad(mesh, t, cosine)) {
			irgl_push(out, t);
		}
	}
}

static __device__ __forceinline__ void irgl_call_identify(struct irgl_graph graph, int *irgl_calls, struct irgl_pipe *irgl_wl, double irgl_1) {
	irgl_pipe_clear(irgl_wl);
	irgl_look(*irgl_calls);
	irgl_body_identify(graph, irgl_wl->in, irgl_wl->out, irgl_1);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
	irgl_pipe_turn(irgl_wl);
}

static __device__ __forceinline__ void irgl_body_refine(struct irgl_graph mesh, struct irgl_worklist in, struct irgl_worklist out, double cosine) {
	for (long wlidx_base = 0, wlidx_end = irgl_size(in); wlidx_base < wlidx_end; wlidx_base += irgl_threads()) {
		bool wlidx_active = wlidx_base + irgl_place() < wlidx_end;
		int wlidx = irgl_scattered(wlidx_base + irgl_place(), wlidx_end);
		int t;
		int inside[164];
		int start[164];
		int outside[164];
		int own[2];
		int n;
		int m;
		int s;
		bool fits;
		double x;
		double y;
		if (wlidx_active) {
			{
				t = irgl_pop(in, wlidx);

				n = 0;
				m = 0;
				s = -1;
				fits = 1;
				x = 0;
				y = 0;
				if (mesh.stuck[t]) {
					{
						wlidx_active = false;
						goto next;
					}
				}
				if (is_segment(mesh, t)) {
					if (!encroached(mesh, t)) {
						{
							wlidx_active = false;
							goto next;
						}
					}
					s = t;
				} else {
					if (!bad(mesh, t, cosine) || !fixable(mesh, t)) {
						{
							wlidx_active = false;
							goto next;
						}
					}
					int a = mesh.points[t][0];
					double bx = mesh.x[mesh.points[t][1]] - mesh.x[a], by = mesh.y[mesh.points[t][1]] - mesh.y[a];
					double cx = mesh.x[mesh.points[t][2]] - mesh.x[a], cy = mesh.y[mesh.points[t][2]] - mesh.y[a];
					double b = bx * bx + by * by;
					double c = cx * cx + cy * cy;
					double d = 2 * (bx * cy - by * cx);
					x = mesh.x[a] + (cy * b - by * c) / d;
					y = mesh.y[a] + (bx * c - cx * b) / d;
					int at = locate(mesh, t, x, y);
					int o = at;
					if (at < 0) {
						fits = 0;
					} else if (is_segment(mesh, o)) {
						fits = !mesh.stuck[o];
						s = mesh.stuck[o] ? -1 : at;
					} else {
						m = max(grow(mesh, x, y, o, -1, inside, 0, start, outside, 0), 0);
						fits = m > 0;
						n = max(m - 2, 0);
						for (int i = 0; i < m && s < 0; i++) {
							int edge = outside[i];
							if (is_segment(mesh, edge) && !mesh.stuck[edge] && encroaches(mesh, x, y, edge)) {
								s = edge;
							}
						}
						start[m] = start[0];
					}
				}
				if (s >= 0) {
					int split = s;
					double f = fraction(mesh, split);
					int a = mesh.points[split][0];
					int b = mesh.points[split][1];
					x = mesh.x[a] + f * (mesh.x[b] - mesh.x[a]);
					y = mesh.y[a] + f * (mesh.y[b] - mesh.y[a]);
					fits = 1;
					n = 0;
					m = 0;

					for (int k = 0; k < 2 && fits; k++) {
						int beside = mesh.neighbors[split][k];
						if (beside >= 0) {
							int edge = mesh.neighbors[beside][0] == s ? 0 : mesh.neighbors[beside][1] == s ? 1 : 2;
							int more = contains(inside, n, beside) ? -1 : grow(mesh, x, y, beside, edge, inside, n, start, outside, m);
							fits = more > 0;
							if (fits) {
								n += more - m - 1;
								m = more;
								start[m] = mesh.points[beside][edge];
							}
						}
					}
				}
				fits = fits && star_shaped(mesh, x, y, start, m);
				own[0] = t;
				own[1] = s;
			}
		next:
			;
		}
		{
			long to = wlidx_active ? n : 0;
			long to_ = wlidx_active ? m : 0;
			long to__ = wlidx_active ? 2 : 0;
			for (long at_ = 0; at_ < to; at_++) {
				irgl_claim(mesh.element_locks, inside[at_]);
			}
			for (long at__ = 0; at__ < to_; at__++) {
				irgl_claim(mesh.element_locks, outside[at__]);
			}
			for (long at___ = 0; at___ < to__; at___++) {
				irgl_claim(mesh.element_locks, own[at___]);
			}
			irgl_grid_barrier();
			for (long at_ = 0; at_ < to; at_++) {
				irgl_prefer(mesh.element_locks, inside[at_]);
			}
			for (long at__ = 0; at__ < to_; at__++) {
				irgl_prefer(mesh.element_locks, outside[at__]);
			}
			for (long at___ = 0; at___ < to__; at___++) {
				irgl_prefer(mesh.element_locks, own[at___]);
			}
			irgl_grid_barrier();
			bool won = wlidx_active;
			for (long at_ = 0; at_ < to; at_++) {
				if (!irgl_owns(mesh.element_locks, inside[at_])) {
					won = false;
				}
			}
			for (long at__ = 0; at__ < to_; at__++) {
				if (!irgl_owns(mesh.element_locks, outside[at__])) {
					won = false;
				}
			}
			for (long at___ = 0; at___ < to__; at___++) {
				if (!irgl_owns(mesh.element_locks, own[at___])) {
					won = false;
				}
			}
			if (won) {
				if (!fits) {
					int e = s < 0 ? t : s;
					mesh.stuck[e] = 1;
					if (s < 0) {
						atomicAdd(&skipped, 1);
					} else if (s != t) {
						irgl_push(out, t);
					}
				} else {
					if (s != t && !contains(inside, n, t)) {
						irgl_push(out, t);
					}
					int p = irgl_add_point(mesh, x, y);
					if (s >= 0) {
						int split = s;
						mesh.on[p] = mesh.line[split];
					}
					int half = fill(mesh, p, s, inside, n, start, outside, m);
					int a = start[m];
					double ax = mesh.x[a];
					double ay = mesh.y[a];
					for (int i = m - 1; i >= 0; i--) {
						int b = start[i];
						double bx = mesh.x[b];
						double by = mesh.y[b];
						if (sharp(ax, ay, x, y, bx, by, cosine)) {
							irgl_push(out, inside[i]);
						}
						ax = bx;
						ay = by;
						int edge = outside[i];
						if (is_segment(mesh, edge) && !mesh.stuck[edge] && encroaches(mesh, x, y, edge)) {
							irgl_push(out, edge);
						}
					}
					if (s >= 0) {
						int second = half;
						if (encroached(mesh, s)) {
							irgl_push(out, s);
						}
						if (encroached(mesh, second)) {
							irgl_push(out, second);
						}
					}
				}
			} else if (wlidx_active) {
				irgl_push(out, t);
			}
		}
		irgl_grid_barrier();
	}
}

static __device__ __forceinline__ void irgl_call_refine(struct irgl_graph *graph, int *irgl_calls, struct irgl_pipe *irgl_wl, double irgl_1) {
	irgl_pipe_clear(irgl_wl);
	irgl_look(*irgl_calls);
	irgl_body_refine(*graph, irgl_wl->in, irgl_wl->out, irgl_1);
	irgl_grid_barrier();
	irgl_looked(irgl_calls);
	graph->npoints = graph->mesh_count[0];
	graph->nelements = graph->mesh_count[1];
	irgl_grid_barrier();
	irgl_pipe_turn(irgl_wl);
}

extern "C" __global__ __launch_bounds__(512) void irgl_control_1(struct irgl_graph mesh, struct irgl_frame_1 irgl_frame) {
	double cosine = irgl_frame.cosine;
	int rounds = irgl_frame.rounds;
	long irgl_iterations = irgl_frame.irgl_iterations;
	struct irgl_pipe irgl_wl = irgl_frame.irgl_wl;
	int irgl_calls = 0;
	{
		{
			irgl_call_identify(mesh, &irgl_calls, &irgl_wl, cosine * cosine);
			if (irgl_calls < 0 || irgl_wl.need != 0) {
				goto irgl_leave;
			}
			{
				while (irgl_wl.size > 0) {
					irgl_iterations++;
					irgl_call_refine(&mesh, &irgl_calls, &irgl_wl, cosine * cosine);
					if (irgl_calls < 0 || irgl_wl.need != 0 || irgl_full(mesh.npoints, mesh.point_room) || irgl_full(mesh.nelements, mesh.element_room)) {
						goto irgl_leave;
					}
					rounds++;
				}
			}
		}
	}
irgl_leave:
	if (irgl_thread() == 0) {
		irgl_result_1.rounds = rounds;
		irgl_result_1.irgl_iterations = irgl_iterations;
		irgl_result_1.irgl_wl = irgl_wl;
	}
}

static void irgl_check(cudaError_t status) {
	if (status != cudaSuccess) {
		fprintf(stderr, "irgl: %s\n", cudaGetErrorString(status));
		exit(1);
	}
}

static void irgl_overflow(int need) {
	fprintf(stderr, "irgl: a worklist overflowed: set irgl_capacity to at least %d\n", need);
	exit(3);
}

static void irgl_mesh_overflow(int points, int elements) {
	fprintf(stderr, "irgl: the mesh needs room for %d points and %d elements\n", points, elements);
	exit(3);
}

static void irgl_mesh_counted(const int *counts, int point_room, int element_room) {
	int n[2];
	irgl_check(cudaMemcpy(n, counts, sizeof n, cudaMemcpyDeviceToHost));
	if (n[0] < 0 || n[0] > point_room || n[1] < 0 || n[1] > element_room) {
		irgl_mesh_overflow(n[0] < 0 ? INT_MAX : n[0], n[1] < 0 ? INT_MAX : n[1]);
	}
	irgl_npoints = n[0];
	irgl_nelements = n[1];
}

static int irgl_fewer(int a, int b) {
	return a < b ? a : b;
}

static int irgl_more(int a, int b) {
	return a > b ? a : b;
}

static int irgl_blocks(int n, int threads) {
	int blocks = (n - 1) / threads + 1;
	if (blocks > irgl_max_blocks) {
		blocks = irgl_max_blocks;
	}
	return blocks < 1 ? 1 : blocks;
}

static void irgl_list_open(struct irgl_worklist *list, int capacity, size_t item, int *count) {
	list->capacity = capacity;
	list->size = 0;
	list->count = count;
	irgl_check(cudaMalloc((void **)&list->items, (size_t)capacity * item));
}

static int *irgl_counter(struct irgl_pipe *pipe, int number) {
	return pipe->counts + 32 * number;
}

static int *irgl_next_counter(struct irgl_pipe *pipe, int first, int *n) {
	if (*n == 128) {
		*n = 64;
	}
	if (*n >= 64 && *n % 32 == 0) {
		irgl_check(cudaMemset(irgl_counter(pipe, first + *n % 64), 0, 32 * 128));
	}
	return irgl_counter(pipe, first + (*n)++ % 64);
}

static int *irgl_fresh(struct irgl_pipe *pipe) {
	return irgl_next_counter(pipe, 5, &pipe->pushed);
}

static int *irgl_fresh_retry(struct irgl_pipe *pipe) {
	return irgl_next_counter(pipe, 69, &pipe->retried);
}

static void irgl_pipe_lend(struct irgl_pipe *pipe) {
	pipe->in.count = irgl_counter(pipe, 0);
	pipe->out.count = irgl_counter(pipe, 1);
	pipe->used = irgl_counter(pipe, 2);
	pipe->retry.count = irgl_counter(pipe, 3);
	pipe->zero = irgl_counter(pipe, 4);
}

static void irgl_pipe_back(struct irgl_pipe *pipe) {
	irgl_check(cudaMemset(pipe->counts, 0, 5 * 128));
	pipe->out.count = irgl_fresh(pipe);
	pipe->retry.count = irgl_fresh_retry(pipe);
}

static void irgl_pipe_begin(struct irgl_pipe *pipe, int capacity, size_t item, int n) {
	if (irgl_capacity > 0) {
		capacity = irgl_capacity;
	}
	if (capacity < 1) {
		capacity = 1;
	}
	if (n > capacity) {
		irgl_overflow(n);
	}
	int *counts;
	irgl_check(cudaMalloc((void **)&counts, (5 + 64 + 64) * 128));
	irgl_check(cudaMemset(counts, 0, (5 + 64 + 64) * 128));
	pipe->counts = counts;
	pipe->used = counts;
	pipe->zero = counts;
	pipe->pushed = 0;
	pipe->retried = 0;
	irgl_list_open(&pipe->in, capacity, item, irgl_fresh(pipe));
	irgl_list_open(&pipe->out, capacity, item, irgl_fresh(pipe));
	pipe->in.size = n;
	pipe->size = n;
	pipe->narrow = 0;
	pipe->need = 0;
	if (n > 0) {
		irgl_check(cudaMemcpy(pipe->in.count, &n, sizeof(int), cudaMemcpyHostToDevice));
	}
}

static void irgl_pipe_open(struct irgl_pipe *pipe, int capacity, const int *items, int n) {
	irgl_pipe_begin(pipe, capacity, sizeof(int), n);
	if (n > 0) {
		irgl_check(cudaMemcpy(pipe->in.items, items, (size_t)n * sizeof(int), cudaMemcpyHostToDevice));
	}
}

static void irgl_pipe_close(struct irgl_pipe *pipe) {
	irgl_check(cudaFree(pipe->in.items));
	irgl_check(cudaFree(pipe->out.items));
	irgl_check(cudaFree(pipe->counts));
}

static int irgl_control_blocks(const void *kernel, int threads, int each, int useful) {
	int device;
	int blocks;
	int processors;
	irgl_check(cudaGetDevice(&device));
	irgl_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads, 0));
	irgl_check(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
	blocks = irgl_fewer(irgl_fewer(blocks, each) * processors, irgl_fewer(useful, irgl_max_blocks));
	return blocks < 1 ? 1 : blocks;
}

static void irgl_invoke_prepare(struct irgl_graph graph) {
	graph.npoints = irgl_npoints;
	graph.nelements = irgl_nelements;
	prepare<<<irgl_blocks(graph.nelements, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void irgl_launch_1(struct irgl_graph graph, struct irgl_frame_1 *irgl_frame, struct irgl_pipe *irgl_wl) {
	graph.npoints = irgl_npoints;
	graph.nelements = irgl_nelements;
	irgl_frame->irgl_iterations = irgl_iterations;
	irgl_pipe_lend(irgl_wl);
	irgl_frame->irgl_wl = *irgl_wl;
	int irgl_b = irgl_control_blocks((const void *)irgl_control_1, 512, 2, irgl_blocks(irgl_more(graph.element_room, irgl_wl->in.capacity), 512));
	void *irgl_args[] = {&graph, irgl_frame};
	irgl_check(cudaLaunchCooperativeKernel((const void *)irgl_control_1, (dim3)irgl_b, (dim3)512, irgl_args, 0, 0));
	irgl_check(cudaMemcpyFromSymbol(irgl_frame, irgl_result_1, sizeof(struct irgl_frame_1)));
	*irgl_wl = irgl_frame->irgl_wl;
	irgl_pipe_back(irgl_wl);
	if (irgl_wl->need != 0) {
		irgl_overflow(irgl_wl->need);
	}
	irgl_mesh_counted(graph.mesh_count, graph.point_room, graph.element_room);
	irgl_iterations = irgl_frame->irgl_iterations;
}

static void irgl_init(struct irgl_graph graph) {
	graph.npoints = irgl_npoints;
	graph.nelements = irgl_nelements;
	irgl_init_points<<<irgl_blocks(graph.npoints, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
	irgl_init_elements<<<irgl_blocks(graph.nelements, 256), 256>>>(graph);
	irgl_check(cudaGetLastError());
}

static void dmr(struct irgl_graph mesh, double angle) {
	double cosine = cos((angle + 1e-9) * 3.141592653589793e+00 / 180);
	irgl_invoke_prepare(mesh);
	{
		struct irgl_pipe irgl_wl;
		irgl_pipe_open(&irgl_wl, irgl_npoints + irgl_nelements, NULL, 0);
		struct irgl_frame_1 irgl_frame;
		irgl_frame.cosine = cosine;
		irgl_frame.rounds = rounds;
		irgl_launch_1(mesh, &irgl_frame, &irgl_wl);
		rounds = irgl_frame.rounds;
		irgl_pipe_close(&irgl_wl);
	}
}

extern "C" void irgl_run(struct irgl_graph graph, double irgl_0) {
	irgl_init(graph);
	dmr(graph, irgl_0);
}
