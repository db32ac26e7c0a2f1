package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"irgl/internal/device/cuda"
)

// TestTextureModes runs testdata/textures/modes.cu, which compares all modes of textures and surfaces with a reference of its own,
// by loads and by instructions: on the emulator, and on a GPU where there is one.
func TestTextureModes(t *testing.T) {
	if _, err := exec.LookPath("g++"); err != nil || testing.Short() {
		t.Skip("it compiles with g++, which takes seconds")
	}
	dir := t.TempDir()
	if err := linkRuntime(dir); err != nil {
		t.Fatal(err)
	}
	devices := []string{"simt"}
	if dev, err := cuda.Open(0); err == nil {
		dev.Close()
		devices = append(devices, "cuda")
	} else {
		t.Logf("on the emulator alone: %v", err)
	}
	for _, textures := range []string{"software", "hardware"} {
		program := filepath.Join(dir, textures)
		build := exec.Command("irgl", "cuda", "build", "--textures="+textures, "testdata/textures/modes.cu", "-o", program)
		build.Env = append(os.Environ(), "XDG_CACHE_HOME="+dir, "IRGL_TEST_BREAK=")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		for _, device := range devices {
			run := exec.Command(program)
			run.Env = append(os.Environ(), "IRGL_DEVICE="+device)
			out, err := run.CombinedOutput()
			if err != nil || !strings.HasSuffix(string(out), " modes, 0 wrong\n") {
				t.Errorf("textures in %s on %s: %v\n%s", textures, device, err, out)
			}
		}
	}
}
