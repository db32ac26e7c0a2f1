package compile_test

import (
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"irgl/internal/compile"
	"irgl/internal/lower"
)

// TestLaunchesOfControlKernels checks both texts of the bundled programs whose control kernels launch kernels: one puts the
// launches into a queue, the other calls CUDA's device runtime; $PTXAS, if it is set, assembles both. Programs without a
// loop that moves have none.
func TestLaunchesOfControlKernels(t *testing.T) {
	texts := bundled(t)
	launching := 0
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		o := compile.Options{Check: true, Lower: lower.Options{Outline: lower.Outline{Auto: true, Launches: true}}}
		o.PTX.Target = "sm_90"
		u, err := compiled(name+".irgl", string(texts[name]), "", o)
		if err != nil {
			t.Fatal(err)
		}
		if moves := strings.Contains(u.PTXText(), "irgl_control_"); (u.Dynpar != nil) != moves {
			t.Errorf("%s: control kernels: %t, launches: %v", name, moves, u.Dynpar)
		}
		if u.Dynpar == nil {
			continue
		}
		launching++
		v, err := u.ByLibrary()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		const call = "__cudaCDP2LaunchDeviceV2"
		if strings.Contains(u.PTXText(), call) || !strings.Contains(v.PTXText(), call) {
			t.Errorf("%s: the text of the queue calls the library, or the other does not", name)
		}
		for kernel := range u.Dynpar.Launching {
			if !strings.HasPrefix(kernel, "irgl_control_") {
				t.Errorf("%s: %s launches", name, kernel)
			}
		}
		if tool := os.Getenv("PTXAS"); tool != "" {
			for _, text := range []string{u.PTXText(), v.PTXText()} {
				path := filepath.Join(t.TempDir(), "a.ptx")
				if err := os.WriteFile(path, []byte(text), 0o666); err != nil {
					t.Fatal(err)
				}
				if out, err := exec.Command(tool, "-arch=sm_90", "-c", "-o", os.DevNull, path).CombinedOutput(); err != nil || len(out) > 0 {
					t.Errorf("%s: %v\n%s", name, err, out)
				}
			}
		}
	}
	if launching < 14 {
		t.Errorf("%d programs launch in control kernels", launching)
	}
}
