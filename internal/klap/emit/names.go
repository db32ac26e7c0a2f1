package emit

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/cpp"
	"irgl/internal/cxx/lower"
	"irgl/internal/cxx/types"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

// Names are what the source calls the functions and types of the lowered program.
type names struct {
	functions map[string]string         // by symbol: as an expression names them
	symbols   []string                  // longest first
	plain     map[string]string         // by symbol: a part of an identifier
	tags      map[string][]*types.Class // by the tag in the lowered program
	used      map[string]bool           // in the source
	spaces    map[string]string         // of new declarations: n:: for those of the namespace n
	fresh     map[string]string         // new declarations that are called otherwise, by symbol
	clash     clashes                   // what else is
	all       bool                      // what is written has no text of the source
	unnamed   string                    // what cannot be named
	unnamedAt source.Pos                // where its type would be
	locals    map[string]string         // the variables of the function that is written
	refs      map[source.Pos]bool       // parameters that are references
	source    bool                      // what is written has the text of the source, and its references
	enums     map[source.Pos]types.Type // of declarations whose types are enumerations
}

func newNames(e *emitter) *names {
	n := &names{functions: map[string]string{}, plain: map[string]string{}, tags: map[string][]*types.Class{}, used: map[string]bool{}, enums: e.enumerations(), refs: e.references()}
	for i := range e.t.toks {
		if k := &e.t.toks[i]; k.Kind == cpp.Ident {
			n.used[k.Text()] = true
		}
	}
	taken := map[string]string{}
	for _, f := range e.u.CXX.HIR.Funcs {
		n.functions[f.Symbol] = f.Name
		if f.Symbol == f.Name {
			continue
		}
		n.symbols = append(n.symbols, f.Symbol)
		name := lower.Identifier(f.Name)
		for of, k := taken[name], 2; of != "" && of != f.Symbol; k++ {
			name = fmt.Sprintf("%s_%d", lower.Identifier(f.Name), k)
			of = taken[name]
		}
		taken[name] = f.Symbol
		n.plain[f.Symbol] = name
	}
	slices.SortFunc(n.symbols, func(a, b string) int { return len(b) - len(a) })
	for _, c := range e.u.CXX.HIR.Classes {
		tag := lower.Identifier(c.String())
		n.tags[tag] = append(n.tags[tag], c)
	}
	return n
}

// part returns an identifier with the names of the source for the symbols in it.
func (n *names) part(id string) string {
	if name, ok := n.fresh[id]; ok {
		return name
	}
	if !strings.Contains(id, "_Z") {
		return id
	}
	for _, s := range n.symbols {
		if at := strings.Index(id, s); at >= 0 {
			id = id[:at] + n.plain[s] + id[at+len(s):]
			break
		}
	}
	return id
}

// name returns what the source, or the text that is written, calls what the lowered program calls id.
func (n *names) name(id string) string {
	if f, ok := n.functions[id]; ok {
		return f
	}
	return n.part(id)
}

// member returns the last part of a function's name.
func (n *names) member(id string) string { return n.part(id) }

// resolved gives a tree, which it changes, the names of the source.
func (n *names) resolved(x syntax.Node) syntax.Node {
	if f, ok := x.(*syntax.FuncDecl); ok {
		if n.functions[f.Name.Name] != f.Name.Name {
			f.Attrs &^= syntax.ExternC
		}
	}
	v := &renamer{n}
	if t, ok := x.(syntax.TypeExpr); ok {
		v.Type(&t)
		return t
	}
	return v.Node(x)
}

// launchError is what the library has for the device's cudaGetLastError.
const launchError = "irgl_launch_error"

type renamer struct{ n *names }

func (r *renamer) Expr(place *syntax.Expr) {
	if c, ok := (*place).(*syntax.CastExpr); ok {
		if name := streamName(c); name != "" {
			*place = &syntax.Ident{Name: name}
			return
		}
	}
	if c := tree.CallOf(*place, launchError); c != nil {
		*place = &syntax.CallExpr{Fun: &syntax.Ident{Name: "cudaGetLastError"}}
		return
	}
	r.Node(*place)
}

// streamName returns the name that CUDA has for a number as a stream.
func streamName(c *syntax.CastExpr) string {
	t, ok := c.Type.(*syntax.NamedType)
	x := syntax.Unparen(c.X)
	if in, cast := x.(*syntax.CastExpr); cast {
		return streamName(in)
	}
	lit, number := x.(*syntax.BasicLit)
	if !ok || !number || t.Name != "cudaStream_t" {
		return ""
	}
	return map[string]string{"1": "cudaStreamLegacy", "2": "cudaStreamPerThread", "3": "cudaStreamTailLaunch", "4": "cudaStreamFireAndForget"}[strings.TrimPrefix(lit.Text, "0x")]
}

func (r *renamer) Stmt(place *syntax.Stmt) { r.Node(*place) }

func (r *renamer) Stmts(list *[]syntax.Stmt) {
	for _, s := range *list {
		r.Node(s)
	}
}

func (r *renamer) Type(place *syntax.TypeExpr) {
	if t, ok := (*place).(*syntax.TagType); ok && !t.Defined && t.Tag != nil {
		if r.n.unnamed == "" {
			r.n.unnamedAt = t.Pos()
		}
		if list := r.n.tags[t.Tag.Name]; len(list) == 1 {
			if list[0].Lambda != 0 || list[0].Name == "" {
				r.n.unnamed = "a class without a name"
			}
			*place = &syntax.NamedType{Span: t.Span, Name: spoken(list[0].String())}
			return
		} else if len(list) > 1 {
			r.n.unnamed = "one of several types called " + t.Tag.Name
		} else if strings.HasPrefix(t.Tag.Name, "lambda") {
			r.n.unnamed = "the type of a lambda"
		}
	}
	r.Node(*place)
}

func (r *renamer) Node(x syntax.Node) syntax.Node {
	switch x := x.(type) {
	case *syntax.FuncDecl:
		r.n.declarator(x.Name)
		r.Type(&x.Result)
		for _, p := range x.Params {
			r.Node(p)
		}
		if x.Body != nil {
			r.Node(x.Body)
		}
		return x
	case *syntax.TagType:
		if x.Defined && x.Tag != nil {
			r.n.declarator(x.Tag)
			for _, f := range x.Fields {
				r.Node(f)
			}
			return x
		}
	case *syntax.Ident:
		if name, ok := r.n.locals[x.Name]; ok {
			x.Name = name
			return x
		}
		x.Name = r.n.reference(x.Name)
	case *syntax.MemberExpr:
		if r.n.all || ofOurs(x.X) {
			x.Name.Name = r.n.field(x.Name.Name)
		}
		r.Expr(&x.X)
		return x
	case *syntax.Param:
		if x.Name != nil {
			r.n.enumerated(&x.Type, x.Name, x)
		}
		if r.n.source && r.n.isReference(x, x.Name) {
			r.Type(&x.Type)
			if name := r.n.locals[x.Name.Name]; name != "" {
				x.Name.Name = name
			}
			referred(&x.Type, x.Name)
			return x
		}
	case *syntax.CastExpr:
		r.n.enumerated(&x.Type, x)
	case *syntax.VarDecl:
		if x.Name != nil {
			r.n.enumerated(&x.Type, x.Name)
		}
		if x.Name != nil && r.n.spaces[x.Name.Name] != "" { // a new variable of a namespace
			r.n.declarator(x.Name)
			r.Type(&x.Type)
			return x
		}
		if r.n.source && r.n.isReference(x, x.Name) && x.Init != nil {
			r.Type(&x.Type)
			r.Expr(&x.Init)
			if name := r.n.locals[x.Name.Name]; name != "" {
				x.Name.Name = name
			}
			if referred(&x.Type, x.Name) {
				x.Init = &syntax.UnaryExpr{Op: "*", X: x.Init}
			}
			return x
		}
	}
	syntax.Visit(x, r)
	return x
}
