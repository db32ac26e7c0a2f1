package cudabuild

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// toolkit returns ptxas ($PTXAS, or of PATH), and the nvlink and libcudadevrt.a ($IRGL_CUDADEVRT) of its
// toolkit or Python packages.
func toolkit(t *testing.T) (ptxas, nvlink, archive string) {
	t.Helper()
	ptxas = os.Getenv("PTXAS")
	if ptxas == "" {
		var err error
		if ptxas, err = exec.LookPath("ptxas"); err != nil {
			t.Skip("$PTXAS is not set, and there is no ptxas in PATH")
		}
	}
	bin := filepath.Dir(ptxas)
	nvlink = filepath.Join(bin, "nvlink")
	if _, err := os.Stat(nvlink); err != nil {
		t.Skipf("there is no nvlink beside %s", ptxas)
	}
	if archive = os.Getenv("IRGL_CUDADEVRT"); archive != "" {
		return ptxas, nvlink, archive
	}
	for _, dir := range []string{"../lib64", "../lib", "../../cuda_runtime/lib"} {
		archive = filepath.Join(bin, dir, "libcudadevrt.a")
		if _, err := os.Stat(archive); err == nil {
			return ptxas, nvlink, archive
		}
	}
	t.Skipf("there is no libcudadevrt.a near %s: the Python package nvidia-cuda-runtime has it", ptxas)
	return "", "", ""
}

// TestLibraryLinks: CUDA's linker links the PTX whose launches are by its device runtime with the
// library, for the oldest and a new architecture, and PTX of several files, one of which has the kernel that another launches.
func TestLibraryLinks(t *testing.T) {
	ptxas, nvlink, archive := toolkit(t)
	for _, c := range []struct {
		name  string
		files []string
	}{
		{"one", []string{"testdata/launches.cu"}},
		{"several", []string{"testdata/near.cu", "testdata/far.cu"}},
	} {
		for _, arch := range []string{"sm_75", "sm_90"} {
			t.Run(c.name+" "+arch, func(t *testing.T) {
				dir := t.TempDir()
				args := []string{"-arch=" + arch}
				for i, file := range c.files {
					ptx := filepath.Join(dir, string(rune('a'+i))+".ptx")
					o := &Options{Mode: PTX, Inputs: []string{file}, Output: ptx, DeviceRuntime: archive, Relocate: len(c.files) > 1}
					if err := Build(context.Background(), o, io.Discard, os.Stderr); err != nil {
						t.Fatal(err)
					}
					if out, err := exec.Command(ptxas, "-c", "--warning-as-error", "-arch="+arch, ptx, "-o", ptx+".cubin").CombinedOutput(); err != nil {
						t.Fatalf("ptxas: %v\n%s", err, out)
					}
					args = append(args, ptx+".cubin")
				}
				link := append(args, archive, "-o", filepath.Join(dir, "program.cubin"))
				out, err := exec.Command(nvlink, link...).CombinedOutput()
				if bytes.Contains(out, []byte("newer than toolkit")) {
					t.Skipf("%s and nvlink are of different versions", archive)
				}
				if err != nil {
					t.Fatalf("nvlink: %v\n%s", err, out)
				}
				// Without the library the link must fail: the PTX calls it.
				if exec.Command(nvlink, append(args, "-o", filepath.Join(dir, "none.cubin"))...).Run() == nil {
					t.Error("the code links without the library")
				}
			})
		}
	}
}
