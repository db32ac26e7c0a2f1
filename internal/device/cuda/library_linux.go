//go:build linux && (amd64 || arm64) && !nogpu

package cuda

import (
	"runtime"

	"github.com/ebitengine/purego"
)

// libraryNames are tried in order: by the linker's search, and where Windows
// Subsystem for Linux keeps its driver.
var libraryNames = []string{"libcuda.so.1", "/usr/lib/wsl/lib/libcuda.so.1"}

// openLibrary stays on one thread: the linker keeps the reason of a failure for
// the thread that called it.
func openLibrary(name string) (uintptr, error) {
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	return purego.Dlopen(name, purego.RTLD_NOW|purego.RTLD_LOCAL)
}

func librarySymbol(lib uintptr, name string) (uintptr, error) {
	return purego.Dlsym(lib, name)
}
