package klaptest

import (
	"os"
	"regexp"
	"runtime/debug"
	"strings"
	"testing"

	"irgl/internal/klap"
)

// A fault is a mistake that a transformation might make: what is put in the place of text of transformed
// programs, and the seed of a program that shows it.
type fault struct {
	name     string
	options  string // of transformations, as in a variant's name
	old, new string // a regular expression, and what takes its place
	seed     uint64
}

var faults = []fault{
	// The scan.
	{"a scan left out", "warp", `\t\t\ts\.before \+= sum;`, ``, 0},
	{"an inclusive scan", "block", `s\.before -= mine;`, ``, 0},
	{"an inclusive scan of equal launches", "warp", `\(1u << lane\) - 1\)\) \* first`, `(2u << lane) - 1)) * first`, 0},
	{"different launches taken for equal ones", "warp", `__all_sync\(mask, mine == 0 \|\| mine == first\)`, `__all_sync(mask, 1)`, 0},
	{"a launch of several taken for one", "warp", `first >> 40 == 1`, `1`, 52},
	{"the sums of other warps left out", "block", `s\.before \+= sums\[thread / 32\];`, ``, 1},
	{"warps with different launches taken for equal ones", "block", `same \? first : 0`, `first`, 21},
	{"the largest block lost in a warp", "warp", `v = max\(v, __shfl_sync\(mask, v, min\(lane \+ d, last\)\)\);`, ``, 0},
	{"the largest block lost in a block", "block", `v = max\(v, most\[i\]\);`, ``, 0},
	{"the largest shared memory lost", "warp", `(s\d+)\.shared = __klap_warp_max`, `$1.shared = 0 * __klap_warp_max`, 6},
	{"a scan whose barrier is missing", "block", `__syncthreads\(\);\n\ts\.before \+= sums`, "s.before += sums", 0},
	// The search.
	{"a parent wrong by one", "block", `return lo \+ last;`, `return lo + last > 0 ? lo + last - 1 : 0;`, 0},
	{"a start that is taken for a block in front of it", "block", `start <= b\)`, `start < b)`, 0},
	{"a block of the grid in place of one of the launch", "block", `\*block = b - __shfl_sync\(mask, start, last\);`, ``, 0},
	{"a block of the grid in place of one of equal launches", "block", `\*block -= i \* l\.each;`, ``, 0},
	{"a launch that other warps read too early", "block", `__syncthreads\(\);\n\t__klap_block = __klap_found;`, "__klap_block = __klap_found;", 0},
	// The pool.
	{"arguments without alignment", "block", `\+ \(\(s\.total >> 40\) \* 4 \+ 15\) / 16 \* 16 \+ i \* size`, `+ (s.total >> 40) * 4 + i * size`, 0},
	{"a chunk that is given back too early", "warp", `list->left = s\.total >> 40;`, `list->left = 1;`, 6},
	{"a launch that is given back with its first block", "block", `!= blocks\) \{\n\t\t\treturn 0;`, "!= blocks) {", 5},
	{"a chunk that is not given back", "block", `if \(__klap_read\(list, item, blocks\)\)`, `if (__klap_read(list, item, blocks) && 0)`, 0},
	{"an exhausted pool that is used", "block pool", `at \+ bytes <= 1024`, `at <= 1024`, 0},
	{"memory of a refused chunk handed out twice", "warp pool", `__klap_give\(holders << 36\);`, `__klap_give(holders << 36 | bytes);`, 55},
	{"launches lost with an exhausted pool", "block pool", `!chunk \|\| alone`, `alone`, 1},
	// The end of a kernel.
	{"a lost flag", "block", `(_\d+)\.pred = 0;`, `$1.pred = 0; if (threadIdx.x == 3u) goto __klap_end;`, 2},
	{"a flag that is not reset", "block", `__klap_(\d+)\.pred = 0;`, ``, 8},
	{"the last block not run", "warp", `<<<\(unsigned int\)\((\w+)\.total & 0xffffffffffull\)`, `<<<(unsigned int)($1.total & 0xffffffffffull) - 1`, 0},
	{"launches of failing ones lost", "block", `__klap_alone_(\w+)\((\w+), `, `if ($2->pred == 1) __klap_alone_$1($2, `, 23},
	{"launches of a stream without order", "block", `(_agg<<<[^>]*), \(cudaStream_t\)1>>>`, `$1, (cudaStream_t)4>>>`, 1},
	{"a chain that loses launches", "warp", `chain->last->next = node;`, ``, 0},
	{"a chain that is not reset", "block pool", `chain->first = 0;\n\tchain->n`, "chain->n", 0},
	// The aggregated kernel.
	{"an argument taken for uniform", "warp", `(const void \*__klap_item = )([^;]*);`, `$1($2, __klap_launch.items);`, 0},
	{"threads that do not leave", "block", `if \(threadIdx\.x >= __klap_live[^{]*\{\n\t*return;\n\t*\}`, ``, 0},
	{"a block of another size", "block", `__klap_at\.blockDim\.x = [^;]*;`, `__klap_at.blockDim.x = blockDim.x;`, 0},
	// Groups of blocks.
	{"a segment's start with its blocks", "grid", `g->starts\[i\] = old`, `g->starts[i] = (old + blocks)`, 0},
	{"the last but one block launches", "grid", `g->size - 1;`, `g->size > 1 ? g->size - 2 : 0;`, 0},
	{"arrival without a fence", "multiblock:2", `__klap_fence\(\);\n\tif \(atomicAdd\(&g->arrived, 1u\)`, "if (atomicAdd(&g->arrived, 1u)", 0},
	{"holders that are not counted", "grid", `\(state >> 40\) \+ 1`, `(state >> 40)`, 0},
	{"holders of one list that are not counted", "grid", `holders = 2;`, `holders = 1;`, 0},
	// Thresholding and coarsening.
	{"a thread that is left out", "threshold", `__klap_at\.threadIdx\.x < __klap_block_dim`, `__klap_at.threadIdx.x + 1 < __klap_block_dim`, 0},
	{"an order that is lost", "threshold", `__klap_busy\d+ = 1;`, ``, 20},
	{"the rest of blocks left out", "coarsen", `blocks / n \+ \(blocks % n != 0\)`, `blocks / n`, 0},
	{"blocks left out", "coarsen", `__klap_x \+= gridDim\.x`, `__klap_x += gridDim.x + 1`, 0},
	// Launches that warps do.
	{"launches of other lanes lost", "frontier block", `all = __shfl_sync\(mask, end, lanes - 1\)`, `all = __shfl_sync(mask, end, 0)`, 12},
	{"the threads of another lane's launch", "frontier warp", `item - __shfl_sync\(mask, start, from\)`, `item - start`, 0},
	{"an owner wrong by one", "frontier warp", `to <= item \?`, `to < item ?`, 0},
	{"ends without the lanes in front", "frontier warp", `n \+= lane >= d \? before : 0;`, ``, 0},
	{"arguments of another lane", "frontier grid", `__shfl_sync\(mask, (\([\w ]*\))?k->a2, from\)`, `${1}k->a2`, 1},
	{"threads of a child left out", "frontier block", `base \+= lanes`, `base += lanes + 1`, 1},
	{"a child that its warp does before it meets", "frontier warp", `__syncwarp\(mask\);\n\tfor \(unsigned int base`, "for (unsigned int base", 0},
	{"threads that a child has, left out", "frontier warp", `__klap_asked\(grid\.x, block\.x\)`, `__klap_asked(grid.x, 1)`, 3},
	{"a child that is done and launched", "frontier block", `if \(!__syncthreads_or\(many\)\) \{([^}]*)return;`, `if (!__syncthreads_or(many)) {$1`, 1},
	// Flattened launches.
	{"the lane of a launch in front", "flat block", `<= own \? d : 0`, `< own ? d : 0`, 0},
	{"a thread of the first launch in another", "flat warp", `further \? own - start : in \+ lane`, `in + lane`, 0},
	{"a pad that does something", "flat block", `if \(__klap_i < __klap_n\)`, `if (1)`, 7},
	{"a last warp that is not full, left out", "flat grid", `\(threads \+ 31\) / 32 - threads`, `threads / 32 - threads`, 0},
	{"a list that blocks count in", "flat block pool", `list->left = s\.total & 0xffffffffu;`, `list->left = ((s.total & 0xffffffffu) + 7) / 8;`, 0},
	{"warps of a launch that count as one", "flat grid", `0u - warps\) != warps`, `0u - 1u) != 1`, 0},
	{"a warp that gives back what its lanes read", "flat block pool", `__syncwarp\(0xffffffffu\);\n(\t*if \(\(threadIdx)`, `$1`, 17},
	{"an empty launch in a list", "flat warp", `__klap_max\(__klap_min\(n, __klap_asked\(grid\.x, block\.x\)\), 1u\)`, `__klap_min(n, __klap_asked(grid.x, block.x))`, 84},
	{"threads of a launch that are not the last of equal ones", "flat warp", `min\(own / l\.each, l\.n - 1\)`, `own / l.each`, 1},
	{"blocks of another size in a flattened kernel", "flat block", `__klap_i / \d+`, `__klap_i / 16`, 0},
	// Launches that a grid leaves to the kernel behind it.
	{"warps that no block has", "flat grid host", `__klap_turn \+= gridDim\.x \*`, `__klap_turn += (gridDim.x + 1) *`, 0},
	{"launches that are left and launched", "flat grid host", `(\} )else( \{\s*if \(g0\) \{\s*leaf)`, `$1$2`, 0},
	{"lists that are given back too early", "flat grid host", `== gridDim\.x - 1\)`, `== 0)`, 0},
	{"a record that is not written", "flat grid host", `left->blocks0 = g0->blocks;`, ``, 0},
	{"rounds without a barrier", "coarsen", `if \(__klap_x \+ gridDim\.x < __klap_nx\) \{\n\t*__syncthreads\(\);`, "if (0) {\n__syncthreads();", 4},
}

// variant returns the variant of a fault.
func (f fault) variant(t *testing.T) Variant {
	t.Helper()
	v := Variant{f.options, klap.Options{Pool: 1 << 17, PerThread: true}}
	for word := range strings.FieldsSeq(f.options) {
		switch word {
		case "pool":
			v.Options.Pool = 1 << 10
		case "frontier":
			v.Options.Threshold = klap.Auto
		case "flat":
		case "host":
			v.Options.HostLaunch = true
		case "threshold":
			v.Options.Threshold = 70
		case "coarsen":
			v.Options.Coarsen = 2
		default:
			if err := v.Options.SetGranularity(word); err != nil {
				t.Fatal(err)
			}
		}
	}
	return v
}

// show returns what the program of a seed finds with the fault; nil if it does not show it.
func (f fault) show(t *testing.T, seed uint64) *Finding {
	t.Helper()
	p := Generate(seed)
	if strings.HasPrefix(f.options, "frontier") || strings.HasPrefix(f.options, "flat") {
		p = GenerateFrontier(seed)
	}
	want, err := p.Plain(0)
	if err != nil {
		t.Fatal(err)
	}
	old, changed := regexp.MustCompile(f.old), false
	found, _, _ := checkWith(p, want, f.variant(t), true, func(text string) string {
		out := old.ReplaceAllString(text, f.new)
		changed = out != text
		return out
	}, 0, 1, 2)
	if !changed {
		return nil
	}
	return found
}

// TestFaults has each fault be found by the program of its seed, and not as something that does not compile.
// IRGL_KLAPTEST_SEARCH=1 looks for other seeds of those that are not.
func TestFaults(t *testing.T) {
	defer debug.SetGCPercent(debug.SetGCPercent(800))
	search := os.Getenv("IRGL_KLAPTEST_SEARCH") != ""
	for i, f := range faults {
		if testing.Short() && i%20 != 3 {
			continue
		}
		t.Run(f.name, func(t *testing.T) {
			found := f.show(t, f.seed)
			if search && (found == nil || found.Kind == "does not compile") {
				for f.seed = 0; f.seed < 60; f.seed++ {
					if found = f.show(t, f.seed); found != nil && found.Kind != "does not compile" {
						break
					}
				}
			}
			switch {
			case found == nil:
				t.Errorf("%s (%s): seed %d does not show it", f.name, f.options, f.seed)
			case found.Kind == "does not compile":
				t.Errorf("%s: %v", f.name, found)
			default:
				t.Logf("%s: %v", f.name, found)
			}
		})
	}
}
