package cudabuild

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"irgl/internal/cudart"
)

// A cudaRuntime is the runtime that programs are linked with, as files: its headers,
// and its object, which the host's compiler has made once.
type cudaRuntime struct {
	include string // folder
	object  string
}

// flags returns those of the preprocessor of sources with device code: our headers
// come before those of a toolkit that a Makefile names, and nvcc's macros are there.
func (r *cudaRuntime) flags() []string {
	return []string{"-I" + r.include, "-D__CUDACC__=1", "-D__NVCC__=1", "-D__CUDACC_VER_MAJOR__=13", "-D__CUDACC_VER_MINOR__=0", "-D__CUDACC_VER_BUILD__=0"}
}

// newRuntime returns the runtime from the user's cache folder, or makes it there. It is
// kept by what it is made of: the sources, the compiler and its version.
func newRuntime(h *host) (*cudaRuntime, error) {
	files := cudart.Files()
	sum := sha256.New()
	err := fs.WalkDir(files, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(files, name)
		fmt.Fprintf(sum, "%s %d\n%s", name, len(text), text)
		return err
	})
	if err != nil {
		return nil, err
	}
	if st, err := os.Stat(h.cxx[0]); err == nil {
		fmt.Fprintf(sum, "%q %d %v", h.cxx, st.Size(), st.ModTime())
	}
	cache, err := os.UserCacheDir()
	if err != nil {
		cache = os.TempDir()
	}
	dir := filepath.Join(cache, "irgl", "cudart-"+hex.EncodeToString(sum.Sum(nil)[:8]))
	rt := &cudaRuntime{include: filepath.Join(dir, "include"), object: filepath.Join(dir, "cudart.o")}
	if _, err := os.Stat(rt.object); err == nil || h.opts.DryRun {
		return rt, nil
	}
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return nil, err
	}
	tmp, err := os.MkdirTemp(filepath.Dir(dir), "new-")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(tmp)
	if err := os.CopyFS(tmp, files); err != nil {
		return nil, err
	}
	args := []string{"-std=c++17", "-O2", "-fPIC", "-I" + filepath.Join(tmp, "include"), "-I" + filepath.Join(tmp, "runtime")}
	if err := h.run(append(args, "-c", filepath.Join(tmp, filepath.FromSlash(cudart.Main)), "-o", filepath.Join(tmp, "cudart.o"))...); err != nil {
		return nil, fmt.Errorf("compile the runtime: %w", err)
	}
	// Another process may have been faster: then its files are the same.
	if err := os.Rename(tmp, dir); err != nil {
		if _, serr := os.Stat(rt.object); serr != nil {
			return nil, err
		}
	}
	return rt, nil
}
