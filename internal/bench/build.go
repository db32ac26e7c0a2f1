package bench

import (
	"bytes"
	"context"
	"debug/elf"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	"irgl/internal/compile"
	"irgl/internal/pass"
	"irgl/internal/source"
	"irgl/internal/ssa/opt"
	"irgl/syntax"
)

// PassNames returns the names of the scalar passes that have a switch of their
// own and are on by default, in the order of their first runs. A pass that
// runs again later goes by the name of its first run.
func PassNames() []string {
	var names []string
	for _, p := range opt.Passes().Passes() {
		if p.Repeats == "" && !p.Off && !p.Required {
			names = append(names, p.Name)
		}
	}
	return names
}

// Without returns the switches of a run with the passes off.
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
// ptxas may fuse a multiplication with an addition, as nvcc lets it: the two
// are compared with the same freedom.
func (s *Spec) Compile(target string, switches map[string]bool, verify bool) (string, pass.Stats, error) {
	o := compile.Options{Check: verify}
	o.Opt.Switch = switches
	o.PTX.Target = target
	o.PTX.FuseMulAdd = true
	u, err := compile.Compile(source.NewFile(s.Name+".cu", []byte(s.Text)), syntax.CUDA, "", o)
	if err != nil {
		return "", pass.Stats{}, err
	}
	return u.PTXText(), u.Report.Stats, nil
}

// A Tools says where programs are that are not part of this one. Those that
// are "" are not used.
type Tools struct {
	NVCC  string
	PTXAS string
	// NVCCTexts is a folder with what nvcc made of the benchmarks elsewhere,
	// NAME.ptx, for machines that have no nvcc.
	NVCCTexts string
	// Self is the command that compiles as `irgl` does: its compile time is
	// compared with nvcc's. It is run with "build FILE --emit=ptx ...".
	Self []string
}

// A Cost is how long a process took.
type Cost struct {
	Wall time.Duration
	CPU  time.Duration // of all its threads and children
}

// run runs a program to its end in folder dir and returns its cost.
func run(ctx context.Context, dir string, args ...string) (string, Cost, error) {
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.WaitDelay = 5 * time.Second // children of a killed nvcc hold its output
	var out bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &out
	start := time.Now()
	err := cmd.Run()
	cost := Cost{Wall: time.Since(start)}
	if cmd.ProcessState != nil {
		cost.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	if err != nil {
		text := strings.TrimSpace(out.String())
		if len(text) > 2000 {
			text = text[:2000] + "..."
		}
		err = errors.Join(fmt.Errorf("%s: %w\n%s", filepath.Base(args[0]), err, text), context.Cause(ctx))
	}
	return out.String(), cost, err
}

// nvcc returns nvcc's PTX of a benchmark, or "" when the tools do not say
// where to get it. The cost is zero for a text that was made elsewhere.
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
	_, cost, err := run(ctx, dir, t.NVCC, "-O3", "-ptx", "-arch="+target, in, "-o", out)
	if err != nil {
		return "", cost, err
	}
	text, err := os.ReadFile(out)
	return string(text), cost, err
}

// compileTimes has nvcc and our own command compile a benchmark count times by
// turns, and returns the medians of their costs.
func (t *Tools) compileTimes(ctx context.Context, dir string, s *Spec, target string, count int) (ours, nvcc Cost, err error) {
	if t.NVCC == "" || len(t.Self) == 0 || count < 1 {
		return Cost{}, Cost{}, nil
	}
	in := filepath.Join(dir, s.Name+".cu")
	if err := os.WriteFile(in, []byte(s.Text), 0o666); err != nil {
		return Cost{}, Cost{}, err
	}
	self := append(slices.Clone(t.Self), "build", in, "--emit=ptx", "--target="+target, "-o", filepath.Join(dir, "self.ptx"))
	theirs := []string{t.NVCC, "-O3", "-ptx", "-arch=" + target, in, "-o", filepath.Join(dir, "nvcc.ptx")}
	var costs [2][]Cost
	for range count {
		for i, args := range [][]string{self, theirs} {
			_, cost, err := run(ctx, dir, args...)
			if err != nil {
				return Cost{}, Cost{}, err
			}
			costs[i] = append(costs[i], cost)
		}
	}
	return medianCost(costs[0]), medianCost(costs[1]), nil
}

func medianCost(costs []Cost) Cost {
	var wall, cpu []float64
	for _, c := range costs {
		wall = append(wall, float64(c.Wall))
		cpu = append(cpu, float64(c.CPU))
	}
	return Cost{time.Duration(median(wall)), time.Duration(median(cpu))}
}

// Usage is what the kernels of a benchmark need of a multiprocessor: the
// largest of each over its launches.
type Usage struct {
	Known     bool
	Registers int // a thread
	Spills    int // bytes stored and loaded to save registers, by ptxas -v
	Stack     int // bytes of local memory a thread
	Shared    int // static bytes a block
	// Code is the number of machine instructions that ptxas made, of all
	// kernels and functions together, padding included; 0 without ptxas.
	Code int
}

// ptxas has the assembler translate a text and returns what it reports.
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

// sassBytes is the size of a machine instruction of all devices since Volta.
const sassBytes = 16

// codeSize returns the number of machine instructions in a file that ptxas
// made, an ELF file with a .text section for each function.
func codeSize(path string) (int, error) {
	f, err := elf.Open(path)
	if err != nil {
		return 0, fmt.Errorf("what ptxas made: %w", err)
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

// atoi converts what a pattern has found to be digits.
func atoi(s string) int {
	n, _ := strconv.Atoi(s)
	return n
}
