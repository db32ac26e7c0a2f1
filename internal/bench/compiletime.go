package bench

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// A Cost is the elapsed and CPU time of a process.
type Cost struct {
	Wall time.Duration
	CPU  time.Duration // all threads and children
}

// run runs a program to completion in directory dir and returns its output and
// cost.
//
// The output goes to a file: with a pipe, the time of a short process would
// include that of the goroutine that reads it.
func run(ctx context.Context, dir string, args ...string) (string, Cost, error) {
	out, err := os.Create(filepath.Join(dir, "output.txt"))
	if err != nil {
		return "", Cost{}, err
	}
	defer out.Close()
	cmd := exec.CommandContext(ctx, args[0], args[1:]...)
	cmd.Dir = dir
	cmd.Stdout, cmd.Stderr = out, out
	start := time.Now()
	err = cmd.Run()
	cost := Cost{Wall: time.Since(start)}
	if cmd.ProcessState != nil {
		cost.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	}
	text, readErr := os.ReadFile(out.Name())
	if err != nil {
		said := strings.TrimSpace(string(text))
		if len(said) > 2000 {
			said = said[:2000] + "..."
		}
		if said != "" {
			said = "\n" + said
		}
		err = errors.Join(fmt.Errorf("%s: %w%s", filepath.Base(args[0]), err, said), context.Cause(ctx))
	}
	return string(text), cost, errors.Join(err, readErr)
}

// compileTimes compiles a benchmark with nvcc and with our own command count
// times in turns, and returns the medians of their costs.
func (t *Tools) compileTimes(ctx context.Context, dir string, s *Spec, target string, count int) (ours, nvcc Cost, err error) {
	if t.NVCC == "" || len(t.Self) == 0 || count < 1 {
		return Cost{}, Cost{}, nil
	}
	in := filepath.Join(dir, s.Name+".cu")
	if err := os.WriteFile(in, []byte(s.Text), 0o666); err != nil {
		return Cost{}, Cost{}, err
	}
	self := slices.Concat(t.Self, []string{"build", in, "--emit=ptx", "--target=" + target, "-o", filepath.Join(dir, "self.ptx")}, s.defines())
	theirs := append([]string{t.NVCC, "-O3", "-ptx", "-arch=" + target, in, "-o", filepath.Join(dir, "nvcc.ptx")}, s.defines()...)
	costs, err := byTurns(ctx, dir, count, self, theirs)
	if err != nil {
		return Cost{}, Cost{}, err
	}
	return costs[0], costs[1], nil
}

// byTurns runs each command count times in turns, and returns the medians of
// their costs. Transient load affects all alike.
func byTurns(ctx context.Context, dir string, count int, commands ...[]string) ([]Cost, error) {
	costs := make([][]Cost, len(commands))
	for range count {
		for i, args := range commands {
			_, cost, err := run(ctx, dir, args...)
			if err != nil {
				return nil, err
			}
			costs[i] = append(costs[i], cost)
		}
	}
	var medians []Cost
	for _, list := range costs {
		medians = append(medians, medianCost(list))
	}
	return medians, nil
}

func medianCost(costs []Cost) Cost {
	var wall, cpu []float64
	for _, c := range costs {
		wall = append(wall, float64(c.Wall))
		cpu = append(cpu, float64(c.CPU))
	}
	return Cost{time.Duration(median(wall)), time.Duration(median(cpu))}
}

// A CompileSummary compares the two compilers on the whole set.
type CompileSummary struct {
	N         int     // benchmarks that both have compiled
	Wall, CPU float64 // medians of the ratios, nvcc's time over ours
	Total     float64 // the ratio of the sums of elapsed times
	Least     float64 // the smallest ratio of elapsed times, and its benchmark
	LeastName string
	Ours      Cost // medians over the benchmarks
	NVCC      Cost
}

// Compile returns the summary; N is 0 when no compile times were taken.
func (rep *Report) Compile() CompileSummary {
	var s CompileSummary
	var walls, cpus []float64
	var ours, theirs []Cost
	var sums [2]time.Duration
	for i := range rep.Results {
		r := &rep.Results[i]
		if r.OursCost.Wall <= 0 || r.NVCCCost.Wall <= 0 {
			continue
		}
		ratio := float64(r.NVCCCost.Wall) / float64(r.OursCost.Wall)
		if len(walls) == 0 || ratio < s.Least {
			s.Least, s.LeastName = ratio, r.Name
		}
		walls = append(walls, ratio)
		cpus = append(cpus, float64(r.NVCCCost.CPU)/max(1, float64(r.OursCost.CPU)))
		ours, theirs = append(ours, r.OursCost), append(theirs, r.NVCCCost)
		sums[0] += r.OursCost.Wall
		sums[1] += r.NVCCCost.Wall
	}
	if s.N = len(walls); s.N == 0 {
		return s
	}
	s.Wall, s.CPU, s.Total = median(walls), median(cpus), float64(sums[1])/float64(sums[0])
	s.Ours, s.NVCC = medianCost(ours), medianCost(theirs)
	return s
}

func milliseconds(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func (rep *Report) compileTable(b *strings.Builder) {
	s := rep.Compile()
	if s.N == 0 {
		return
	}
	fmt.Fprintf(b, "\n### Compile time\n\nFrom CUDA text to PTX in ms: processes, %d of each in turns, medians; processor time in brackets; then within one process.\n\n", rep.CompileRepeat)
	b.WriteString("| kernel | irgl | nvcc -O3 -ptx | nvcc / irgl | in process |\n|---|---|---|---|---|\n")
	for i := range rep.Results {
		r := &rep.Results[i]
		if r.OursCost.Wall <= 0 || r.NVCCCost.Wall <= 0 {
			continue
		}
		fmt.Fprintf(b, "| %s | %.1f (%.1f) | %.0f (%.0f) | %.0f | %.2f |\n", r.Name,
			milliseconds(r.OursCost.Wall), milliseconds(r.OursCost.CPU), milliseconds(r.NVCCCost.Wall), milliseconds(r.NVCCCost.CPU),
			float64(r.NVCCCost.Wall)/float64(r.OursCost.Wall), milliseconds(r.InProcess))
	}
	fmt.Fprintf(b, "| median of %d | %.1f (%.1f) | %.0f (%.0f) | %.0f | |\n", s.N,
		milliseconds(s.Ours.Wall), milliseconds(s.Ours.CPU), milliseconds(s.NVCC.Wall), milliseconds(s.NVCC.CPU), s.Wall)
	fmt.Fprintf(b, "\nnvcc / irgl: median %.1f in elapsed time, %.1f in processor time; of the sums %.1f; the least %.1f (%s).\n", s.Wall, s.CPU, s.Total, s.Least, s.LeastName)
	if rep.Start.Wall > 0 {
		fmt.Fprintf(b, "`irgl --version` as a process: %.1f ms (%.1f).\n", milliseconds(rep.Start.Wall), milliseconds(rep.Start.CPU))
	}
}
