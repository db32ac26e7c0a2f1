package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// A problem is what irgl and its peers solve.
type problem struct {
	name      string
	symmetric bool // its graphs are
	source    bool // a parameter, node 0
	delta     bool // its peers' parameter, which is searched for
	peers     []peer
}

// A peer is an executable built from a driver.
type peer struct {
	name    string
	driver  string   // a file of drivers/
	flags   []string // of the compiler; %s is the folder with the sources
	threads string   // the environment variable for their number, if the driver does not set it
}

func gapbs(name string) peer {
	return peer{name: "gapbs_" + name, driver: "gapbs_" + name + ".cc", flags: []string{"-fopenmp", "-I%s/gapbs/src"}}
}

func pbbs(name, number, source string) peer {
	return peer{
		name: "pbbs_" + name, driver: "pbbs.cc", threads: "PARLAY_NUM_THREADS",
		flags: []string{"-DNDEBUG", "-mcx16", "-pthread", "-I%s/pbbsbench", "-I%s/parlaylib/include", "-I%s/pbbsbench/benchmarks",
			"-DPROBLEM=" + number, `-DNAME="pbbs-` + name + `"`, `-DSOURCE="` + source + `"`, "-ldl"},
	}
}

var problems = []problem{
	{name: "bfs", source: true, peers: []peer{gapbs("bfs")}},
	{name: "sssp", source: true, delta: true, peers: []peer{gapbs("sssp")}},
	{name: "cc", symmetric: true, peers: []peer{gapbs("cc")}},
	{name: "pr", peers: []peer{gapbs("pr")}},
	{name: "mis", symmetric: true, peers: []peer{
		pbbs("mis", "PROBLEM_MIS", "maximalIndependentSet/incrementalMIS/MIS.C"),
		pbbs("ndmis", "PROBLEM_MIS", "maximalIndependentSet/ndMIS/MIS.C")}},
	{name: "mst", symmetric: true, peers: []peer{pbbs("mst", "PROBLEM_MST", "minSpanningForest/parallelFilterKruskal/MST.C")}},
	{name: "tri", symmetric: true, peers: []peer{gapbs("tri")}},
}

// wanted returns the problems that are measured.
func (p *plan) wanted() []problem {
	var out []problem
	for _, q := range problems {
		if len(p.only) == 0 || slices.Contains(p.only, q.name) {
			out = append(out, q)
		}
	}
	return out
}

// build compiles irgl, and those of the drivers that are not in the work folder, two at a time.
func (p *plan) build(ctx context.Context) error {
	if err := os.MkdirAll(p.work, 0o777); err != nil {
		return err
	}
	root, err := moduleRoot(ctx)
	if err != nil {
		return err
	}
	if err := command(ctx, root, "go", "build", "-o", filepath.Join(p.work, ours), "./cmd/irgl"); err != nil {
		return err
	}
	sources, err := filepath.Abs(p.peers)
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	turns := make(chan struct{}, 2)
	var mu sync.Mutex
	var failed error
	for _, q := range p.wanted() {
		for _, c := range q.peers {
			group.Go(func() {
				turns <- struct{}{}
				defer func() { <-turns }()
				if err := p.compile(ctx, c, filepath.Join(root, "benchmarks/peers/cpu/drivers"), sources); err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
				}
			})
		}
	}
	group.Wait()
	return failed
}

// compile builds one peer, unless it was built after its driver was written.
func (p *plan) compile(ctx context.Context, c peer, drivers, sources string) error {
	source, out := filepath.Join(drivers, c.driver), filepath.Join(p.work, c.name)
	written, err := os.Stat(source)
	if err != nil {
		return err
	}
	if built, err := os.Stat(out); err == nil && built.ModTime().After(written.ModTime()) {
		return nil
	}
	fmt.Fprintln(os.Stderr, "building", c.name)
	args := []string{"-std=c++17", "-O3", "-march=native", "-w", "-I" + drivers, source, "-o", out}
	for _, f := range c.flags {
		args = append(args, strings.ReplaceAll(f, "%s", sources))
	}
	return command(ctx, "", "g++", args...)
}

func moduleRoot(ctx context.Context) (string, error) {
	file, err := exec.CommandContext(ctx, "go", "env", "GOMOD").Output()
	if err != nil || filepath.Base(strings.TrimSpace(string(file))) != "go.mod" {
		return "", fmt.Errorf("not in irgl's module: run it from the repository")
	}
	return filepath.Dir(strings.TrimSpace(string(file))), nil
}

// command runs a command, whose output the error has if it fails.
func command(ctx context.Context, dir, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Dir = dir
	if out, err := cmd.CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w\n%s", name, strings.Join(args, " "), err, out)
	}
	return nil
}

// generate writes the graphs that are not in the work folder, directed and symmetric, with
// weights of 1 to 100.
func (p *plan) generate(ctx context.Context) error {
	for _, spec := range p.graphs {
		for _, symmetric := range []bool{false, true} {
			file := p.graphFile(spec, symmetric)
			if _, err := os.Stat(file); err == nil {
				continue
			}
			full := spec + ":wmax=100"
			if file == p.graphFile(spec, true) && !isMesh(spec) {
				full += ":sym"
			}
			// A file that is there is whole.
			if err := command(ctx, "", filepath.Join(p.work, ours), "graph", "gen", full, "-o", file+".new.gr"); err != nil {
				return err
			}
			if err := os.Rename(file+".new.gr", file); err != nil {
				return err
			}
		}
	}
	return nil
}

// isMesh reports whether the graphs of a generator are symmetric anyway.
func isMesh(spec string) bool {
	return strings.HasPrefix(spec, "grid:") || strings.HasPrefix(spec, "road:")
}

func (p *plan) graphFile(spec string, symmetric bool) string {
	name := strings.ReplaceAll(spec, ":", "_")
	if symmetric && !isMesh(spec) {
		name += "_sym"
	}
	return filepath.Join(p.work, name+".gr")
}
