package bench

import (
	"context"
	"debug/elf"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"

	"irgl/internal/compile"
	"irgl/internal/cxx"
	"irgl/internal/pass"
	"irgl/internal/source"
	"irgl/internal/ssa/opt"
	"irgl/syntax"
)

// PassNames returns the names of the scalar passes that can be switched off
// separately and are on by default, in the order of their first runs. Later
// runs of a pass share the name of the first.
func PassNames() []string {
	var names []string
	for _, p := range opt.Passes().Passes() {
		if p.Repeats == "" && !p.Off && !p.Required {
			names = append(names, p.Name)
		}
	}
	return names
}

// Without returns the switches for a run without the given passes.
func Without(off ...string) map[string]bool {
	switches := map[string]bool{}
	for _, name := range off {
		switches[name] = false
	}
	return switches
}

// Compile returns the compiler's PTX for target, such as "sm_90", with some
// passes switched off or on, and the counters of those that ran.
//
// Contraction of multiplications and additions is allowed, as by default in
// nvcc, for a fair comparison.
func (s *Spec) Compile(target string, switches map[string]bool, verify bool) (string, pass.Stats, error) {
	u, err := s.compile(target, switches, verify)
	if err != nil {
		return "", pass.Stats{}, err
	}
	return u.PTXText(), u.Report.Stats, nil
}

func (s *Spec) compile(target string, switches map[string]bool, verify bool) (*compile.Unit, error) {
	o := compile.Options{Check: verify, Defines: s.Macros}
	if strings.Contains(s.Text, "\ntemplate <") || strings.Contains(s.Text, "\nusing namespace ") { // the others are C, of which kernels have plain names
		o.CXX = &cxx.Options{}
	}
	o.Opt.Switch = switches
	o.PTX.Target = target
	o.PTX.FuseMulAdd = true
	return compile.Compile(source.NewFile(s.File, []byte(s.Text)), syntax.CUDA, "", o)
}

// A Tools holds the paths of external programs. An empty path disables the
// program.
type Tools struct {
	NVCC  string
	PTXAS string
	// NVCCTexts is a directory of nvcc's PTX of the benchmarks, NAME.ptx, for
	// machines without nvcc.
	NVCCTexts string
	// Self is the command line prefix of `irgl`, whose compile time is compared
	// with nvcc's. It is run with "build FILE --emit=ptx ...".
	Self []string
}

// nvcc returns nvcc's PTX of a benchmark, or "" if the tools do not provide
// it. The cost is zero for precompiled PTX.
func (t *Tools) nvcc(ctx context.Context, dir string, s *Spec, target string) (string, Cost, error) {
	if t.NVCCTexts != "" {
		text, err := os.ReadFile(filepath.Join(t.NVCCTexts, s.Name+".ptx"))
		if err != nil {
			return "", Cost{}, fmt.Errorf("nvcc's PTX: %w", err)
		}
		return string(text), Cost{}, nil
	}
	if t.NVCC == "" {
		return "", Cost{}, nil
	}
	in, out := filepath.Join(dir, s.Name+".cu"), filepath.Join(dir, s.Name+".nvcc.ptx")
	if err := os.WriteFile(in, []byte(s.Text), 0o666); err != nil {
		return "", Cost{}, err
	}
	_, cost, err := run(ctx, dir, append([]string{t.NVCC, "-O3", "-ptx", "-arch=" + target, in, "-o", out}, s.defines()...)...)
	if err != nil {
		return "", cost, err
	}
	text, err := os.ReadFile(out)
	return string(text), cost, err
}

// Usage is the resource usage of the kernels of a benchmark: the maximum of
// each over its launches.
type Usage struct {
	Known     bool
	Registers int // per thread
	Spills    int // bytes of spill stores and loads, by ptxas -v
	Stack     int // bytes of local memory per thread
	Shared    int // static bytes per block
	// Code is the number of machine instructions that ptxas generated, of all
	// kernels and functions, padding included; 0 without ptxas.
	Code int
}

// ptxas assembles a PTX text and returns the reported usage.
func (t *Tools) ptxas(ctx context.Context, dir, text, target string) (Usage, error) {
	if t.PTXAS == "" || text == "" {
		return Usage{}, nil
	}
	path := filepath.Join(dir, "usage.ptx")
	if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
		return Usage{}, err
	}
	cubin := filepath.Join(dir, "usage.cubin")
	out, _, err := run(ctx, dir, t.PTXAS, "-v", "-arch="+target, path, "-o", cubin)
	if err != nil {
		return Usage{}, err
	}
	u, err := parseUsage(out)
	if err == nil {
		u.Code, err = codeSize(cubin)
	}
	return u, err
}

// sassBytes is the size of a machine instruction since Volta.
const sassBytes = 16

// codeSize returns the number of machine instructions in a cubin, an ELF file
// with a .text section for each function.
func codeSize(path string) (int, error) {
	f, err := elf.Open(path)
	if err != nil {
		return 0, fmt.Errorf("output of ptxas: %w", err)
	}
	defer f.Close()
	n := uint64(0)
	for _, s := range f.Sections {
		if strings.HasPrefix(s.Name, ".text.") {
			n += s.Size / sassBytes
		}
	}
	return int(n), nil
}

var (
	stackLine = sync.OnceValue(func() *regexp.Regexp {
		return regexp.MustCompile(`(\d+) bytes stack frame, (\d+) bytes spill stores, (\d+) bytes spill loads`)
	})
	registerLine = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`Used (\d+) registers`) })
	sharedPart   = sync.OnceValue(func() *regexp.Regexp { return regexp.MustCompile(`(\d+) bytes smem`) })
)

// parseUsage reads the report of ptxas -v.
func parseUsage(out string) (Usage, error) {
	var u Usage
	for _, line := range strings.Split(out, "\n") {
		if m := stackLine().FindStringSubmatch(line); m != nil {
			u.Stack = max(u.Stack, atoi(m[1]))
			u.Spills = max(u.Spills, atoi(m[2])+atoi(m[3]))
		}
		if m := registerLine().FindStringSubmatch(line); m != nil {
			u.Known = true
			u.Registers = max(u.Registers, atoi(m[1]))
		}
		if m := sharedPart().FindStringSubmatch(line); m != nil {
			u.Shared = max(u.Shared, atoi(m[1]))
		}
	}
	if !u.Known {
		return u, fmt.Errorf("ptxas -v reports no registers:\n%s", out)
	}
	return u, nil
}

// atoi converts digits matched by a pattern.
func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
