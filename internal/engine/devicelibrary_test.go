package engine

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDeviceLibrary checks where libcudadevrt.a is looked for, and what is said where it is not.
func TestDeviceLibrary(t *testing.T) {
	dir := t.TempDir()
	place := func(path string) string {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, nil, 0o666); err != nil {
			t.Fatal(err)
		}
		return path
	}
	own, toolkit := place("own.a"), place("cuda/lib64/libcudadevrt.a")
	wheel := place("venv/lib/python3.11/site-packages/nvidia/cu13/lib/libcudadevrt.a")
	for _, tt := range []struct{ named, home, venv, path, why string }{
		{named: "none", home: "cuda", why: "IRGL_CUDADEVRT is none"},
		{named: filepath.Join(dir, "gone.a"), home: "cuda", why: "which cannot be read"},
		{named: own, home: "cuda", path: own},
		{home: "cuda", venv: "venv", path: toolkit},
		{home: "gone", venv: "venv", path: wheel},
	} {
		t.Setenv(libraryVariable, tt.named)
		t.Setenv("CUDA_HOME", filepath.Join(dir, tt.home))
		t.Setenv("VIRTUAL_ENV", filepath.Join(dir, tt.venv))
		path, why := deviceLibrary()
		if path != tt.path && (tt.named != "" || tt.home != "gone" || !strings.HasPrefix(path, "/usr/")) || !strings.Contains(why, tt.why) {
			t.Errorf("%+v: %q, %q", tt, path, why)
		}
	}
}
