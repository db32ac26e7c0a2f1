package engine_test

import (
	"bytes"
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"irgl/graph"
	"irgl/internal/compile"
	"irgl/internal/device/cuda"
	"irgl/internal/engine"
)

// needGPU skips a test where no NVIDIA GPU can be opened.
func needGPU(t *testing.T) {
	t.Helper()
	if _, err := cuda.List(); err != nil {
		t.Skipf("no GPU: %v", err)
	}
}

// sourceArgs gives a bundled program what it needs to start from node 0.
func sourceArgs(p *engine.Program) engine.Args {
	args := engine.Args{}
	for _, param := range p.Params() {
		if param.Type == "node" {
			args[param.Name] = 0
		}
	}
	return args
}

// TestGPULarge verifies every program on large generated graphs: a skewed one
// and one of large diameter.
func TestGPULarge(t *testing.T) {
	needGPU(t)
	if testing.Short() {
		t.Skip("takes a minute")
	}
	ctx := context.Background()
	for _, spec := range []string{"rmat:22:8", "uniform:8388608:4", "grid:1024:1024", "road:4900:4900:wmax=1000"} {
		g, err := graph.Generate(ctx, spec)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range engine.Programs() {
			if name == "tri" && spec == "rmat:22:8" {
				continue // one thread a hub takes minutes without nested parallelism
			}
			t.Run(spec+"/"+name, func(t *testing.T) {
				p := bundled(t, name)
				if graphToo, _ := p.Needs(); !graphToo {
					t.Skip("it runs on a mesh: see TestRefine")
				}
				r := runProgram(t, "cuda", name, g, sourceArgs(p))
				t.Logf("prepare %.1f ms, compile %.1f ms, run %.3f ms, %d iterations, %d launches",
					r.Times.Prepare, r.Times.Compile, r.Times.Run, r.Iterations, r.Launches)
			})
		}
	}
}

// TestGPUStats checks what is recorded of a search of many levels on a GPU: the
// kernels' times, of launches one after the other, add up to less than the whole,
// and what is pushed is popped.
func TestGPUStats(t *testing.T) {
	needGPU(t)
	x := prepare(t, parse(t, "walk", walk), engine.Options{Device: "cuda", Trace: true})
	g := generate(t, "grid:9000:4") // more launches than wait to be read
	for range 2 {
		r, err := x.Run(context.Background(), g, engine.Args{"src": 0})
		if err != nil {
			t.Fatal(err)
		}
		var launches int64
		var took float64
		for _, k := range r.Kernels {
			launches += k.Launches
			took += k.Time
			if k.Time <= 0 || k.Name == "BFS" && (k.Items != k.Pushes+1 || k.Items < int64(g.NumNodes())) {
				t.Errorf("%+v", k)
			}
		}
		if launches != r.Launches || launches < 9000 || took > 1.02*r.Times.Device {
			t.Errorf("%d launches of %d, %.3f ms of %.3f", launches, r.Launches, took, r.Times.Device)
		}
		if events := traced(t, r); int64(events["kernel"]) != launches || int64(events["copy"]) < launches {
			t.Errorf("%d launches, %v in the trace", launches, events)
		}
		t.Logf("%+v, %.3f ms", r.Kernels, r.Times.Device)
	}
}

// TestNvccPTX compiles the .cu text of every program with nvcc, which must not
// warn, and runs nvcc's PTX in place of ours.
func TestNvccPTX(t *testing.T) {
	nvcc, err := exec.LookPath("nvcc")
	if err != nil {
		t.Skip("no nvcc in PATH")
	}
	ctx := context.Background()
	spec, device := "rmat:14:8", "cuda"
	if _, err := cuda.List(); err != nil {
		spec, device = "rmat:9:8", "simt"
	}
	g := generate(t, spec)
	dir := t.TempDir()
	for _, name := range engine.Programs() {
		t.Run(name, func(t *testing.T) {
			p, err := engine.Bundled(name)
			if err != nil {
				t.Fatal(err)
			}
			var text bytes.Buffer
			if err := engine.Emit(&text, name+".irgl", p.Source(), "cu", compile.Options{}); err != nil {
				t.Fatal(err)
			}
			cu, ptx := filepath.Join(dir, name+".cu"), filepath.Join(dir, name+".ptx")
			if err := os.WriteFile(cu, text.Bytes(), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, args := range [][]string{{"-c", "-o", filepath.Join(dir, name+".o")}, {"-ptx", "-o", ptx}} {
				args = append([]string{"-O3", "-arch=sm_90", "-Werror", "all-warnings", "-Xcompiler", "-Wall,-Werror"}, append(args, cu)...)
				if out, err := exec.Command(nvcc, args...).CombinedOutput(); err != nil {
					t.Fatalf("nvcc %v: %v\n%s", args, err, out)
				}
			}
			theirs, err := os.ReadFile(ptx)
			if err != nil {
				t.Fatal(err)
			}
			x, err := p.Compile(ctx, engine.Options{Device: device, PTX: string(theirs)})
			if err != nil {
				t.Fatal(err)
			}
			defer x.Close()
			r, err := x.RunOn(ctx, inputFor(t, p, g), sourceArgs(p))
			if err != nil {
				t.Fatal(err)
			}
			if err := x.Verify(ctx, r); err != nil {
				t.Error(err)
			}
		})
	}
}
