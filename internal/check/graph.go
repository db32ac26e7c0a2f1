package check

import (
	"slices"
	"strings"

	"irgl/syntax"
)

// This file checks the Graph: requirements, properties and declared races. A
// Mesh has the last two as well.

// declareGraph declares the Graph and its properties' names and types; what
// depends on the rest of the file waits for graphBody.
func (c *checker) declareGraph(g *syntax.GraphDecl) {
	if c.info.Graph != nil {
		c.errorf(g.Name, codeTwoGraphs, "a program has one Graph, this is the second")
		return
	}
	c.info.Graph = g
	o := &Object{Kind: GraphObj, Name: nameOf(g.Name), Type: GraphType, Decl: g, ReadOnly: true, Global: true}
	c.declare(g.Name, o)
	c.graph = o
	r := &c.info.Requires
	c.requires(g.Requires, "graph", []string{"weights", "symmetric", "sorted", "noloops", "nodups", "nonnegative", "conservative"},
		[]*bool{&r.Weights, &r.Symmetric, &r.Sorted, &r.NoLoops, &r.NoDups, &r.NonNegative, &r.Conservative})
	r.Weights = r.Weights || r.NonNegative || r.Conservative
	for _, p := range g.Props {
		if p != nil {
			c.declareProp(p)
		}
	}
}

// requires sets what the words of Requires stand for.
func (c *checker) requires(list []*syntax.Ident, of string, words []string, set []*bool) {
	for _, w := range list {
		if w == nil {
			continue
		}
		if i := slices.Index(words, w.Name); i >= 0 {
			*set[i] = true
			continue
		}
		d := c.errorf(w, codeRequires, "%s is nothing that a program can require of its %s", w.Name, of)
		if d.Hint = nearest(w.Name, slices.Clone(words)); d.Hint == "" {
			d.Hint = "it can require: " + strings.Join(words, ", ")
		}
	}
}

// declareProp declares one property. Properties are named through a node or
// an edge only, so they share no scope with variables.
func (c *checker) declareProp(p *syntax.PropDecl) {
	q := c.typ(p.Type)
	name := nameOf(p.Name)
	_, array := q.Type.(*Array)
	switch {
	case q.Type == Invalid:
	case !IsArithmetic(elemOf(q.Type)) || !c.complete(p, q.Type, "a property"):
		c.errorf(p, codePropType, "a property must be a number, a bool, a handle or an array of these, not %s", describe(q.Type))
		q.Type = Invalid
	case array && p.Output:
		c.errorf(p, codePropType, "an output is one value for each %s, not %s", strings.ToLower(p.Of.String()), q.Type)
	case array && p.Init != nil:
		c.errorf(p.Init, codePropInit, "a property that is an array starts with zeros").Hint = "set it in a Kernel"
	case q.Type == Edge && p.Output:
		c.errorf(p, codePropType, "an output cannot be an edge").Hint = "store e.id in a long"
	}
	o := &Object{Kind: PropObj, Name: name, Type: q.Type, Decl: p, Global: true, ReadOnly: q.ro, Volatile: q.volatile}
	if p.Output {
		o.Attrs = syntax.Output
	}
	base := handles[p.Of]
	if name == "" {
		return
	}
	builtin := memberObjects()[base][name] != nil
	if builtin && name == "weight" {
		builtin = c.info.Requires.Weights
	}
	if builtin {
		c.errorf(p.Name, codeRedeclared, "every %s already has %s: give the property another name", base, name)
		return
	}
	if prev := c.info.PropOf(name); prev != nil && prev.Builtin {
		c.errorf(p.Name, codeRedeclared, "every %s has %s already", handles[prev.Of], name)
		return
	} else if prev != nil {
		noteDecl(c.errorf(p.Name, codeRedeclared, "%s is declared twice", name), prev.Object, "the first declaration")
		return
	}
	c.info.Defs[p.Name] = o
	c.info.Props = append(c.info.Props, &Prop{Object: o, Decl: p, Of: p.Of, Output: p.Output})
}

// propBodies checks the initialisers, which may name what the file declares
// after the Graph.
func (c *checker) propBodies() {
	for _, p := range c.info.Props {
		if _, array := p.Object.Type.(*Array); p.Decl.Init != nil && !array {
			c.propInitialiser(p)
		}
	}
}

// racy checks the Racy declarations of a Graph or a Mesh.
func (c *checker) racy(list []*syntax.RacyDecl) {
	for _, r := range list {
		if r == nil || r.Name == nil {
			continue
		}
		name := r.Name.Name
		if p := c.info.PropOf(name); p != nil {
			c.info.Uses[r.Name] = p.Object
		} else if o := c.fileScope.names[name]; o != nil && o.Kind == VarObj {
			c.info.Uses[r.Name] = o
		} else {
			c.errorf(r.Name, codeRacy, "%s is neither a property nor a global variable", name).Hint = c.racyHint(name)
			continue
		}
		if _, twice := c.info.Racy[name]; twice {
			c.errorf(r.Name, codeRedeclared, "%s is declared Racy twice", name)
		}
		c.info.Racy[name] = r.Reason
	}
}

// racyHint suggests what a Racy declaration may have meant.
func (c *checker) racyHint(name string) string {
	var all []string
	for _, p := range c.info.Props {
		all = append(all, p.Object.Name)
	}
	for _, o := range c.info.Globals {
		all = append(all, o.Name)
	}
	return nearest(name, all)
}

// propInitialiser checks the initialiser of a property, in which id is the
// number of the node or edge, and degree and in_degree are those of the node.
func (c *checker) propInitialiser(p *Prop) {
	defer c.push()()
	idType := Type(Int)
	switch p.Of {
	case syntax.EdgeDomain:
		idType = Long
	case syntax.NodeDomain:
		for _, name := range []string{"degree", "in_degree"} {
			c.scope.names[name] = &Object{Kind: BuiltinObj, Name: name, Type: Int, ReadOnly: true}
		}
	}
	c.scope.names["id"] = &Object{Kind: BuiltinObj, Name: "id", Type: idType, ReadOnly: true}
	c.propInit = true
	defer func() { c.propInit = false }()
	x := c.rvalue(p.Decl.Init)
	if x.typ == Invalid {
		return
	}
	if !c.convertible(p.Decl.Init, &x, p.Object.Type, "the initial value of "+p.Object.Name) {
		return
	}
	if bad := c.notSimple(p.Decl.Init); bad != nil {
		c.errorf(bad, codePropInit, "the initial value of a property is made of constants, id, degree and in_degree").Hint = "set it in a Kernel over graph.nodes"
	}
}

// notSimple returns a part of e that is more than arithmetic on constants, id,
// degree and in_degree, or nil.
func (c *checker) notSimple(e syntax.Expr) syntax.Expr {
	first := func(es ...syntax.Expr) syntax.Expr {
		for _, e := range es {
			if bad := c.notSimple(e); bad != nil {
				return bad
			}
		}
		return nil
	}
	switch e := e.(type) {
	case *syntax.BasicLit, *syntax.SizeofExpr:
		return nil
	case *syntax.Ident:
		if o := c.info.Uses[e]; o != nil && (o.Const != nil || o.Kind == BuiltinObj) {
			return nil
		}
	case *syntax.ParenExpr:
		return first(e.X)
	case *syntax.UnaryExpr:
		if e.Op != "&" && e.Op != "*" && e.Op != "++" && e.Op != "--" {
			return first(e.X)
		}
	case *syntax.BinaryExpr:
		return first(e.X, e.Y)
	case *syntax.CondExpr:
		return first(e.Cond, e.Then, e.Else)
	case *syntax.CastExpr:
		return first(e.X)
	}
	return e
}
