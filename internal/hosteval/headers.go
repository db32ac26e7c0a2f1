package hosteval

import (
	"errors"
	"io/fs"
	"path"

	"irgl/internal/cudart"
	"irgl/internal/cxx/headers"
)

// library is the headers of host code, each in the first of the folders that has it: those
// of the C library, those of the CUDA runtime, and those that device code has, too.
type library struct{}

// Open implements [fs.FS].
func (library) Open(name string) (fs.File, error) {
	f, err := headers.FS().Open(path.Join(headers.HostFolder, name))
	if errors.Is(err, fs.ErrNotExist) {
		f, err = cudart.Files().Open(path.Join("include", name))
	}
	if errors.Is(err, fs.ErrNotExist) {
		f, err = headers.FS().Open(name)
	}
	return f, err
}

// has reports whether a file of the name is one of the headers.
func (l library) has(name string) bool {
	f, err := l.Open(name)
	if err != nil {
		return false
	}
	f.Close()
	return true
}
