// Survey propagation for random satisfiability: surveys are computed until they do not change,
// the variables with the strongest bias are fixed, and so on. To fix variables, the threads of
// the parent go over the list of them in a loop, and launch a child for each variable with a
// thread for each clause.
#include "common.cuh"

#define PARENT 384
#define CHILD 64
#define LITERALS 8      // of a clause, at most
#define BINS 1024       // of biases
#define EPSILON 0.01f   // a smaller change of a survey is none
#define ROUNDS 200      // of propagation, at most
#define INDIFFERENT 0.01f // biases below which nothing is fixed

// A Formula is a factor graph in device memory: an edge for each literal, in the order of
// clauses, and the edges of each variable.
struct Formula {
	int variables, clauses;
	const int *row, *variable, *clause, *sign; // of a clause: its edges; of an edge: its ends, and 1 or -1
	const int *varRow, *varEdge;               // of a variable: its edges
	float *survey;                             // of an edge
	float2 *product;                           // of a variable: of 1 - survey, over positive and negative literals without zeros
	int2 *zeros;                               // the number of zeros left out
	float *bias;                               // of a variable, negative for one that is fixed
	int *preferred, *value;                    // 1 or -1; 0 for one that is not fixed
	int *satisfied;                            // of a clause
	int *list, *length;                        // of variables to fix
	int *moving;                               // a survey has changed
};

// sp_products multiplies what the clauses tell each variable.
__global__ void sp_products(Formula f) {
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v < f.variables && f.value[v] == 0) {
		float2 product = make_float2(1, 1);
		int2 zeros = make_int2(0, 0);
		for (int i = f.varRow[v]; i < f.varRow[v + 1]; i++) {
			int e = f.varEdge[i];
			if (!f.satisfied[f.clause[e]]) {
				float factor = 1 - f.survey[e];
				bool zero = factor < 1e-10f;
				if (f.sign[e] > 0) {
					product.x *= zero ? 1 : factor;
					zeros.x += zero;
				} else {
					product.y *= zero ? 1 : factor;
					zeros.y += zero;
				}
			}
		}
		f.product[v] = product;
		f.zeros[v] = zeros;
	}
}

// sp_warning returns the probability that the variable of an edge cannot satisfy its clause,
// by what the other clauses tell it.
__device__ __forceinline__ float sp_warning(Formula f, int e) {
	float2 product = f.product[f.variable[e]];
	int2 zeros = f.zeros[f.variable[e]];
	bool positive = f.sign[e] > 0;
	float factor = 1 - f.survey[e];
	float same = positive ? product.x : product.y;
	int sameZeros = positive ? zeros.x : zeros.y;
	float other = (positive ? zeros.y : zeros.x) > 0 ? 0 : positive ? product.y : product.x;
	if (factor < 1e-10f) sameZeros--;
	else same /= factor;
	if (sameZeros > 0) same = 0;
	float against = (1 - other) * same;
	float sum = against + (1 - same) * other + same * other;
	return sum > 0 ? against / sum : 0;
}

__global__ void sp_surveys(Formula f) {
	int c = blockIdx.x * blockDim.x + threadIdx.x;
	if (c < f.clauses && !f.satisfied[c]) {
		float warning[LITERALS];
		int start = f.row[c];
		int size = f.row[c + 1] - start;
		bool moved = false;
		for (int k = 0; k < size; k++) warning[k] = f.value[f.variable[start + k]] == 0 ? sp_warning(f, start + k) : 1;
		for (int k = 0; k < size; k++) {
			if (f.value[f.variable[start + k]] == 0) {
				float survey = 1;
				for (int j = 0; j < size; j++) {
					if (j != k) survey *= warning[j];
				}
				if (fabsf(survey - f.survey[start + k]) > EPSILON) moved = true;
				f.survey[start + k] = survey;
			}
		}
		if (moved) *(volatile int *)f.moving = 1;
	}
}

__global__ void sp_biases(Formula f) {
	int v = blockIdx.x * blockDim.x + threadIdx.x;
	if (v < f.variables) {
		float bias = -1;
		if (f.value[v] == 0) {
			float positive = f.zeros[v].x > 0 ? 0 : f.product[v].x;
			float negative = f.zeros[v].y > 0 ? 0 : f.product[v].y;
			float up = (1 - positive) * negative;
			float down = (1 - negative) * positive;
			float sum = up + down + positive * negative;
			bias = sum > 0 ? fabsf(up - down) / sum : 0;
			f.preferred[v] = up > down ? 1 : -1;
		}
		f.bias[v] = bias;
	}
}

// sp_select lists the variables with the strongest biases, at least count of them if there are
// so many that are not indifferent. One block of BINS threads does it.
__global__ void __launch_bounds__(BINS) sp_select(Formula f, int count) {
	__shared__ int bins[BINS];
	__shared__ int least, length;
	bins[threadIdx.x] = 0;
	if (threadIdx.x == 0) length = 0;
	__syncthreads();
	for (int v = threadIdx.x; v < f.variables; v += BINS) {
		if (f.bias[v] > INDIFFERENT) atomicAdd(&bins[(int)(f.bias[v] * (BINS - 1))], 1);
	}
	__syncthreads();
	if (threadIdx.x == 0) {
		int sum = 0;
		least = BINS;
		while (least > 0 && sum < count) sum += bins[--least];
	}
	__syncthreads();
	for (int v = threadIdx.x; v < f.variables; v += BINS) {
		if (f.bias[v] > INDIFFERENT && (int)(f.bias[v] * (BINS - 1)) >= least) f.list[atomicAdd(&length, 1)] = v;
	}
	__syncthreads();
	if (threadIdx.x == 0) *f.length = length;
}

#ifndef NO_DP

// Children set satisfied only, and all to the same value.
__global__ void sp_child(const int *varEdge, const int *clause, const int *sign, volatile int *satisfied, int value, int start, int degree) {
	int i = blockIdx.x * blockDim.x + threadIdx.x;
	if (i < degree) {
		int e = varEdge[start + i];
		if (sign[e] == value) satisfied[clause[e]] = 1;
	}
}

__global__ void sp_fix(Formula f) {
	int id = blockIdx.x * blockDim.x + threadIdx.x;
	int threads = gridDim.x * blockDim.x;
	int length = *f.length;
	for (int base = 0; base < length; base += threads) {
		if (base + id < length) {
			int v = f.list[base + id];
			int start = f.varRow[v];
			int degree = f.varRow[v + 1] - start;
			f.value[v] = f.preferred[v];
			if (degree > 0) {
				LAUNCH(sp_child, (degree + CHILD - 1) / CHILD, CHILD, f.varEdge, f.clause, f.sign, f.satisfied, f.preferred[v], start, degree);
			}
		}
	}
}

#else

// A warp fixes a variable.
__global__ void sp_fix(Formula f) {
	int warps = gridDim.x * blockDim.x / 32;
	int length = *f.length;
	for (int l = (blockIdx.x * blockDim.x + threadIdx.x) / 32; l < length; l += warps) {
		int v = f.list[l];
		int value = f.preferred[v];
		if (threadIdx.x % 32 == 0) f.value[v] = value;
		for (int i = f.varRow[v] + threadIdx.x % 32; i < f.varRow[v + 1]; i += 32) {
			int e = f.varEdge[i];
			if (f.sign[e] == value) ((volatile int *)f.satisfied)[f.clause[e]] = 1;
		}
	}
}

#endif

// Clauses are the literals of a formula: v + 1 or its negative.
struct Clauses {
	int variables = 0;
	std::vector<std::vector<int>> list;
};

static Clauses randomClauses(int variables, int clauses, unsigned long seed) {
	Random random(seed);
	Clauses f;
	f.variables = variables;
	for (int c = 0; c < clauses; c++) {
		std::vector<int> literals;
		while (literals.size() < 3) {
			int v = random.below(variables) + 1;
			bool again = false;
			for (int l : literals) again = again || std::abs(l) == v;
			if (!again) literals.push_back(random.below(2) ? v : -v);
		}
		f.list.push_back(literals);
	}
	return f;
}

// addClause adds a clause without repetitions. One with a literal and its opposite is satisfied by any values, and is left out:
// surveys are of clauses whose variables differ.
static void addClause(Clauses &f, const std::vector<int> &literals) {
	std::vector<int> kept;
	for (int l : literals) {
		if (std::find(literals.begin(), literals.end(), -l) != literals.end()) return;
		if (std::find(kept.begin(), kept.end(), l) == kept.end()) kept.push_back(l);
	}
	f.list.push_back(kept);
}

// readClauses reads a file of DIMACS' format cnf.
static Clauses readClauses(const std::string &path) {
	FILE *file = openInput(path, "r");
	Clauses f;
	int c, clauses = 0, literal;
	while ((c = getc(file)) == 'c') {
		while ((c = getc(file)) != '\n' && c != EOF) {
		}
	}
	ungetc(c, file);
	if (fscanf(file, "p cnf %d %d", &f.variables, &clauses) != 2 || f.variables < 1 || clauses < 1) fail("%s: want p cnf VARIABLES CLAUSES", path.c_str());
	std::vector<int> literals;
	for (int n = 1; n <= clauses;) {
		if (fscanf(file, "%d", &literal) != 1) fail("%s: clause %d is cut off", path.c_str(), n);
		if (std::abs(literal) > f.variables || literals.size() > LITERALS) fail("%s: clause %d has a wrong literal, or more than %d", path.c_str(), n, LITERALS);
		if (literal == 0) {
			addClause(f, literals);
			literals.clear();
			n++;
		} else {
			literals.push_back(literal);
		}
	}
	fclose(file);
	return f;
}

// factorOf returns the product of 1 - survey over the literals of v with the sign, but for
// those of clause c.
static double factorOf(const Clauses &f, const std::vector<std::vector<std::pair<int, double>>> &told, int c, int v, int sign) {
	double product = 1;
	for (const auto &[clause, survey] : told[v]) {
		bool same = false;
		for (int l : f.list[clause]) same = same || l == sign * (v + 1);
		if (clause != c && same) product *= 1 - survey;
	}
	return product;
}

// surveysAfter returns the surveys of the next round, by the equations as they are written.
static std::vector<double> surveysAfter(const Clauses &f, const std::vector<double> &survey) {
	std::vector<std::vector<std::pair<int, double>>> told(f.variables); // of a variable: clauses, and their surveys
	std::vector<double> after;
	size_t e = 0;
	for (size_t c = 0; c < f.list.size(); c++) {
		for (int l : f.list[c]) told[std::abs(l) - 1].push_back({(int)c, survey[e++]});
	}
	for (size_t c = 0; c < f.list.size(); c++) {
		for (int l : f.list[c]) {
			double product = 1;
			for (int k : f.list[c]) {
				if (k == l) continue;
				int v = std::abs(k) - 1, sign = k > 0 ? 1 : -1;
				double same = factorOf(f, told, (int)c, v, sign), other = factorOf(f, told, (int)c, v, -sign);
				double against = (1 - other) * same, sum = against + (1 - same) * other + same * other;
				product *= sum > 0 ? against / sum : 0;
			}
			after.push_back(product);
		}
	}
	return after;
}

// fixedFault says what is wrong with the clauses that fixed variables satisfy.
static std::string fixedFault(const Clauses &f, const std::vector<int> &value, const std::vector<int> &satisfied) {
	int wrong = 0, fixed = 0;
	for (int v : value) fixed += v != 0;
	for (size_t c = 0; c < f.list.size(); c++) {
		int want = 0, free = 0;
		for (int l : f.list[c]) {
			want |= value[std::abs(l) - 1] == (l > 0 ? 1 : -1);
			free += value[std::abs(l) - 1] == 0;
		}
		if (satisfied[c] != want) return text("satisfied of clause %zu is %d, want %d", c, satisfied[c], want);
		wrong += !want && free == 0;
	}
	printf("fixed: %d of %d, contradictions: %d\n", fixed, f.variables, wrong);
	return wrong * 100 > (int)f.list.size() ? text("%d clauses are contradicted", wrong) : "";
}

// A Solver has a formula in device memory.
struct Solver {
	const Clauses &clauses;
	std::vector<int> row{0}, variable, clause, sign, varRow, varEdge;
	std::vector<float> surveys;
	Formula f;
	long launches = 0; // by the host, in solve

	template <typename T> static T *give(const std::vector<T> &v) { return (new Buffer<T>(v))->data; } // until the process ends

	Solver(const Clauses &from, unsigned long seed) : clauses(from), varRow(from.variables + 1) {
		Random random(seed + 1);
		for (size_t c = 0; c < clauses.list.size(); c++) {
			for (int l : clauses.list[c]) {
				variable.push_back(std::abs(l) - 1);
				clause.push_back((int)c);
				sign.push_back(l > 0 ? 1 : -1);
				surveys.push_back(random.uniform());
				varRow[std::abs(l)]++;
			}
			row.push_back((int)variable.size());
		}
		for (int v = 0; v < clauses.variables; v++) varRow[v + 1] += varRow[v];
		std::vector<int> at = varRow;
		varEdge.resize(variable.size());
		for (size_t e = 0; e < variable.size(); e++) varEdge[at[variable[e]]++] = (int)e;
		std::vector<int> none(clauses.variables), one(1);
		f = {clauses.variables, (int)clauses.list.size(), give(row), give(variable), give(clause), give(sign), give(varRow), give(varEdge),
			give(surveys), give(std::vector<float2>(clauses.variables)), give(std::vector<int2>(clauses.variables)), give(std::vector<float>(clauses.variables)),
			give(none), give(none), give(std::vector<int>(clauses.list.size())), give(none), give(one), give(one)};
	}

	void reset() {
		CUDA(cudaMemcpy(f.survey, surveys.data(), surveys.size() * sizeof(float), cudaMemcpyHostToDevice));
		CUDA(cudaMemset(f.value, 0, f.variables * sizeof(int)));
		CUDA(cudaMemset(f.satisfied, 0, f.clauses * sizeof(int)));
	}

	// propagate computes surveys until they do not change.
	void propagate(int rounds = ROUNDS) {
		for (int round = 1; round <= rounds; round++) {
			bool look = round % 4 == 0;
			if (look) CUDA(cudaMemsetAsync(f.moving, 0, sizeof(int)));
			sp_products<<<blocksFor(f.variables, 256), 256>>>(f);
			sp_surveys<<<blocksFor(f.clauses, 256), 256>>>(f);
			launches += 2;
			int moving = 1;
			if (look) CUDA(cudaMemcpy(&moving, f.moving, sizeof moving, cudaMemcpyDeviceToHost));
			if (!moving) return;
		}
	}

	// solve fixes variables until the rest is indifferent, and returns the number of steps.
	int solve() {
		launches = 0;
		for (int steps = 1;; steps++) {
			propagate();
			int length = 0;
			sp_biases<<<blocksFor(f.variables, 256), 256>>>(f);
			sp_select<<<1, BINS>>>(f, std::max(1, f.variables / 100));
			ROUND(sp_fix<<<2, PARENT>>>(f));
			launches += 3;
			CUDA(cudaMemcpy(&length, f.length, sizeof length, cudaMemcpyDeviceToHost));
			if (length == 0) return steps;
		}
	}
};

int main(int argc, char **argv) {
	Options o = parse(argc, argv);
	int variables = o.pick(60, 500, 2500, 10000);
	Clauses clauses = o.input.empty() ? randomClauses(variables, o.pick(228, 2000, 10000, 42000), o.seed) : readClauses(o.input);
	Solver s(clauses, o.seed);
	allowLaunches(o, clauses.variables);
	int steps = 0;
	measure(o, [&] { s.reset(); }, [&] { steps = s.solve(); });
	printf("steps: %d\n", steps);
	printLaunches(s.launches, -1);

	std::vector<int> value(s.f.variables), satisfied(s.f.clauses);
	CUDA(cudaMemcpy(value.data(), s.f.value, value.size() * sizeof(int), cudaMemcpyDeviceToHost));
	CUDA(cudaMemcpy(satisfied.data(), s.f.satisfied, satisfied.size() * sizeof(int), cudaMemcpyDeviceToHost));
	std::string fault = fixedFault(clauses, value, satisfied);
	if (!fault.empty()) return verdict(fault);

	const int rounds = 3;
	s.reset();
	s.propagate(rounds);
	std::vector<float> got(s.surveys.size());
	CUDA(cudaMemcpy(got.data(), s.f.survey, got.size() * sizeof(float), cudaMemcpyDeviceToHost));
	std::vector<double> want(s.surveys.begin(), s.surveys.end());
	for (int i = 0; i < rounds; i++) want = surveysAfter(clauses, want);
	for (size_t e = 0; e < got.size(); e++) {
		if (!(std::abs(got[e] - want[e]) < 0.005)) return verdict(text("after %d rounds survey %zu is %g, want %g", rounds, e, got[e], want[e]));
	}
	return verdict("");
}
