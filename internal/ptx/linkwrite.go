package ptx

import (
	"fmt"
	"slices"
)

// Symbol returns the name of a declaration and its linkage.
func Symbol(d Decl) (name, linkage string) { return declName(d), linkageOf(d) }

// CallsOut reports whether a function may call one that another module defines: by its name or
// through a pointer, itself or by what it calls.
func CallsOut(m *Module, name string) bool {
	funcs := map[string]*Func{}
	for _, d := range m.Decls {
		if f, ok := d.(*Func); ok && (funcs[f.Name] == nil || !f.Proto) {
			funcs[f.Name] = f
		}
	}
	seen := map[string]bool{name: true}
	work := []string{name}
	for len(work) > 0 {
		f := funcs[work[0]]
		work = work[1:]
		if f.Proto && !isRuntime(f.Name) {
			return true
		}
		if callsPointer(f.Body) {
			return true
		}
		eachSymbol(f, func(name *string) {
			if funcs[*name] != nil && !seen[*name] {
				seen[*name] = true
				work = append(work, *name)
			}
		})
	}
	return false
}

// callsPointer reports whether a body has a call through a pointer, which has a prototype.
func callsPointer(body []Stmt) bool {
	return slices.ContainsFunc(body, func(s Stmt) bool {
		if _, ok := s.(*CallPrototype); ok {
			return true
		}
		inner, ok := s.(*Scope)
		return ok && callsPointer(inner.Body)
	})
}

// declName returns the name of a declaration.
func declName(d Decl) string {
	if f, ok := d.(*Func); ok {
		return f.Name
	}
	return d.(*Var).Name
}

func linkageOf(d Decl) string {
	if f, ok := d.(*Func); ok {
		return f.Linkage
	}
	return d.(*Var).Linkage
}

// isDeclaration reports whether d defines nothing.
func isDeclaration(d Decl) bool {
	if f, ok := d.(*Func); ok {
		return f.Proto
	}
	return d.(*Var).Linkage == "extern"
}

// isDynamic reports whether d is dynamic shared memory, which each part declares.
func isDynamic(d Decl) bool {
	v, ok := d.(*Var)
	return ok && v.Linkage == "extern" && v.Space == Shared
}

// eachSymbol calls do for each place where a declaration names another one of its module: what
// a function declares itself hides those of the module.
func eachSymbol(d Decl, do func(name *string)) {
	switch d := d.(type) {
	case *Var:
		for i := range d.Init {
			operandSymbols(&d.Init[i], nil, do)
		}
	case *Func:
		own := map[string]bool{}
		for _, p := range slices.Concat(d.Params, d.Results) {
			own[p.Name] = true
		}
		ownNames(d.Body, own)
		bodySymbols(d.Body, own, do)
	}
}

// ownNames collects what a function's body declares.
func ownNames(body []Stmt, own map[string]bool) {
	for _, s := range body {
		switch s := s.(type) {
		case *Var:
			own[s.Name] = true
		case *Label:
			own[s.Name] = true
		case *BranchTargets:
			own[s.Name] = true
		case *CallPrototype:
			own[s.Name] = true
		case *Scope:
			ownNames(s.Body, own)
		}
	}
}

func bodySymbols(body []Stmt, own map[string]bool, do func(*string)) {
	for _, s := range body {
		switch s := s.(type) {
		case *Inst:
			for i := range s.Args {
				operandSymbols(&s.Args[i], own, do)
			}
		case *Scope:
			bodySymbols(s.Body, own, do)
		}
	}
}

func operandSymbols(o *Operand, own map[string]bool, do func(*string)) {
	if (o.Kind == KindSym || o.Kind == KindMem) && o.Name != "" && o.Name[0] != '%' && !own[o.Name] {
		do(&o.Name)
	}
	for i := range o.List {
		operandSymbols(&o.List[i], own, do)
	}
}

// rename gives local names that are taken others, in their parts.
func (l *linker) rename() {
	for _, p := range l.parts {
		for _, d := range p.Module.Decls {
			name := declName(d)
			if linkageOf(d) != "" || p.renamed[name] != "" {
				continue
			}
			to := name
			for n := 1; l.taken[to]; n++ {
				to = fmt.Sprintf("%s$%d", name, n)
			}
			l.taken[to] = true
			p.renamed[name] = to
		}
		Rename(p.Module, p.renamed)
	}
}

// Rename changes the names of a module's functions and variables, and what refers to them.
func Rename(m *Module, names map[string]string) {
	change := func(name *string) {
		if to := names[*name]; to != "" {
			*name = to
		}
	}
	for _, d := range m.Decls {
		eachSymbol(d, change)
		switch d := d.(type) {
		case *Func:
			change(&d.Name)
		case *Var:
			change(&d.Name)
		}
	}
}

// write adds the declarations to the result: those of functions that are named before they are
// defined, variables behind those that their initial values name, and functions.
func (l *linker) write() {
	var vars []*Var
	var funcs []*Func
	known := map[string]*Func{}
	provided := map[string]bool{} // what is declared, and defined elsewhere or at the launch
	for _, p := range l.parts {
		for _, d := range p.Module.Decls {
			switch {
			case p.dropped[d]:
			case isDeclaration(d):
				if name := declName(d); (isDynamic(d) || isRuntime(name)) && linkageOf(d) == "extern" {
					l.provide(d, provided)
				}
			default:
				if v, ok := d.(*Var); ok {
					vars = append(vars, v)
				} else {
					f := d.(*Func)
					funcs = append(funcs, f)
					known[f.Name] = f
				}
			}
		}
	}
	l.prototypes(vars, funcs, known)
	l.variables(vars)
	for _, v := range vars {
		l.publish(&v.Linkage)
	}
	for _, f := range funcs {
		l.publish(&f.Linkage)
		l.out.Decls = append(l.out.Decls, f)
	}
}

// publish makes the definition that is taken of several the one of the module.
func (l *linker) publish(linkage *string) {
	if *linkage == "weak" {
		*linkage = "visible"
	}
}

// provide declares a function of the runtime or dynamic shared memory, once.
func (l *linker) provide(d Decl, provided map[string]bool) {
	name := declName(d)
	if !provided[name] {
		provided[name] = true
		l.out.Decls = append(l.out.Decls, d)
		return
	}
	if v, ok := d.(*Var); ok {
		for _, old := range l.out.Decls {
			if o, ok := old.(*Var); ok && o.Name == name {
				o.Align = max(o.Align, v.Align)
			}
		}
	}
}

// prototypes declares the functions that are named ahead of their definitions.
func (l *linker) prototypes(vars []*Var, funcs []*Func, known map[string]*Func) {
	seen := map[string]bool{}
	use := func(name *string) {
		f := known[*name]
		if f == nil || seen[f.Name] || f.Entry {
			return
		}
		seen[f.Name] = true
		proto := *f
		proto.Proto, proto.Body = true, nil
		l.publish(&proto.Linkage)
		l.out.Decls = append(l.out.Decls, &proto)
	}
	for _, v := range vars {
		eachSymbol(v, use)
	}
	for _, f := range funcs {
		seen[f.Name] = true // a function may call itself
		eachSymbol(f, use)
	}
}

// variables adds variables, each behind those that its initial value names. Of those that name
// each other, one is declared ahead.
func (l *linker) variables(vars []*Var) {
	byName := map[string]*Var{}
	for _, v := range vars {
		byName[v.Name] = v
	}
	state := map[*Var]int{} // 1 while those that it names are added, 2 behind that
	ahead := map[*Var]bool{}
	var add func(v *Var)
	add = func(v *Var) {
		state[v] = 1
		eachSymbol(v, func(name *string) {
			w := byName[*name]
			switch {
			case w == nil || w == v:
			case state[w] == 0:
				add(w)
			case state[w] == 1 && !ahead[w]:
				ahead[w] = true
				d := *w
				d.Linkage, d.Init = "extern", nil
				l.out.Decls = append(l.out.Decls, &d)
			}
		})
		state[v] = 2
		l.out.Decls = append(l.out.Decls, v)
	}
	for _, v := range vars {
		if state[v] == 0 {
			add(v)
		}
	}
}
