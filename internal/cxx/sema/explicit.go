package sema

import (
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/types"
)

// This file has explicit instantiation definitions ([temp.explicit]). A declaration, extern
// template, has nothing to do: what is used is instantiated all the same.

// instantiated returns the functions that an explicit instantiation defines: for a class, the
// members that are for the device.
func (c *checker) instantiated(x explicit) []*function {
	if d, ok := x.decl.Decl.(*ast.ClassDecl); ok {
		return c.instantiatedMembers(x, d)
	}
	f := c.instantiate(x)
	if f == nil {
		return nil
	}
	f.request(x.decl.Span, nil)
	return []*function{f}
}

// instantiatedMembers returns the member functions for the device of a class that is
// instantiated explicitly, and of the classes in it. A class of the host's alone may have what
// device code cannot: nothing is reported of it.
func (c *checker) instantiatedMembers(x explicit, d *ast.ClassDecl) []*function {
	e := &env{checker: c, scope: x.scope, order: x.order}
	var k *class
	c.ofHost++
	c.fails(func() {
		if k = classOfType(e.typeNamed(d.Name, false)); k != nil {
			c.complete(k, d.Name.Span)
		}
	})
	c.ofHost--
	if k == nil {
		return nil
	}
	list := c.deviceMembers(k)
	if len(list) > 0 {
		c.complete(k, d.Name.Span)
	}
	for _, f := range list {
		f.request(x.decl.Span, nil)
	}
	return list
}

// deviceMembers returns the member functions of an instance that are for the device alone, with
// those of its nested classes.
func (c *checker) deviceMembers(k *class) []*function {
	var list []*function
	add := func(f *function) {
		if f.tmpl != nil || f.implicit || f.deleted || f.bad || !f.has(ast.Device) || f.has(ast.Host) {
			return
		}
		c.findDefinition(f)
		if f.def != nil && f.def.Body != nil {
			list = append(list, f)
		}
	}
	e := c.at(k.scope)
	for _, f := range e.constructors(k) {
		add(f)
	}
	e.methods(k, add)
	for i := range k.scope.list {
		if in, ok := k.scope.list[i].tag.(*class); ok && in.scope.parent == k.scope {
			c.ofHost++
			c.complete(in, in.at)
			c.ofHost--
			list = append(list, c.deviceMembers(in)...)
		}
	}
	return list
}

// instantiate returns the function that an explicit instantiation is of: an instance of a
// function template or a member of a class template's instance. It is nil for others.
func (c *checker) instantiate(x explicit) *function {
	d, ok := x.decl.Decl.(*ast.FuncDecl)
	if !ok {
		return nil
	}
	e := &env{checker: c, scope: x.scope, order: x.order}
	f := e.lookupName(d.Name, anything)
	if !f.found() {
		if d.Specs.Has(ast.Global) {
			e.undeclared(d.Name, qualifier{}, &f, "")
		}
		return nil
	}
	set, ok := f.obj.(*overloads)
	if !ok {
		return nil
	}
	c.resolveSet(set)
	var t types.Type
	why := c.try(func() { t, _ = e.funcType(d.Type) })
	var targs []types.Arg
	if why == nil && d.Name.Last.HasArgs {
		why = c.try(func() { targs, _ = e.rawArgs(d.Name.Last.Args) })
	}
	kernel := d.Specs.Has(ast.Global)
	for _, g := range set.funcs {
		kernel = kernel || g.has(ast.Global)
	}
	if why != nil || !t.IsValid() {
		if kernel {
			if why != nil {
				c.errorf(x.decl, codeSpecialization, "explicit instantiation of '%s': %s", set.name, why.Message)
			}
		}
		return nil
	}
	var best, from *function
	for _, g := range set.funcs {
		if g.tmpl == nil {
			if g.class != nil && g.class.tmpl != nil && g.typ == t {
				return g
			}
			continue
		}
		if h := e.instanceOfType(g, targs, t); h != nil && (best == nil || e.moreSpecialized(g, from, len(g.params), len(from.params)) > 0) {
			best, from = h, g
		}
	}
	if best == nil && kernel {
		c.errorf(d.Name, codeSpecialization, "explicit instantiation of '%s' does not refer to a function template", set.name)
	}
	return best
}
