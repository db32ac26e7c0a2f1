package cudabuild

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"

	"irgl/internal/cpp"
	"irgl/internal/cudart"
	"irgl/internal/cxx/headers"
)

// A cudaRuntime is the runtime that programs are linked with, as files: its headers,
// and its object, which the host's compiler makes once, when a program is linked.
type cudaRuntime struct {
	dir     string // in the cache: include, and the sources
	include string // folder of headers
	object  string
}

// flags returns those of the preprocessor of sources with device code: our headers
// come before those of a toolkit that a Makefile names, and the macros of device code that say
// which compiler and which CUDA this is are there: both halves of a source choose the same.
func (r *cudaRuntime) flags() []string {
	out := []string{"-I" + r.include, "-D__NVCC__=1"}
	for _, m := range cpp.VersionMacros() {
		out = append(out, "-D"+m.Name+"="+m.Value)
	}
	return out
}

// newRuntime returns the runtime in the user's cache folder, and writes its sources
// there. The folder is named by what the object is made of: the sources, the compiler
// and its version.
//
// A cache that cannot be written, or that has no place, is replaced by the folder private.
func newRuntime(h *host, private string) (*cudaRuntime, error) {
	if cache, err := os.UserCacheDir(); err == nil {
		if rt, err := runtimeIn(h, cache); err == nil {
			return rt, nil
		}
	}
	return runtimeIn(h, private)
}

// runtimeIn is newRuntime for one folder.
func runtimeIn(h *host, cache string) (*cudaRuntime, error) {
	list, err := runtimeSources()
	if err != nil {
		return nil, err
	}
	sum := sha256.New()
	for _, s := range list {
		fmt.Fprintf(sum, "%s %d\n%s", s.name, len(s.text), s.text)
	}
	if st, err := os.Stat(h.cxx[0]); err == nil {
		fmt.Fprintf(sum, "%q %d %v", h.cxx, st.Size(), st.ModTime())
	}
	dir := filepath.Join(cache, "irgl", "cudart-"+hex.EncodeToString(sum.Sum(nil)[:8]))
	rt := &cudaRuntime{dir: dir, include: filepath.Join(dir, "include"), object: filepath.Join(dir, "cudart.o")}
	if _, err := os.Stat(dir); err == nil || h.opts.DryRun {
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
	for _, s := range list {
		path := filepath.Join(tmp, filepath.FromSlash(s.name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return nil, err
		}
		if err := os.WriteFile(path, s.text, 0o666); err != nil {
			return nil, err
		}
	}
	// Another process may have been faster: then its files are the same.
	if err := os.Rename(tmp, dir); err != nil {
		if _, serr := os.Stat(dir); serr != nil {
			return nil, err
		}
	}
	return rt, nil
}

// A runtimeSource is a file of the runtime.
type runtimeSource struct {
	name string // include/cuda.h
	text []byte
}

// runtimeSources returns the files of package cudart, and the headers that host and device share.
func runtimeSources() ([]runtimeSource, error) {
	var list []runtimeSource
	add := func(files fs.FS, root, prefix string) error {
		return fs.WalkDir(files, root, func(name string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() {
				return err
			}
			text, err := fs.ReadFile(files, name)
			list = append(list, runtimeSource{path.Join(prefix, name), text})
			return err
		})
	}
	err := add(cudart.Files(), ".", "")
	for _, name := range headers.Shared {
		if err == nil {
			err = add(headers.FS(), name, "include")
		}
	}
	return list, err
}

// compile makes the object, if the cache has none. Most of its time is the C++ library's
// headers and optimisation that the calls of the runtime do not need: -O1.
func (r *cudaRuntime) compile(h *host) error {
	if _, err := os.Stat(r.object); err == nil || h.opts.DryRun {
		return nil
	}
	fmt.Fprintln(h.stderr, "irgl: note: the CUDA runtime is compiled, once for this compiler and version of irgl")
	tmp, err := os.CreateTemp(r.dir, "cudart-*.o")
	if err != nil {
		return err
	}
	defer os.Remove(tmp.Name())
	if err := tmp.Close(); err != nil {
		return err
	}
	err = h.run("-std=c++17", "-O1", "-fPIC", "-I"+r.include, "-I"+filepath.Join(r.dir, "runtime"),
		"-c", filepath.Join(r.dir, filepath.FromSlash(cudart.Main)), "-o", tmp.Name())
	if err != nil {
		return fmt.Errorf("compile the runtime: %w", err)
	}
	return os.Rename(tmp.Name(), r.object)
}
