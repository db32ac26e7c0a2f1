package tree

import "irgl/syntax"

// A Binding says what the identifiers of a function are.
type Binding struct {
	// Uses has, for each identifier that names a parameter or a variable of the
	// function, the *syntax.Param or *syntax.VarDecl that declares it. What the
	// function does not declare is not in it.
	Uses map[*syntax.Ident]syntax.Node
}

// Resolve binds the identifiers in the body of a function of the CUDA dialect by
// C's scopes: blocks, the heads of for loops, and the parameters.
func Resolve(f *syntax.FuncDecl) *Binding {
	r := resolver{b: &Binding{Uses: map[*syntax.Ident]syntax.Node{}}}
	r.open()
	for _, p := range f.Params {
		if p.Name != nil {
			r.declare(p.Name.Name, p)
		}
	}
	if f.Body != nil {
		r.walk(f.Body)
	}
	return r.b
}

// Of returns what declares the variable that x names, in parentheses or not; nil
// for anything else.
func (b *Binding) Of(x syntax.Expr) syntax.Node {
	if x == nil {
		return nil
	}
	if id, ok := syntax.Unparen(x).(*syntax.Ident); ok {
		return b.Uses[id]
	}
	return nil
}

// ParamsOf returns the parameters of f whose type is the struct with a tag.
func ParamsOf(f *syntax.FuncDecl, tag string) []*syntax.Param {
	var out []*syntax.Param
	for _, p := range f.Params {
		if IsStruct(p.Type, tag) {
			out = append(out, p)
		}
	}
	return out
}

// IsStruct reports whether a type is the struct with a tag, qualified or not.
func IsStruct(t syntax.TypeExpr, tag string) bool {
	switch t := t.(type) {
	case *syntax.QualType:
		return IsStruct(t.Elem, tag)
	case *syntax.TagType:
		return t.Kind == syntax.StructTag && t.Tag != nil && t.Tag.Name == tag
	case *syntax.NamedType:
		return t.Name == tag
	}
	return false
}

type resolver struct {
	b      *Binding
	scopes []map[string]syntax.Node
}

func (r *resolver) open()  { r.scopes = append(r.scopes, map[string]syntax.Node{}) }
func (r *resolver) close() { r.scopes = r.scopes[:len(r.scopes)-1] }

func (r *resolver) declare(name string, n syntax.Node) { r.scopes[len(r.scopes)-1][name] = n }

func (r *resolver) use(id *syntax.Ident) {
	for i := len(r.scopes) - 1; i >= 0; i-- {
		if n := r.scopes[i][id.Name]; n != nil {
			r.b.Uses[id] = n
			return
		}
	}
}

// walk resolves the names in n, whose children come in the order of the text.
func (r *resolver) walk(n syntax.Node) {
	switch n := n.(type) {
	case *syntax.Block, *syntax.ForStmt:
		r.open()
		r.into(n)
		r.close()
	case *syntax.VarDecl:
		r.into(&syntax.VarDecl{Type: n.Type})
		r.declare(n.Name.Name, n) // its own initialiser sees it
		if n.Init != nil {
			r.walk(n.Init)
		}
	case *syntax.MemberExpr:
		r.walk(n.X)
	case *syntax.InitElem:
		if n.Index != nil {
			r.walk(n.Index)
		}
		r.walk(n.Value)
	case *syntax.EnumConst:
		if n.Value != nil {
			r.walk(n.Value)
		}
	case *syntax.TagType, *syntax.LabelStmt, *syntax.GotoStmt, *syntax.FuncType:
		// their names are no variables
	case *syntax.Ident:
		r.use(n)
	default:
		r.into(n)
	}
}

// into walks the children of n.
func (r *resolver) into(n syntax.Node) {
	top := true
	syntax.Inspect(n, func(c syntax.Node) bool {
		if top {
			top = false
			return true
		}
		if c != nil {
			r.walk(c)
		}
		return false
	})
}
