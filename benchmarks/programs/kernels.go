package main

import (
	"bufio"
	"cmp"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"irgl/internal/table"
)

// maxLaunches is how many launches of a kernel keep their times.
const maxLaunches = 1000

// A kernel has the launches of one kernel in one run of a program.
type kernel struct {
	Symbol   string  `json:"symbol"`
	Launches int     `json:"launches"`
	NS       []int64 `json:"ns"` // of the first launches, in the order of their starts
}

// readRecords reads the files that the recorder wrote, one for each process, and returns
// the kernels in the order of their first launches, and how the last process ended: exit, limit or
// signal, or "" if it was killed.
func readRecords(dir string) (kernels []kernel, end string, err error) {
	files, err := filepath.Glob(filepath.Join(dir, "*"))
	if err != nil {
		return nil, "", err
	}
	var all []launch
	for _, f := range files {
		launches, e, err := readRecord(f)
		if err != nil {
			return nil, "", err
		}
		all, end = append(all, launches...), e
	}
	slices.SortStableFunc(all, func(a, b launch) int { return cmp.Compare(a.start, b.start) })
	index := map[string]int{}
	for _, l := range all {
		i, ok := index[l.symbol]
		if !ok {
			i = len(kernels)
			index[l.symbol] = i
			kernels = append(kernels, kernel{Symbol: l.symbol})
		}
		k := &kernels[i]
		k.Launches++
		if len(k.NS) < maxLaunches {
			k.NS = append(k.NS, l.end-l.start)
		}
	}
	return kernels, end, nil
}

// A launch is a line run of a record.
type launch struct {
	symbol     string
	start, end int64 // ns
}

// readRecord reads one file of the recorder. A last line that a kill has cut short is dropped.
func readRecord(file string) (launches []launch, end string, err error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return nil, "", err
	}
	text = text[:strings.LastIndexByte(string(text), '\n')+1]
	symbols := map[string]string{}
	in := bufio.NewScanner(strings.NewReader(string(text)))
	in.Buffer(nil, 1<<20) // symbols of templates are long
	for n := 1; in.Scan(); n++ {
		key, rest, _ := strings.Cut(in.Text(), " ")
		first, more, _ := strings.Cut(rest, " ")
		bad := fmt.Errorf("%s:%d: no line of a record: %s", file, n, in.Text())
		switch key {
		case "name":
			symbols[first] = more
		case "run":
			l := launch{symbol: symbols[first]}
			if m, err := fmt.Sscanf(more, "%d %d", &l.start, &l.end); m != 2 || err != nil || l.symbol == "" || l.end < l.start {
				return nil, "", bad
			}
			launches = append(launches, l)
		case "left_out":
			if _, err := strconv.Atoi(first); err != nil {
				return nil, "", bad
			}
		case "end":
			end = first
		default:
			return nil, "", bad
		}
	}
	return launches, end, in.Err()
}

// kernelName is a kernel's name as its source has it, with namespaces, template arguments and
// parameters. nvcc puts a prefix that depends on the file's path in front of those of static kernels.
func kernelName(symbol string) string {
	if strings.HasPrefix(symbol, "__nv_static") || strings.HasPrefix(symbol, "_INTERNAL") {
		if i := strings.Index(symbol, "_Z"); i >= 0 {
			symbol = symbol[i:]
		}
	}
	return demangle.Filter(symbol)
}

// baseName is the name of a kernel alone.
func baseName(name string) string {
	name = strings.ReplaceAll(name, "(anonymous namespace)", "")
	depth := 0
	var b strings.Builder
	for _, c := range name {
		switch c {
		case '<':
			depth++
		case '>':
			depth--
		case '(':
			if depth == 0 {
				words := strings.FieldsFunc(b.String(), func(r rune) bool { return r == ' ' || r == ':' })
				return words[max(len(words)-1, 0)]
			}
		default:
			if depth == 0 {
				b.WriteRune(c)
			}
		}
	}
	words := strings.FieldsFunc(b.String(), func(r rune) bool { return r == ' ' || r == ':' })
	if len(words) == 0 {
		return name
	}
	return words[len(words)-1]
}

// A pairing is a kernel of both builds.
type pairing struct {
	name     string
	irgl, nv int // indices
}

// pairKernels pairs the kernels of two runs: those with the same demangled name, and of the
// others, whose types have names that compilers choose, such as lambdas, those with
// the same base name, in the order of their first launches. alone are the names that only one of the
// runs has.
func pairKernels(irgl, nvcc []kernel) (pairs []pairing, alone []string) {
	pass := func(key func(string) string, a, b []int) (restA, restB []int) {
		for _, i := range a {
			at := slices.IndexFunc(b, func(j int) bool { return key(nvcc[j].Symbol) == key(irgl[i].Symbol) })
			if at < 0 {
				restA = append(restA, i)
				continue
			}
			pairs = append(pairs, pairing{kernelName(nvcc[b[at]].Symbol), i, b[at]})
			b = slices.Delete(b, at, at+1)
		}
		return restA, b
	}
	a, b := pass(kernelName, indices(irgl), indices(nvcc))
	a, b = pass(func(s string) string { return baseName(kernelName(s)) }, a, b)
	for _, i := range a {
		alone = append(alone, kernelName(irgl[i].Symbol))
	}
	for _, j := range b {
		alone = append(alone, kernelName(nvcc[j].Symbol))
	}
	slices.SortFunc(pairs, func(x, y pairing) int { return x.nv - y.nv })
	return pairs, alone
}

func indices(list []kernel) (out []int) {
	for i := range list {
		out = append(out, i)
	}
	return out
}

// A comparison is the time of a kernel by both compilers.
type comparison struct {
	Program, Kernel string
	IRGL, NVCC      float64 // microseconds a launch: the median over runs of the mean over the launches that all runs have
	Launches        int
	Runs            int // of each
}

func (c comparison) ratio() float64 { return c.IRGL / c.NVCC }

// compareKernels compares the runs of a program: the same kernels in each run of each build. The
// kernels are those of the first runs.
func compareKernels(program string, irgl, nvcc [][]kernel) (out []comparison, alone []string) {
	runs := min(len(irgl), len(nvcc))
	if runs == 0 {
		return nil, nil
	}
	pairs, alone := pairKernels(irgl[0], nvcc[0])
	for _, p := range pairs {
		a := sameKernel(irgl[:runs], irgl[0][p.irgl].Symbol)
		b := sameKernel(nvcc[:runs], nvcc[0][p.nv].Symbol)
		n := math.MaxInt
		for _, k := range slices.Concat(a, b) {
			n = min(n, len(k.NS))
		}
		if len(a) == 0 || len(b) == 0 || n == 0 {
			alone = append(alone, p.name)
			continue
		}
		out = append(out, comparison{program, p.name, medianOfMeans(a, n), medianOfMeans(b, n), n, min(len(a), len(b))})
	}
	return out, alone
}

func sameKernel(runs [][]kernel, symbol string) (out []kernel) {
	for _, r := range runs {
		if i := slices.IndexFunc(r, func(k kernel) bool { return k.Symbol == symbol }); i >= 0 {
			out = append(out, r[i])
		}
	}
	return out
}

// medianOfMeans returns microseconds.
func medianOfMeans(runs []kernel, n int) float64 {
	var means []float64
	for _, k := range runs {
		var sum int64
		for _, ns := range k.NS[:n] {
			sum += ns
		}
		means = append(means, float64(sum)/float64(n)/1000)
	}
	return table.Median(means)
}
