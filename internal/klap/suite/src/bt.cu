// Tessellation of quadratic Bezier curves: a thread of the parent for each curve, which
// launches a child with a thread for each point. The child is passed the curve, so that it loads nothing. With -DDEVICE_MALLOC the points of a
// curve are in memory that the parent allocates.
#include "common.cuh"

#define PARENT 64
#define CHILD 32
#ifndef MAX_POINTS
#define MAX_POINTS 32
#endif
#ifndef CURVATURE
#define CURVATURE 16.0f
#endif

struct Curve {
	float2 control[3];
	float2 *points;
	int count;
};

__device__ int bt_count(const Curve *c) {
	float bx = c->control[1].x - 0.5f * (c->control[0].x + c->control[2].x);
	float by = c->control[1].y - 0.5f * (c->control[0].y + c->control[2].y);
	float dx = c->control[2].x - c->control[0].x;
	float dy = c->control[2].y - c->control[0].y;
	float curvature = sqrtf(bx * bx + by * by) / sqrtf(dx * dx + dy * dy);
	return min(max((int)(curvature * CURVATURE), 4), MAX_POINTS);
}

__device__ float2 bt_point(const Curve *c, int i, int count) {
	float u = (float)i / (float)(count - 1);
	float w = 1.0f - u;
	float2 p;
	p.x = w * w * c->control[0].x + 2.0f * u * w * c->control[1].x + u * u * c->control[2].x;
	p.y = w * w * c->control[0].y + 2.0f * u * w * c->control[1].y + u * u * c->control[2].y;
	return p;
}

#ifdef DEVICE_MALLOC
__global__ void bt_free(Curve *curves, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) free(curves[i].points);
}
#endif

#ifndef NO_DP

__global__ void bt_child(Curve c) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < c.count) c.points[i] = bt_point(&c, i, c.count);
}

__global__ void bt_parent(Curve *curves, float2 *room, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		Curve c = curves[i];
		int count = bt_count(&c);
		c.count = count;
#ifdef DEVICE_MALLOC
		c.points = (float2 *)malloc(count * sizeof(float2));
#else
		c.points = room + (size_t)i * MAX_POINTS;
#endif
		curves[i].count = count;
		curves[i].points = c.points;
		LAUNCH(bt_child, (count + CHILD - 1) / CHILD, CHILD, c);
	}
}

#else

// A warp does a curve.
__global__ void bt_warps(Curve *curves, float2 *room, int n) {
	int i = (blockIdx.x * blockDim.x + threadIdx.x) / 32;
	int lane = threadIdx.x % 32;
	if (i < n) {
		int count = bt_count(&curves[i]);
		float2 *points = room + (size_t)i * MAX_POINTS;
#ifdef DEVICE_MALLOC
		if (lane == 0) points = (float2 *)malloc(count * sizeof(float2));
		points = (float2 *)__shfl_sync(0xffffffff, (unsigned long long)points, 0);
#endif
		if (lane == 0) {
			curves[i].count = count;
			curves[i].points = points;
		}
		for (int k = lane; k < count; k += 32) points[k] = bt_point(&curves[i], k, count);
	}
}

#endif

// bt_gather copies the points for the check, since the host cannot copy from the device's heap.
__global__ void bt_gather(const Curve *curves, float2 *out, int *counts, int n) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < n) {
		counts[i] = curves[i].count;
		for (int k = 0; k < curves[i].count; k++) out[(size_t)i * MAX_POINTS + k] = curves[i].points[k];
	}
}

// faultOf compares the points of a curve with those of de Casteljau's construction.
static std::string faultOf(const Curve &c, int i, int count, const float2 *points) {
	double bx = c.control[1].x - 0.5 * (c.control[0].x + c.control[2].x), by = c.control[1].y - 0.5 * (c.control[0].y + c.control[2].y);
	double dx = c.control[2].x - c.control[0].x, dy = c.control[2].y - c.control[0].y;
	double exact = CURVATURE * std::sqrt((bx * bx + by * by) / (dx * dx + dy * dy));
	double least = std::min<double>(MAX_POINTS, std::max(4.0, exact * 0.9999 - 1)), most = std::min<double>(MAX_POINTS, std::max(4.0, exact * 1.0001));
	if (count < least || count > most) return text("curve %d has %d points, want about %g", i, count, exact);
	for (int k = 0; k < count; k++) {
		double u = (double)k / (count - 1);
		double ax = c.control[0].x + u * (c.control[1].x - c.control[0].x), ay = c.control[0].y + u * (c.control[1].y - c.control[0].y);
		double ex = c.control[1].x + u * (c.control[2].x - c.control[1].x), ey = c.control[1].y + u * (c.control[2].y - c.control[1].y);
		double x = ax + u * (ex - ax), y = ay + u * (ey - ay);
		if (!(std::abs(points[k].x - x) < 1e-4 && std::abs(points[k].y - y) < 1e-4)) return text("point %d of curve %d is %g %g, want %g %g", k, i, points[k].x, points[k].y, x, y);
	}
	return "";
}

int main(int argc, char **argv) {
	Options o = parse(argc, argv);
	int n = o.pick(200, 2560, 12800, 25600);
	Random random(o.seed);
	std::vector<Curve> start(n);
	for (Curve &c : start) {
		for (float2 &p : c.control) p = {random.uniform(), random.uniform()};
		c.points = nullptr;
		c.count = 0;
	}
	Buffer<Curve> curves(start);
	Buffer<float2> room((size_t)n * MAX_POINTS), out((size_t)n * MAX_POINTS);
	Buffer<int> counts(n);
	allowLaunches(o, n);
#ifdef DEVICE_MALLOC
	CUDA(cudaDeviceSetLimit(cudaLimitMallocHeapSize, std::max<size_t>(8 << 20, (size_t)n * (MAX_POINTS * sizeof(float2) + 64) * 4)));
#endif

	bool made = false;
	auto reset = [&] {
#ifdef DEVICE_MALLOC
		if (made) bt_free<<<blocksFor(n, PARENT), PARENT>>>(curves.data, n);
#endif
		CUDA(cudaDeviceSynchronize());
		curves.put(start);
	};
	measure(o, reset, [&] {
		made = true;
#ifndef NO_DP
		ROUND(bt_parent<<<blocksFor(n, PARENT), PARENT>>>(curves.data, room.data, n));
#else
		bt_warps<<<blocksFor(32L * n, 256), 256>>>(curves.data, room.data, n);
#endif
	});
	bt_gather<<<blocksFor(n, 64), 64>>>(curves.data, out.data, counts.data, n);

	std::vector<float2> points = out.get();
	std::vector<int> count = counts.get();
	std::string fault;
	for (int i = 0; i < n && fault.empty(); i++) fault = faultOf(start[i], i, count[i], &points[(size_t)i * MAX_POINTS]);
	printLaunches(1, n);
	return verdict(fault);
}
