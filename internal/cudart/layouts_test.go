package cudart

import (
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestLayouts checks the numbers of runtime/driver_layouts.h against NVIDIA's cuda.h, in the folder of headers beside $PTXAS, of
// CUDA_HOME or of nvcc in PATH.
func TestLayouts(t *testing.T) {
	var folders []string
	for _, tool := range []string{os.Getenv("PTXAS"), os.Getenv("CUDA_HOME") + "/bin/nvcc", look("nvcc")} {
		if tool != "" {
			folders = append(folders, filepath.Join(filepath.Dir(tool), "..", "include"))
		}
	}
	include := ""
	for _, dir := range folders {
		if _, err := os.Stat(filepath.Join(dir, "cuda.h")); err == nil && include == "" {
			include = dir
		}
	}
	if include == "" || look("gcc") == "" {
		t.Skip("no gcc, or no cuda.h beside $PTXAS, in CUDA_HOME or beside nvcc")
	}
	main := filepath.Join(t.TempDir(), "main.c")
	text := `#include <cuda.h>
#include <stddef.h>
#include "driver_layouts.h"
#define S(ours, theirs, bytes) _Static_assert(sizeof(theirs) == bytes, #theirs);
#define F(ours, field, theirs, of, at) _Static_assert(offsetof(theirs, of) == at, #theirs "." #of);
#define V(ours, theirs, value) _Static_assert(theirs == value, #theirs);
IRGL_LAYOUTS(S, F)
IRGL_VALUES(V)
`
	if err := os.WriteFile(main, []byte(text), 0o666); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("gcc", "-fsyntax-only", "-I"+include, "-Iruntime", main).CombinedOutput(); err != nil {
		t.Errorf("cuda.h has other layouts: %v\n%s", err, out)
	}
}

// look returns the path of a program, "" if there is none.
func look(name string) string {
	path, err := exec.LookPath(name)
	if err != nil {
		return ""
	}
	return path
}
