// Forces of the Barnes-Hut algorithm. The host builds a tree for each time step; a thread of
// the parent for each cell of it launches a child with a thread for each body of the cell, if
// that is a largest cell with at most GROUP bodies. A body's thread walks the tree.
#include "common.cuh"

#define PARENT 256
#define CHILD 256
#ifndef GROUP
#define GROUP 256
#endif
#define LEAF 4 // bodies of a leaf, at most
#define STEPS 4
#define THETA 0.5f
#define SOFTENING 0.0025f

// A Cell has the bodies from first to last. Cells are in the order of a walk: what follows a
// cell is its first child, and behind its descendants there is skip.
struct Cell {
	float4 mass;  // the centre of mass, and the mass
	float reach;  // the square of the distance from which on the cell counts as a body
	int skip;
	int first, last;
	int leaf;
	int above; // bodies of the cell that this one is a child of
};

__device__ __forceinline__ void bh_add(float4 from, float4 at, float3 *force) {
	float dx = from.x - at.x;
	float dy = from.y - at.y;
	float dz = from.z - at.z;
	float inverse = rsqrtf(dx * dx + dy * dy + dz * dz + SOFTENING);
	float scale = from.w * inverse * inverse * inverse;
	force->x += dx * scale;
	force->y += dy * scale;
	force->z += dz * scale;
}

__device__ __forceinline__ bool bh_is_far(const Cell *c, float4 at) {
	float dx = c->mass.x - at.x;
	float dy = c->mass.y - at.y;
	float dz = c->mass.z - at.z;
	return dx * dx + dy * dy + dz * dz > c->reach;
}

// bh_force returns the force on a body. The threads of a warp, whose bodies are near each other, walk the tree together: a
// thread is idle below a cell that counts as a body for it.
__device__ __forceinline__ float3 bh_force(const Cell *cells, int count, const float4 *bodies, int self) {
	float4 at = bodies[self];
	float3 force = make_float3(0, 0, 0);
	int c = 0;
	int resume = 0; // the thread is idle up to this cell
	while (c < count) {
		Cell cell = cells[c];
		bool below = false;
		if (c >= resume) {
			if (cell.leaf) {
				for (int b = cell.first; b < cell.last; b++) {
					if (b != self) bh_add(bodies[b], at, &force);
				}
			} else if (bh_is_far(&cell, at)) {
				bh_add(cell.mass, at, &force);
				resume = cell.skip;
			} else {
				below = true;
			}
		}
		c = __any_sync(0xffffffff, below) ? c + 1 : cell.skip;
	}
	return force;
}

#ifndef NO_DP

__global__ void bh_child(const Cell *cells, int count, const float4 *bodies, float3 *forces, int first, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i / 32 * 32 < n) {
		float3 force = bh_force(cells, count, bodies, first + min(i, n - 1));
		if (i < n) forces[first + i] = force;
	}
}

__global__ void bh_parent(const Cell *cells, int count, const float4 *bodies, float3 *forces) {
	int c = blockIdx.x * blockDim.x + threadIdx.x;
	if (c < count) {
		int first = cells[c].first;
		int n = cells[c].last - first;
		if (n <= GROUP && cells[c].above > GROUP) {
			LAUNCH(bh_child, (n + CHILD - 1) / CHILD, CHILD, cells, count, bodies, forces, first, n);
		}
	}
}

#else

__global__ void bh_all(const Cell *cells, int count, const float4 *bodies, float3 *forces, int n) {
	int self = blockIdx.x * blockDim.x + threadIdx.x;
	float3 force = bh_force(cells, count, bodies, min(self, n - 1));
	if (self < n) forces[self] = force;
}

#endif

// A Step has what is on the device for a time step, and on the host for the check.
struct Step {
	std::vector<Cell> cells;
	std::vector<float4> bodies;
	Buffer<Cell> *cellsThere;
	Buffer<float4> *bodiesThere;
	Buffer<float3> *forces;
};

struct Body {
	float x, y, z, mass, vx, vy, vz;
};

// build adds the cell of the bodies from first to last, in the cube with the corner and side,
// and those below, and brings the bodies into the order of leaves.
static void build(std::vector<Body> &bodies, std::vector<Cell> &cells, int first, int last, float x, float y, float z, float side, int above, int depth) {
	size_t at = cells.size();
	Cell c{};
	c.first = first;
	c.last = last;
	c.reach = side * side / (THETA * THETA);
	c.above = above;
	c.leaf = last - first <= LEAF || depth > 40;
	double mass = 0, mx = 0, my = 0, mz = 0;
	for (int b = first; b < last; b++) {
		mass += bodies[b].mass;
		mx += bodies[b].mass * bodies[b].x;
		my += bodies[b].mass * bodies[b].y;
		mz += bodies[b].mass * bodies[b].z;
	}
	c.mass = make_float4((float)(mx / mass), (float)(my / mass), (float)(mz / mass), (float)mass);
	cells.push_back(c);
	float half = side / 2;
	for (int octant = 0, begin = first; octant < 8 && !c.leaf; octant++) {
		float ox = x + (octant & 1 ? half : 0), oy = y + (octant & 2 ? half : 0), oz = z + (octant & 4 ? half : 0);
		auto end = std::partition(bodies.begin() + begin, bodies.begin() + last, [&](const Body &b) {
			return (b.x >= x + half) == !!(octant & 1) && (b.y >= y + half) == !!(octant & 2) && (b.z >= z + half) == !!(octant & 4);
		});
		int next = (int)(end - bodies.begin());
		if (next > begin) build(bodies, cells, begin, next, ox, oy, oz, half, last - first, depth + 1);
		begin = next;
	}
	cells[at].skip = (int)cells.size();
}

static std::vector<Cell> tree(std::vector<Body> &bodies) {
	float low = 0, high = 0;
	for (const Body &b : bodies) {
		low = std::min(low, std::min(b.x, std::min(b.y, b.z)));
		high = std::max(high, std::max(b.x, std::max(b.y, b.z)));
	}
	std::vector<Cell> cells;
	build(bodies, cells, 0, (int)bodies.size(), low, low, low, (high - low) * 1.0001f, GROUP + 1 + (int)bodies.size(), 0);
	return cells;
}

static void computeForces(const Step &s) {
	int n = (int)s.bodies.size(), count = (int)s.cells.size();
#ifndef NO_DP
	(void)n;
	ROUND(bh_parent<<<blocksFor(count, PARENT), PARENT>>>(s.cellsThere->data, count, s.bodiesThere->data, s.forces->data));
#else
	bh_all<<<blocksFor(n, CHILD), CHILD>>>(s.cellsThere->data, count, s.bodiesThere->data, s.forces->data, n);
#endif
}

// forceOf adds to force what the cell and those below it do to a body; exact leaves out the
// approximation.
static void forceOf(const Step &s, int self, int c, bool exact, double *force) {
	const Cell &cell = s.cells[c];
	float4 at = s.bodies[self];
	auto add = [&](float4 from) {
		double dx = from.x - at.x, dy = from.y - at.y, dz = from.z - at.z;
		double d = std::sqrt(dx * dx + dy * dy + dz * dz + SOFTENING), scale = from.w / (d * d * d);
		force[0] += dx * scale;
		force[1] += dy * scale;
		force[2] += dz * scale;
	};
	double dx = cell.mass.x - at.x, dy = cell.mass.y - at.y, dz = cell.mass.z - at.z;
	if (!exact && !cell.leaf && dx * dx + dy * dy + dz * dz > cell.reach) return add(cell.mass);
	for (int b = cell.first; b < cell.last && cell.leaf; b++) {
		if (b != self) add(s.bodies[b]);
	}
	for (int child = c + 1; child < cell.skip; child = s.cells[child].skip) forceOf(s, self, child, exact, force);
}

// faultOf compares forces with those of the same walk on the host, and a sample of them with
// the exact ones.
static std::string faultOf(const Step &s) {
	std::vector<float3> got = s.forces->get();
	int n = (int)got.size(), every = std::max(1, n / 256);
	for (int b = 0; b < n; b++) {
		double want[3] = {}, exact[3] = {};
		forceOf(s, b, 0, false, want);
		double size = std::sqrt(want[0] * want[0] + want[1] * want[1] + want[2] * want[2]) + 0.01;
		double off = std::abs(got[b].x - want[0]) + std::abs(got[b].y - want[1]) + std::abs(got[b].z - want[2]);
		if (!(off < 0.005 * size)) return text("the force on body %d is %g %g %g, want %g %g %g", b, got[b].x, got[b].y, got[b].z, want[0], want[1], want[2]);
		if (b % every) continue;
		forceOf(s, b, 0, true, exact);
		off = std::abs(got[b].x - exact[0]) + std::abs(got[b].y - exact[1]) + std::abs(got[b].z - exact[2]);
		if (!(off < 0.1 * size)) return text("the force on body %d is %g %g %g, without approximation %g %g %g", b, got[b].x, got[b].y, got[b].z, exact[0], exact[1], exact[2]);
	}
	return "";
}

int main(int argc, char **argv) {
	Options o = parse(argc, argv);
	int n = o.pick(600, 1024, 2048, 4096), steps = o.pick(2, STEPS, STEPS, STEPS);
	Random random(o.seed);
	std::vector<Body> bodies;
	while ((int)bodies.size() < n) { // a ball that is denser inside
		float x = random.uniform() * 2 - 1, y = random.uniform() * 2 - 1, z = random.uniform() * 2 - 1, d = x * x + y * y + z * z;
		if (d < 1) bodies.push_back({x * d, y * d, z * d, 1.0f / (float)n, 0, 0, 0});
	}
	allowLaunches(o, n);

	// The steps are done once, so that all trees are there; what is timed are the forces.
	std::vector<Step> all;
	for (int i = 0; i < steps; i++) {
		Step s;
		s.cells = tree(bodies);
		for (const Body &b : bodies) s.bodies.push_back(make_float4(b.x, b.y, b.z, b.mass));
		s.cellsThere = new Buffer<Cell>(s.cells); // until the process ends
		s.bodiesThere = new Buffer<float4>(s.bodies);
		s.forces = new Buffer<float3>(n);
		computeForces(s);
		std::vector<float3> forces = s.forces->get();
		const float dt = 0.025f;
		for (int b = 0; b < n; b++) {
			Body &x = bodies[b];
			x.vx += forces[b].x * dt;
			x.vy += forces[b].y * dt;
			x.vz += forces[b].z * dt;
			x.x += x.vx * dt;
			x.y += x.vy * dt;
			x.z += x.vz * dt;
		}
		all.push_back(s);
	}
	measure(o, [&] {
		for (const Step &s : all) s.forces->set(0xff);
	}, [&] {
		for (const Step &s : all) computeForces(s);
	});

	long launches = 0;
	std::string fault;
	for (const Step &s : all) {
		for (const Cell &c : s.cells) launches += c.last - c.first <= GROUP && c.above > GROUP;
		if (fault.empty()) fault = faultOf(s);
	}
	printLaunches(steps, launches);
	return verdict(fault);
}
