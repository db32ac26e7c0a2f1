// What the benchmarks share: launches in device code, options, timing, random numbers,
// graphs and their readers, and what blocks and grids do together.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string>
#include <vector>

// LAUNCH launches a kernel in device code; with -DCOUNT it counts. STREAM says into which stream: 0 the block's
// NULL stream, 1 a stream of the launch's own, 2 fire and forget, 3 the tail launch.
#ifndef STREAM
#define STREAM 0
#endif
#ifdef COUNT // the launches, with an atomic each
__device__ unsigned long long launchCount;
#define COUNT_LAUNCH atomicAdd(&launchCount, 1ull);
#else
#define COUNT_LAUNCH
#endif
#if STREAM == 0
#define LAUNCH(kernel, grid, block, ...) { COUNT_LAUNCH kernel<<<grid, block>>>(__VA_ARGS__); }
#elif STREAM == 1
#define LAUNCH(kernel, grid, block, ...) { COUNT_LAUNCH \
	cudaStream_t stream; \
	cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking); \
	kernel<<<grid, block, 0, stream>>>(__VA_ARGS__); \
	cudaStreamDestroy(stream); }
#elif STREAM == 2
#define LAUNCH(kernel, grid, block, ...) { COUNT_LAUNCH kernel<<<grid, block, 0, cudaStreamFireAndForget>>>(__VA_ARGS__); }
#elif STREAM == 3
#define LAUNCH(kernel, grid, block, ...) { COUNT_LAUNCH kernel<<<grid, block, 0, cudaStreamTailLaunch>>>(__VA_ARGS__); }
#else
#error "STREAM is 0, 1, 2 or 3"
#endif

#ifdef OCCUPANCY // the nanoseconds of all warps, which irgl's --residency=warpTime adds
__device__ unsigned long long warpTime;
#endif
#ifdef PARTS // what irgl's --parts=partsOff switches off
__device__ int partsOff;
#endif

// klap_overlap marks the boundary of section III-C: what a kernel does in front of the call
// depends neither on postponed arguments nor on what the launching kernel does.
__device__ __forceinline__ void klap_overlap(void) {}

// ---- Host code ----

#define CUDA(call) \
	do { \
		cudaError_t error_ = (call); \
		if (error_ != cudaSuccess) fail("%s: %s", #call, cudaGetErrorString(error_)); \
	} while (0)

[[noreturn]] inline void fail(const char *format, ...) {
	va_list args;
	va_start(args, format);
	vfprintf(stderr, format, args);
	va_end(args);
	fputc('\n', stderr);
	exit(2);
}

struct Options {
	std::string size = "small", input;
	int repeat = 1;
	int round = -1; // whose parts are switched off; -1 for the longest
	long pending = 0; // launches that may wait, in place of the program's own number
	unsigned long seed = 1;

	// pick returns the value for the size.
	template <typename T> T pick(T test, T small, T medium, T large) const {
		return size == "test" ? test : size == "small" ? small : size == "medium" ? medium : large;
	}
};

inline Options parse(int argc, char **argv) {
	Options o;
	for (int i = 1; i < argc; i++) {
		std::string flag = argv[i];
		if (i + 1 == argc) fail("usage: %s [--size test|small|medium|large] [--input FILE] [--repeat N] [--seed S] [--pending N] [--round R]", argv[0]);
		const char *value = argv[++i];
		if (flag == "--size") o.size = value;
		else if (flag == "--input") o.input = value;
		else if (flag == "--repeat") o.repeat = std::max(1, atoi(value));
		else if (flag == "--pending") o.pending = atol(value);
		else if (flag == "--round") o.round = atoi(value);
		else if (flag == "--seed") o.seed = strtoul(value, nullptr, 10);
		else fail("unknown option %s", flag.c_str());
	}
	if (o.size != "test" && o.size != "small" && o.size != "medium" && o.size != "large") fail("--size is test, small, medium or large, not %s", o.size.c_str());
	return o;
}

// verdict prints the outcome of the check and returns the exit status.
inline int verdict(const std::string &fault) {
	if (fault.empty()) {
		puts("check: ok");
		return 0;
	}
	printf("check: FAILED %s\n", fault.c_str());
	return 1;
}

// text formats a fault for verdict.
inline std::string text(const char *format, ...) {
	char line[256];
	va_list args;
	va_start(args, format);
	vsnprintf(line, sizeof line, format, args);
	va_end(args);
	return line;
}

// ROUND is a launch by the host of a kernel that launches. With -DPARTS the parts of the longest round of a run, or of
// --round, are switched off one after the other.
#if defined(PARTS) && !defined(NO_DP)
struct Rounds {
	bool timed = false;
	int at = 0, wanted = -1, off = 0; // wanted: the round whose parts are off; -1 to look for the longest
	int longest = 0;
	float most = -1, ms = 0;
	cudaEvent_t begin, end;

	void open() {
		if (!timed) return;
		if (at == wanted) CUDA(cudaMemcpyToSymbol(partsOff, &off, sizeof off));
		CUDA(cudaDeviceSynchronize());
		CUDA(cudaEventRecord(begin, cudaStreamLegacy));
	}
	void close();
};
struct RoundMeasured {};
inline Rounds launchRounds;

inline void Rounds::close() {
	if (!timed) return;
	CUDA(cudaEventRecord(end, cudaStreamLegacy));
	CUDA(cudaDeviceSynchronize());
	CUDA(cudaEventElapsedTime(&ms, begin, end));
	if (at == wanted) {
		int none = 0;
		CUDA(cudaMemcpyToSymbol(partsOff, &none, sizeof none));
		throw RoundMeasured();
	}
	if (wanted < 0 && ms > most) most = ms, longest = at;
	at++;
}
#define ROUND(...) \
	do { \
		launchRounds.open(); \
		__VA_ARGS__; \
		launchRounds.close(); \
	} while (0)

// measureParts prints the median time of the longest round, and those without its parts.
template <typename Reset, typename Run> void measureParts(const Options &o, Reset reset, Run run) {
	CUDA(cudaEventCreate(&launchRounds.begin));
	CUDA(cudaEventCreate(&launchRounds.end));
	launchRounds.timed = true;
	for (int i = 0; i < 2; i++) { // the first run loads the kernels
		reset();
		launchRounds.at = 0, launchRounds.most = -1;
		run();
	}
	launchRounds.wanted = o.round >= 0 && o.round < launchRounds.at ? o.round : launchRounds.longest;
	printf("round: %d\n", launchRounds.wanted);
	for (int off : {0, 1, 3, 7, 15}) { // each with those in front of it
		std::vector<float> times;
		launchRounds.off = off;
		for (int i = 0; i < o.repeat; i++) {
			reset();
			launchRounds.at = 0;
			try {
				run();
			} catch (const RoundMeasured &) {
			}
			times.push_back(launchRounds.ms);
		}
		std::sort(times.begin(), times.end());
		printf("part %d: %.4f ms\n", off, times[times.size() / 2]);
	}
	launchRounds.timed = false;
}
#else
#define ROUND(...) __VA_ARGS__
#endif

#ifdef OCCUPANCY
// occupancyOf returns the warps that were resident, in percent of those that the device holds, on average over a time.
inline double occupancyOf(float ms) {
	int device, processors, threads, lanes;
	unsigned long long nanoseconds;
	CUDA(cudaGetDevice(&device));
	CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
	CUDA(cudaDeviceGetAttribute(&threads, cudaDevAttrMaxThreadsPerMultiProcessor, device));
	CUDA(cudaDeviceGetAttribute(&lanes, cudaDevAttrWarpSize, device));
	CUDA(cudaMemcpyFromSymbol(&nanoseconds, warpTime, sizeof nanoseconds));
	return 100.0 * (double)nanoseconds / ((double)ms * 1e6 * processors * (threads / lanes));
}
#endif

// measure prints the median time of the runs. Each run follows a reset, which is not
// timed; with several, the first is not counted. The events are of the legacy stream, which waits for all
// streams of the run: the default stream does not with --default-stream=per-thread.
template <typename Reset, typename Run> void measure(const Options &o, Reset reset, Run run) {
	cudaEvent_t begin, end;
	CUDA(cudaEventCreate(&begin));
	CUDA(cudaEventCreate(&end));
	std::vector<float> times;
#if defined(PARTS) && !defined(NO_DP)
	measureParts(o, reset, run);
#endif
#ifdef OCCUPANCY
	std::vector<double> occupancies;
#endif
	for (int i = o.repeat > 1 ? -1 : 0; i < o.repeat; i++) {
		reset();
#ifdef OCCUPANCY
		unsigned long long zero = 0;
		CUDA(cudaMemcpyToSymbol(warpTime, &zero, sizeof zero));
#endif
#if defined(COUNT) && !defined(NO_DP)
		unsigned long long none = 0;
		CUDA(cudaMemcpyToSymbol(launchCount, &none, sizeof none));
#endif
		CUDA(cudaDeviceSynchronize());
		CUDA(cudaEventRecord(begin, cudaStreamLegacy));
		run();
		CUDA(cudaEventRecord(end, cudaStreamLegacy));
		CUDA(cudaDeviceSynchronize());
		CUDA(cudaGetLastError());
		float ms;
		CUDA(cudaEventElapsedTime(&ms, begin, end));
		if (i >= 0) times.push_back(ms);
#ifdef OCCUPANCY
		if (i >= 0) occupancies.push_back(occupancyOf(ms));
#endif
	}
#ifdef OCCUPANCY
	std::sort(occupancies.begin(), occupancies.end());
	printf("occupancy: %.4f %%\n", occupancies[occupancies.size() / 2]);
#endif
	std::sort(times.begin(), times.end());
	printf("time: %.4f ms\n", times[times.size() / 2]);
	CUDA(cudaEventDestroy(begin));
	CUDA(cudaEventDestroy(end));
}

// printLaunches prints the launches of a run, by the host and in kernels. Those in kernels
// are -1 where the result does not tell them; then only a program with -DCOUNT prints the sum.
inline void printLaunches(long host, long device) {
#ifdef NO_DP
	device = 0;
#elif defined(COUNT)
	unsigned long long counted;
	CUDA(cudaMemcpyFromSymbol(&counted, launchCount, sizeof counted));
	device = (long)counted;
#endif
	if (device >= 0) printf("launches: %ld\n", host + device);
	else printf("host launches: %ld\n", host);
}

// allowLaunches makes room for n launches that wait, as those of a parent's threads do, or for as many as --pending says.
inline void allowLaunches(const Options &o, long n) {
#ifndef NO_DP
	CUDA(cudaDeviceSetLimit(cudaLimitDevRuntimePendingLaunchCount, o.pending > 0 ? o.pending : std::max(2048L, n)));
#else
	(void)o;
	(void)n;
#endif
}

// A Buffer is an array in device memory.
template <typename T> struct Buffer {
	T *data = nullptr;
	size_t count;

	explicit Buffer(size_t n) : count(n) { CUDA(cudaMalloc((void **)&data, std::max<size_t>(1, n) * sizeof(T))); }
	explicit Buffer(const std::vector<T> &v) : Buffer(v.size()) { put(v); }
	Buffer(const Buffer &) = delete;
	~Buffer() { cudaFree(data); }

	void put(const std::vector<T> &v) { CUDA(cudaMemcpy(data, v.data(), v.size() * sizeof(T), cudaMemcpyHostToDevice)); }
	void set(int byte) { CUDA(cudaMemsetAsync(data, byte, count * sizeof(T))); }
	std::vector<T> get() const {
		std::vector<T> v(count);
		CUDA(cudaMemcpy(v.data(), data, count * sizeof(T), cudaMemcpyDeviceToHost));
		return v;
	}
	T first() const {
		T v;
		CUDA(cudaMemcpy(&v, data, sizeof v, cudaMemcpyDeviceToHost));
		return v;
	}
};

// BATCH is how many rounds the host launches before it looks whether there is more to do: a
// round of a search that has ended changes nothing, and costs less than a look.
#define BATCH 4

inline int blocksFor(long n, int threads) { return (int)((n + threads - 1) / threads); }

// residentBlocks returns how many blocks of a cooperative launch run at once, but at most
// what n threads need.
template <typename Kernel> int residentBlocks(Kernel kernel, int threads, long n) {
	int device, processors, each;
	CUDA(cudaGetDevice(&device));
	CUDA(cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device));
	CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, kernel, threads, 0));
	return std::max(1, std::min(processors * each, blocksFor(n, threads)));
}

// Random gives the numbers of splitmix64.
struct Random {
	uint64_t state;

	explicit Random(uint64_t seed) : state(seed) {}
	uint64_t next() {
		uint64_t z = state += 0x9e3779b97f4a7c15;
		z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
		z = (z ^ z >> 27) * 0x94d049bb133111eb;
		return z ^ z >> 31;
	}
	int below(int n) { return (int)(next() % (uint64_t)n); }
	float uniform() { return (float)(next() >> 40) / (1 << 24); } // in [0, 1)
};

// A Graph has the arcs of its nodes in rows; an undirected edge is two arcs.
struct Graph {
	int nodes = 0;
	std::vector<int> row, col, weight;

	int arcs() const { return (int)col.size(); }
	int degree(int v) const { return row[v + 1] - row[v]; }
	int widest() const {
		int v = 0;
		for (int i = 1; i < nodes; i++) {
			if (degree(i) > degree(v)) v = i;
		}
		return v;
	}
};

struct Arc {
	int from, to, weight;
};

inline Graph makeGraph(int nodes, const std::vector<Arc> &arcs) {
	Graph g;
	g.nodes = nodes;
	g.row.assign(nodes + 1, 0);
	g.col.resize(arcs.size());
	g.weight.resize(arcs.size());
	for (const Arc &a : arcs) g.row[a.from + 1]++;
	for (int v = 0; v < nodes; v++) g.row[v + 1] += g.row[v];
	std::vector<int> at(g.row.begin(), g.row.end() - 1);
	for (const Arc &a : arcs) {
		int i = at[a.from]++;
		g.col[i] = a.to;
		g.weight[i] = a.weight;
	}
	return g;
}

// symmetric returns the graph with both arcs of each edge, without loops and duplicates.
inline Graph symmetric(int nodes, std::vector<Arc> arcs) {
	size_t n = arcs.size();
	for (size_t i = 0; i < n; i++) arcs.push_back({arcs[i].to, arcs[i].from, arcs[i].weight});
	std::sort(arcs.begin(), arcs.end(), [](const Arc &a, const Arc &b) {
		return a.from != b.from ? a.from < b.from : a.to != b.to ? a.to < b.to : a.weight < b.weight;
	});
	std::vector<Arc> kept;
	for (const Arc &a : arcs) {
		bool again = !kept.empty() && kept.back().from == a.from && kept.back().to == a.to;
		if (a.from != a.to && !again) kept.push_back(a);
	}
	return makeGraph(nodes, kept);
}

// uniformGraph returns a graph whose arcs have random ends; each node has degree arcs.
inline Graph uniformGraph(int nodes, int degree, unsigned long seed) {
	Random random(seed);
	std::vector<Arc> arcs;
	arcs.reserve((size_t)nodes * degree);
	for (int v = 0; v < nodes; v++) {
		for (int i = 0; i < degree; i++) arcs.push_back({v, random.below(nodes), 1 + random.below(100)});
	}
	return makeGraph(nodes, arcs);
}

// rmatGraph returns an undirected graph of 2^scale nodes and up to edges edges.
inline Graph rmatGraph(int scale, int edges, unsigned long seed) {
	Random random(seed);
	std::vector<Arc> arcs;
	for (int e = 0; e < edges; e++) {
		int u = 0, v = 0;
		for (int bit = 0; bit < scale; bit++) {
			float p = random.uniform();
			u = 2 * u + (p >= 0.76f);
			v = 2 * v + ((p >= 0.57f && p < 0.76f) || p >= 0.95f);
		}
		arcs.push_back({u, v, 1 + random.below(100)});
	}
	return symmetric(1 << scale, arcs);
}

inline bool hasSuffix(const std::string &s, const char *suffix) {
	size_t n = strlen(suffix);
	return s.size() >= n && s.compare(s.size() - n, n, suffix) == 0;
}

inline FILE *openInput(const std::string &path, const char *mode) {
	FILE *f = fopen(path.c_str(), mode);
	if (f == nullptr) fail("%s: cannot be opened", path.c_str());
	return f;
}

// readGalois reads a binary graph of Galois, version 1, with weights of 4 bytes.
inline Graph readGalois(const std::string &path) {
	FILE *f = openInput(path, "rb");
	uint64_t head[4];
	if (fread(head, sizeof head, 1, f) != 1 || head[0] != 1 || head[1] != 4) fail("%s: want Galois' format of version 1 with weights of 4 bytes", path.c_str());
	size_t nodes = head[2], arcs = head[3];
	if (nodes >= 1u << 31 || arcs >= 1u << 31) fail("%s: the graph is too large", path.c_str());
	Graph g;
	g.nodes = (int)nodes;
	std::vector<uint64_t> ends(nodes);
	g.col.resize(arcs + arcs % 2);
	g.weight.resize(arcs);
	if (fread(ends.data(), 8, nodes, f) != nodes || fread(g.col.data(), 4, g.col.size(), f) != g.col.size() || fread(g.weight.data(), 4, arcs, f) != arcs) fail("%s: the file is cut off", path.c_str());
	fclose(f);
	g.col.resize(arcs);
	g.row.assign(1, 0);
	for (uint64_t end : ends) {
		if (end > arcs || (int)end < g.row.back()) fail("%s: the rows are not in order", path.c_str());
		g.row.push_back((int)end);
	}
	for (int to : g.col) {
		if (to < 0 || to >= g.nodes) fail("%s: there is no node %d", path.c_str(), to);
	}
	return g;
}

// readText reads a graph from lines "u v" or "u v w", from 0, or from a Matrix Market file,
// whose nodes count from 1 and whose values are no weights.
inline Graph readText(const std::string &path) {
	FILE *f = openInput(path, "r");
	bool market = hasSuffix(path, ".mtx"), undirected = false;
	int nodes = 0, lines = 0;
	std::vector<Arc> arcs;
	char line[256];
	while (fgets(line, sizeof line, f)) {
		if (line[0] == '%' || line[0] == '#') {
			if (market && strstr(line, "symmetric")) undirected = true;
			continue;
		}
		if (market && nodes == 0) {
			if (sscanf(line, "%d", &nodes) != 1 || nodes < 1) fail("%s: want the matrix's size, not %s", path.c_str(), line);
			continue;
		}
		Arc a{0, 0, 0};
		int n = sscanf(line, "%d %d %d", &a.from, &a.to, &a.weight);
		if (market) a.from--, a.to--;
		if (n < 2 || a.from < 0 || a.to < 0 || (market && std::max(a.from, a.to) >= nodes)) fail("%s: want an edge, not %s", path.c_str(), line);
		if (market || n < 3) a.weight = 1 + ++lines % 100;
		if (!market) nodes = std::max(nodes, std::max(a.from, a.to) + 1);
		arcs.push_back(a);
	}
	fclose(f);
	return undirected ? symmetric(nodes, arcs) : makeGraph(nodes, arcs);
}

inline Graph readGraph(const std::string &path) { return hasSuffix(path, ".gr") ? readGalois(path) : readText(path); }

// mirrored returns the graph as an undirected one.
inline Graph mirrored(const Graph &g) {
	std::vector<Arc> arcs;
	for (int v = 0; v < g.nodes; v++) {
		for (int i = g.row[v]; i < g.row[v + 1]; i++) arcs.push_back({v, g.col[i], g.weight[i]});
	}
	return symmetric(g.nodes, arcs);
}
