package check

import (
	"sync"

	"irgl/internal/builtin"
	"irgl/syntax"
)

// warpSize is the name of how many threads execute in lockstep: what a program chooses
// the granularity of its work by. A condition on it selects code for GPUs or for the CPU;
// gogen and lower leave out what is not selected. Package engine checks a program that has
// it once more for the CPU, with [Options].CPU.
const warpSize = "WARP_SIZE"

// cpuWarpSize returns the object of the name in code for the CPU.
var cpuWarpSize = sync.OnceValue(func() *Object {
	row := *builtin.Lookup(warpSize)
	row.Value = row.CPUValue
	return newBuiltin(&row).obj
})

// SelectsCode reports whether the condition of s is constant on each device, and differs
// between them: its value is in Consts.
func (i *Info) SelectsCode(s *syntax.IfStmt) bool {
	if c := i.Consts[s.Cond]; c == nil || !i.DeviceConsts || !IsInteger(i.Types[s.Cond]) {
		return false
	}
	return i.namesDevice(s.Cond)
}

// namesDevice reports whether a constant of devices is in x, or in what a name in it is
// defined as.
func (i *Info) namesDevice(x syntax.Expr) bool {
	found := false
	syntax.Inspect(x, func(n syntax.Node) bool {
		id, ok := n.(*syntax.Ident)
		if !ok || i.Uses[id] == nil {
			return !found
		}
		switch o := i.Uses[id]; d := o.Decl.(type) {
		case *syntax.DefineDecl:
			found = found || d.Value != nil && i.namesDevice(d.Value)
		default:
			found = found || o.Kind == BuiltinObj && o.Name == warpSize
		}
		return !found
	})
	return found
}

// deviceConst returns the object that name stands for among the constants of devices, or
// nil, and notes that the program has some.
func (c *checker) deviceConst(name string) *Object {
	if !c.irgl || name != warpSize {
		return nil
	}
	c.info.DeviceConsts = true
	if c.o.CPU {
		return cpuWarpSize()
	}
	return LookupBuiltin(name).obj
}
