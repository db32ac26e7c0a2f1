package compile

import (
	"irgl/internal/ptx"
	"irgl/internal/ssagen"
)

// checkShared reports kernels whose static shared memory, with that of the functions that they call, is
// more than a block has: ptxas would refuse the module. Functions that are called through pointers or that are in
// other files are not known, and do not count.
func (u *Unit) checkShared() {
	s := sharedUse{vars: map[string]*ptx.Var{}, funcs: map[string]*ptx.Func{}}
	for _, d := range u.PTX.Decls {
		switch d := d.(type) {
		case *ptx.Var:
			if d.Space == ptx.Shared {
				s.vars[d.Name] = d
			}
		case *ptx.Func:
			if !d.Proto {
				s.funcs[d.Name] = d
			}
		}
	}
	if len(s.vars) == 0 {
		return
	}
	for _, f := range u.SSA.Funcs {
		if p := s.funcs[f.Name]; p != nil && p.Entry {
			s.seen, s.bytes = map[string]bool{f.Name: true}, 0
			s.body(p.Body)
			if s.bytes > ssagen.MaxShared {
				ssagen.ReportShared(&u.Diags, f.Pos, f.Name, s.bytes)
			}
		}
	}
}

// A sharedUse is what a kernel needs of the module.
type sharedUse struct {
	vars  map[string]*ptx.Var
	funcs map[string]*ptx.Func
	seen  map[string]bool // names that count already
	bytes int64
}

func (s *sharedUse) body(list []ptx.Stmt) {
	for _, stmt := range list {
		switch stmt := stmt.(type) {
		case *ptx.Scope:
			s.body(stmt.Body)
		case *ptx.Inst:
			s.operands(stmt.Args)
		}
	}
}

func (s *sharedUse) operands(list []ptx.Operand) {
	for _, o := range list {
		s.operands(o.List)
		if o.Name == "" || s.seen[o.Name] {
			continue
		}
		if v := s.vars[o.Name]; v != nil {
			s.seen[o.Name] = true
			size, _ := v.ByteSize()
			align := int64(max(v.Align, v.Type.Size(), 1))
			s.bytes = (s.bytes+align-1)/align*align + size
		} else if f := s.funcs[o.Name]; f != nil {
			s.seen[o.Name] = true
			s.body(f.Body)
		}
	}
}
