package simt

import "irgl/internal/device"

// Restrict has the accesses to global memory by the instructions that were made of a position
// checked. An access in a function of the device library that is not inlined counts for no
// position. Passes keep the position of an instruction that they move, and where they merge
// two, that of one which accesses the same.
func (m *module) Restrict(at device.Position, allowed func(buffer string, write bool) string) {
	m.d.sys.mu.Lock()
	defer m.d.sys.mu.Unlock()
	if !m.d.opts.CheckDeclared {
		return
	}
	restrict := func(fn *function) {
		for i := range fn.code {
			if in := &fn.code[i]; m.positions[in.line] == at {
				in.allowed, in.cached = allowed, nil
			}
		}
	}
	for _, k := range m.kernels {
		k.parallel.copies = nil
		restrict(k.fn)
		for _, fn := range k.funcs {
			restrict(fn)
		}
	}
}

// allows returns why the code of an instruction may not access a buffer, or "".
func (m *module) allows(in *inst, buffer string, write bool) string {
	m.naming.Lock()
	defer m.naming.Unlock()
	return in.allowed(buffer, write)
}
