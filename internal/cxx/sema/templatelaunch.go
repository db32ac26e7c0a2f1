package sema

import (
	"slices"

	"irgl/internal/cxx/ast"
	"irgl/internal/source"
)

// This file finds launches in templates of the host. Device code does not instantiate these, so
// that it does not know the instances of kernel templates that they launch.

// A templateLaunches is a search of the declarations of a unit.
type templateLaunches struct {
	embedded map[*source.File]bool
	kernels  []string          // the names of kernel templates
	launches []*ast.LaunchExpr // in templates
}

// warnTemplateLaunches warns of the first launch, in templates of the host, of each kernel template of which
// no instance is known. The instances that the host's compiler has named are all.
func (c *checker) warnTemplateLaunches(known []*function) {
	if c.opts.Instances != nil {
		return
	}
	s := &templateLaunches{embedded: c.opts.Embedded}
	s.decls(c.unit.Decls, false)
	for _, l := range s.launches {
		n, ok := stripParens(l.Fun).(*ast.NameExpr)
		if !ok {
			continue
		}
		name := segmentKey(n.Name.Last)
		i := slices.Index(s.kernels, name)
		if i < 0 || slices.ContainsFunc(known, func(f *function) bool { return f.of != nil && f.name == name }) {
			continue
		}
		s.kernels = slices.Delete(s.kernels, i, i+1)
		d := c.warnf(n, codeUnknownInstance, "the instance of kernel template '%s' that this launch needs is not known: the launch is in a template", name)
		d.Hint = "the instance is not compiled unless it is named, by --instance or an explicit instantiation"
	}
}

// decls searches declarations, of a template's class perhaps.
func (s *templateLaunches) decls(list []ast.Decl, inTemplate bool) {
	for _, d := range list {
		if !s.embedded[d.Pos().File] {
			s.decl(d, inTemplate)
		}
	}
}

func (s *templateLaunches) decl(d ast.Decl, inTemplate bool) {
	switch d := d.(type) {
	case *ast.NamespaceDecl:
		s.decls(d.Decls, inTemplate)
	case *ast.LinkageDecl:
		s.decls(d.Decls, inTemplate)
	case *ast.ClassDecl:
		s.decls(d.Members, inTemplate)
	case *ast.TemplateDecl:
		s.decl(d.Decl, true)
	case *ast.FuncDecl:
		switch {
		case !inTemplate || d.Body == nil || d.Name == nil:
		case d.Specs.Has(ast.Global):
			s.kernels = append(s.kernels, segmentKey(d.Name.Last))
		case !d.Specs.Has(ast.Device):
			s.launches = append(s.launches, d.Body.Launches()...)
		}
	}
}
