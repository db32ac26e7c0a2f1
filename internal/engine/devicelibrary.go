package engine

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"irgl/internal/compile"
	"irgl/internal/device"
	"irgl/internal/host"
)

// Programs whose control kernels launch kernels (--outline=dp) do that by CUDA's device runtime, where the
// device can link it and libcudadevrt.a is found. Elsewhere the host runs what device code launches. The
// library is looked for as the runtime of C++ programs does (internal/cudart/runtime/library.h).

// libraryVariable names the library, or is "none".
const libraryVariable = "IRGL_CUDADEVRT"

// deviceLibrary returns the path of libcudadevrt.a, or why there is none.
func deviceLibrary() (path, why string) {
	switch named := os.Getenv(libraryVariable); {
	case named == "none":
		return "", libraryVariable + " is none"
	case named != "":
		if _, err := os.Stat(named); err != nil {
			return "", libraryVariable + " is " + named + ", which cannot be read"
		}
		return named, ""
	}
	for _, pattern := range libraryPlaces() {
		if list, err := filepath.Glob(pattern); err == nil && len(list) > 0 {
			return list[len(list)-1], ""
		}
	}
	return "", "libcudadevrt.a is not found; the Python package nvidia-cuda-runtime has it, or set " + libraryVariable + " to its path"
}

// libraryPlaces returns where the library may be, as patterns: in the toolkit, and in the packages of the
// Python that is active, that is in PATH, or that the user or the system has.
func libraryPlaces() []string {
	var out, prefixes []string
	for _, name := range []string{"CUDA_HOME", "CUDA_PATH"} {
		if dir := os.Getenv(name); dir != "" {
			out = append(out, filepath.Join(dir, "lib64/libcudadevrt.a"))
		}
	}
	out = append(out, "/usr/local/cuda/lib64/libcudadevrt.a", "/usr/lib/*-linux-gnu/libcudadevrt.a")
	for _, name := range []string{"VIRTUAL_ENV", "CONDA_PREFIX"} {
		if dir := os.Getenv(name); dir != "" {
			prefixes = append(prefixes, dir)
		}
	}
	for _, dir := range filepath.SplitList(os.Getenv("PATH")) {
		if _, err := os.Stat(filepath.Join(dir, "python3")); err == nil {
			prefixes = append(prefixes, filepath.Dir(filepath.Clean(dir)))
		}
	}
	if home := os.Getenv("HOME"); home != "" {
		prefixes = append(prefixes, filepath.Join(home, ".local"))
	}
	for _, prefix := range append(prefixes, "/usr/local", "/usr") {
		for _, packages := range []string{"lib/python3*/site-packages", "lib/python3*/dist-packages", "lib/python3/dist-packages"} {
			for _, dir := range []string{"nvidia/cu1[3-9]/lib", "nvidia/cuda_runtime/lib"} {
				out = append(out, filepath.Join(prefix, packages, dir, "libcudadevrt.a"))
			}
		}
	}
	return out
}

// newHost makes the engine of a program, and says why CUDA's device runtime does not run what control kernels
// launch.
func (x *Executable) newHost(u *compile.Unit, ptx string, o host.Options) (e *host.Engine, note string, err error) {
	o.Launches = u.Dynpar
	linking, able := x.dev.(device.Linking)
	if u.Dynpar == nil || !able || x.o.PTX != "" {
		e, err = host.New(x.dev, u.Info, u.CUDAInfo, ptx, o)
		return e, "", err
	}
	library, why := deviceLibrary()
	if library != "" {
		v, err := u.ByLibrary()
		if err != nil {
			return nil, "", fmt.Errorf("launches by the device runtime: %w", err)
		}
		linked := o
		linked.Linked, linked.Library = v.PTXText(), library
		if e, err = host.New(linking, u.Info, u.CUDAInfo, ptx, linked); err == nil {
			return e, "", nil
		}
		why = strings.SplitN(err.Error(), "\n", 2)[0]
	}
	e, err = host.New(x.dev, u.Info, u.CUDAInfo, ptx, o)
	if err == nil {
		note = "the host runs what control kernels launch: " + why
	}
	return e, note, err
}
