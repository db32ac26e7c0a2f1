package devicetest

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// TestPtxas has NVIDIA's assembler accept every text of the suite for each
// generation of devices. The assembler is $PTXAS or the ptxas in PATH.
func TestPtxas(t *testing.T) {
	ptxas := os.Getenv("PTXAS")
	if ptxas == "" {
		var err error
		if ptxas, err = exec.LookPath("ptxas"); err != nil {
			t.Skip("no ptxas in PATH, and PTXAS is not set")
		}
	}
	if len(Files()) == 0 {
		t.Fatal("no PTX files")
	}
	for name, text := range Files() {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := filepath.Join(t.TempDir(), name)
			if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
				t.Fatal(err)
			}
			for _, arch := range []string{"sm_75", "sm_80", "sm_90", "sm_100"} {
				if strings.Contains(text, ".target sm_90\n") && (arch == "sm_75" || arch == "sm_80") {
					continue
				}
				out, err := exec.Command(ptxas, "--warning-as-error", "-arch="+arch, path, "-o", path+".cubin").CombinedOutput()
				if err != nil {
					t.Errorf("%s: %v\n%s", arch, err, out)
				}
			}
		})
	}
}

func TestPack(t *testing.T) {
	got := pack(uint8(1), uint32(2), uint16(3), []byte{4, 5, 6}, uint64(7), float32(1))
	want := []byte{
		1, 0, 0, 0, 2, 0, 0, 0, 3, 0, 0, 0, 0, 0, 0, 0,
		4, 5, 6, 0, 0, 0, 0, 0, 7, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0x80, 0x3f,
	}
	if !slices.Equal(got, want) {
		t.Errorf("pack = %v, want %v", got, want)
	}
}
