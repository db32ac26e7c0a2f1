package findings

import (
	"debug/dwarf"
	"debug/elf"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"irgl/internal/device"
	"irgl/internal/device/simt"
)

// Symbols finds the lines of frames of host code, which are "path+offset" of a return address in a file: by the
// file's debug information, or else only the function, by the file's symbols.
type Symbols struct {
	open  func(path string) (*elf.File, error)
	files map[string]*executable
}

// NewSymbols returns symbols of the files that open opens.
func NewSymbols(open func(path string) (*elf.File, error)) *Symbols {
	return &Symbols{open, map[string]*executable{}}
}

// An executable is a file with code.
type executable struct {
	funcs []elf.Symbol // by address
	lines []dwarf.LineEntry
}

// ofRuntime reports whether a function is of the runtime, which calls of the program begin in.
func ofRuntime(function string) bool {
	return strings.HasPrefix(function, "irgl::") || strings.HasPrefix(function, "cuda") || strings.HasPrefix(function, "std::")
}

// Resolve returns the stack with functions and positions, from the call of the runtime outwards. Frames that it does not
// know it leaves out.
func (s *Symbols) Resolve(stack []device.Frame) []device.Frame {
	var out []device.Frame
	for _, f := range stack {
		path, at, ok := cutOffset(f.Function)
		if !ok {
			out = append(out, f)
			continue
		}
		x := s.executable(path)
		if x == nil || at == 0 {
			continue
		}
		found := x.frame(at - 1) // the call is before the address to which it returns
		if found.Function == "" || ofRuntime(found.Function) && len(out) == 0 || found.Function == "_start" || strings.HasPrefix(found.Function, "__libc_start") {
			continue
		}
		out = append(out, found)
	}
	if len(out) == 0 && len(stack) > 0 {
		return nil
	}
	return out
}

// cutOffset reads "path+1f".
func cutOffset(text string) (path string, at uint64, ok bool) {
	i := strings.LastIndexByte(text, '+')
	if i < 0 {
		return "", 0, false
	}
	at, err := strconv.ParseUint(text[i+1:], 16, 64)
	return text[:i], at, err == nil && filepath.IsAbs(text[:i])
}

// executable reads a file once; nil if it cannot be read.
func (s *Symbols) executable(path string) *executable {
	x, known := s.files[path]
	if !known {
		x = s.read(path)
		s.files[path] = x
	}
	return x
}

func (s *Symbols) read(path string) *executable {
	f, err := s.open(path)
	if err != nil {
		return nil
	}
	defer f.Close()
	x := &executable{}
	symbols, _ := f.Symbols()
	dynamic, _ := f.DynamicSymbols()
	for _, sym := range append(symbols, dynamic...) {
		if elf.ST_TYPE(sym.Info) == elf.STT_FUNC && sym.Value != 0 {
			x.funcs = append(x.funcs, sym)
		}
	}
	slices.SortStableFunc(x.funcs, func(a, b elf.Symbol) int { return int(int64(a.Value - b.Value)) })
	if d, err := f.DWARF(); err == nil {
		x.lines = lineTable(d)
	}
	return x
}

// lineTable returns the lines of all units, by address.
func lineTable(d *dwarf.Data) []dwarf.LineEntry {
	var out []dwarf.LineEntry
	r := d.Reader()
	for {
		e, err := r.Next()
		if err != nil || e == nil {
			break
		}
		if e.Tag == dwarf.TagCompileUnit {
			if lr, err := d.LineReader(e); err == nil && lr != nil {
				var l dwarf.LineEntry
				for lr.Next(&l) == nil {
					out = append(out, l)
				}
			}
		}
		r.SkipChildren()
	}
	slices.SortStableFunc(out, func(a, b dwarf.LineEntry) int { return int(int64(a.Address - b.Address)) })
	return out
}

// frame returns the function and the line of an address.
func (x *executable) frame(at uint64) device.Frame {
	var out device.Frame
	i, found := slices.BinarySearchFunc(x.funcs, at, func(s elf.Symbol, at uint64) int { return int(int64(s.Value - at)) })
	if !found {
		i--
	}
	if i >= 0 && at-x.funcs[i].Value < max(1, x.funcs[i].Size) {
		out.Function = simt.CXXName(x.funcs[i].Name)
	}
	j, found := slices.BinarySearchFunc(x.lines, at, func(l dwarf.LineEntry, at uint64) int { return int(int64(l.Address - at)) })
	for found && j+1 < len(x.lines) && x.lines[j+1].Address == at {
		j++
	}
	if !found {
		j--
	}
	if j >= 0 && !x.lines[j].EndSequence && x.lines[j].File != nil {
		out.Position = device.Position{File: x.lines[j].File.Name, Line: x.lines[j].Line, Column: x.lines[j].Column}
	}
	return out
}
