//go:build windows && (amd64 || arm64) && !nogpu

package cuda

import "golang.org/x/sys/windows"

var libraryNames = []string{"nvcuda.dll"}

// openLibrary looks in the system directory only, where the driver is.
func openLibrary(name string) (uintptr, error) {
	h, err := windows.LoadLibraryEx(name, 0, windows.LOAD_LIBRARY_SEARCH_SYSTEM32)
	return uintptr(h), err
}

func librarySymbol(lib uintptr, name string) (uintptr, error) {
	return windows.GetProcAddress(windows.Handle(lib), name)
}
