package engine

import (
	"fmt"

	"irgl/internal/device"
	"irgl/internal/memory"
	"irgl/syntax"
)

// checkGlobals returns an error if the program's global variables take more than half
// of the memory that the process may use; the other half is for the copies of those
// that are outputs. On a GPU its own variables do not count: they are in its memory.
func (x *Executable) checkGlobals(gpu bool) error {
	limit, sum := memory.Limit()/2, int64(0)
	for _, obj := range x.program.info.Globals {
		if gpu && obj.Attrs.Has(syntax.Device) {
			continue
		}
		if size := obj.Type.Size(); size > limit-sum {
			return &globalsError{
				fmt.Sprintf("%s: with %s of %s the global variables take %s of memory, and this process may use %s for them",
					obj.Decl.Pos(), obj.Name, obj.Type, memory.Format(sum+size), memory.Format(limit)),
				&device.OutOfMemoryError{Name: obj.Name, Size: sum + size, Free: limit},
			}
		} else if size > 0 {
			sum += size
		}
	}
	return nil
}

// A globalsError says which global variable does not fit into memory.
type globalsError struct {
	text   string
	memory *device.OutOfMemoryError
}

func (e *globalsError) Error() string { return e.text }

func (e *globalsError) Unwrap() error { return e.memory }
