package compile_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/lower"
	"irgl/internal/source"
)

// clustered are options with which one cluster goes through rounds alone.
func clustered(blocks int) compile.Options {
	o := compile.Options{Check: true, Lower: lower.Options{Outline: lower.Outline{Auto: true}, Scope: 2048, Cluster: blocks}}
	o.PTX.Target = "sm_90"
	return o
}

// TestCluster has the .cu text of a program with clusters make the same PTX, and
// ptxas take it. What is essential in them is in testdata/check.
func TestCluster(t *testing.T) {
	u, err := compiled("bfs.irgl", string(bundled(t)["bfs"]), "", clustered(8))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "bfs.ptx")
	if err := os.WriteFile(path, []byte(u.PTXText()), 0o666); err != nil {
		t.Fatal(err)
	}
	o := clustered(8)
	o.WrapSigned = true
	again, err := compiled("bfs.cu", emitted(t, u, "cu"), "", o)
	if err != nil {
		t.Fatal(err)
	}
	if body(emitted(t, again, "ptx")) != body(emitted(t, u, "ptx")) {
		t.Error("the PTX of the .cu text differs")
	}
	tool := findTool(t, "PTXAS", "ptxas")
	for _, arch := range []string{"sm_90", "sm_100", "sm_120"} {
		out, err := exec.Command(tool, "--warning-as-error", "-arch="+arch, "-o", os.DevNull, path).CombinedOutput()
		if err != nil || len(out) > 0 {
			t.Errorf("%s: %v\n%s", arch, err, out)
		}
	}
}

// TestClusterTarget checks what is said of a device without clusters: where the
// loop is that asks for one.
func TestClusterTarget(t *testing.T) {
	o := clustered(2)
	o.PTX.Target = "sm_89"
	_, err := compiled("bfs.irgl", string(bundled(t)["bfs"]), "", o)
	list := source.Diagnostics(err)
	if list == nil || len(list.Diags) != 1 || list.Diags[0].Code != "T0001" || list.Diags[0].Pos.String() != "bfs.irgl:27:3" || list.Diags[0].Hint == "" {
		t.Errorf("%v", err)
	}
}

// TestClusterNVCC compiles .cu texts with clusters of each size.
func TestClusterNVCC(t *testing.T) {
	tool := findTool(t, "NVCC", "nvcc")
	if testing.Short() {
		t.Skip("nvcc takes a second a program")
	}
	texts := bundled(t)
	for name, blocks := range map[string]int{"bfs": 8, "sssp": 4, "sssp_nf": 16, "sssp_bf": 2} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			nvcc(t, tool, cuText(t, name+".irgl", texts[name], clustered(blocks)), "-c", "-o", "program.o")
		})
	}
}
