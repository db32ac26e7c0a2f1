package emit

import (
	"fmt"
	"slices"
	"strings"

	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/lower"
	"irgl/syntax"
)

// Instances of function templates.
//
//	template <typename T, int N>           template <typename T, int N>
//	__global__ void parent(T *p) {         __global__ void parent(T *p) {
//		child<T, N><<<1, N>>>(p);      	child<T, N><<<1, N>>>(p);
//	}                                      }
//
//	                                       template <>
//	                                       __global__ void parent<float, 4>(float *p) {
//	                                       	using T = float;
//	                                       	constexpr int N = 4;
//	                                       	...
//	                                       }
//
// An instance that changes becomes an explicit specialisation behind the template, and what calls or launches it stays as it
// is. A copy of an instance is a function of its own, child_float_4_agg, with the parameters of the template in the same way. The specialisation has the
// text of the template: what an instance leaves out of it (if constexpr) must compile all the same. Not for member templates,
// for parameters that are packs or templates, and for arguments without a name.
//
// A specialisation has the parameters that the template gives it. An instance that is passed a chain of launches is one of another
// template of the name, which takes the chain and has no definition:
//
//	template <typename T>
//	__device__ void launch(T *p, struct __klap_chain *__klap_chain);
//
//	template <>
//	__device__ void launch<float>(float *p, struct __klap_chain *__klap_chain) {...}
//
// A copy of a member of a class template is a member of the class template, too, with the text of that member: a member that no instance
// uses is not instantiated. What changes a member itself would change that of all instances.

// An instance is a function that a template was instantiated for.
type instance struct {
	def  *definition
	name string // with arguments, as C++ writes it
	args []string
}

// instance returns the template and arguments that a function, whose definition is def, was instantiated from; nil for an ordinary
// function, or if the text cannot name it.
func (e *emitter) instance(f *syntax.FuncDecl, def *definition) *instance {
	if !def.template {
		return nil
	}
	in := &instance{def: def, name: e.names.functions[f.Name.Name]}
	in.args = arguments(spoken(in.name))
	switch {
	case def.tmpl == nil || def.class != nil || e.member(f) != nil:
		e.fail(f, "%s is a member of a template, or a member template, and the text cannot have one instance of it alone", in.name)
		return nil
	case slices.ContainsFunc(def.tmpl.Params, func(p *ast.TemplateParam) bool { return p.Pack || p.Kind == ast.TemplateTemplateParam }):
		e.fail(f, "a parameter of the template is a pack or a template, which the text cannot name for %s alone", in.name)
		return nil
	case len(in.args) != len(def.tmpl.Params), strings.Contains(in.name, "lambda"), strings.Contains(in.name, "_Z"):
		e.fail(f, "an argument of the template, of which %s is an instance, has no name in the text", def.decl.Name.Last.Ident)
		return nil
	}
	return in
}

// arguments returns the arguments of a template in the name of an instance.
func arguments(name string) []string {
	if !strings.HasSuffix(name, ">") {
		return nil
	}
	depth, end := 0, len(name)-1
	var out []string
	for i := end; i >= 0; i-- {
		switch c := name[i]; {
		case c == '>' || c == ')' || c == ']' || c == '}':
			depth++
		case c == '<' || c == '(' || c == '[' || c == '{':
			depth--
		}
		if depth == 0 || depth == 1 && name[i] == ',' {
			out = append(out, strings.TrimSpace(name[i+1:end]))
			end = i
		}
		if depth == 0 {
			break
		}
	}
	slices.Reverse(out)
	return out
}

// bindings returns the declarations by which the body of an instance has the parameters of the template that are in it.
func (in *instance) bindings(e *emitter, body string) []string {
	used := tokensOf(body)
	need := map[string]bool{}
	for i := len(in.args) - 1; i >= 0; i-- { // the type of a value may name a parameter in front
		if p := in.def.tmpl.Params[i]; p.Name != nil && slices.Contains(used, p.Name.Name) {
			need[p.Name.Name] = true
			if p.Type != nil {
				used = append(used, tokensOf(e.between(p.Type.Pos().Offset, p.Type.End().Offset))...)
			}
		}
	}
	var out []string
	for i, p := range in.def.tmpl.Params {
		switch {
		case p.Name == nil || !need[p.Name.Name]:
		case p.Kind == ast.TypeParam:
			out = append(out, fmt.Sprintf("using %s = %s;", p.Name.Name, in.args[i]))
		default:
			out = append(out, fmt.Sprintf("constexpr %s %s = %s;", e.between(p.Type.Pos().Offset, p.Type.End().Offset), p.Name.Name, in.args[i]))
		}
	}
	return out
}

func (e *emitter) between(from, to int32) string { return string(e.t.file.Content[from:to]) }

// bound returns the text of a body with the bindings at its beginning.
func (in *instance) bound(e *emitter, body string) string {
	list := in.bindings(e, body)
	open := strings.IndexByte(body, '{')
	if len(list) == 0 || open < 0 {
		return body
	}
	text := strings.Join(list, "\n")
	if rest := strings.TrimLeft(body[open+1:], " \t"); !strings.HasPrefix(rest, "\n") {
		return body[:open+1] + "\n" + indented("\t"+text, "\t") + "\n\t" + strings.TrimSuffix(rest, "}") + "\n}"
	}
	return body[:open+1] + "\n" + indented("\t"+text, "\t") + body[open+1:]
}

// head returns the changes by which the words between template <...> and the body are those of an instance whose name is
// name, where they begin, and what is declared in front of them.
func (in *instance) head(e *emitter, body int32, name string, special bool) (from int32, list []change, front string) {
	def := in.def
	from = def.tmpl.Decl.Pos().Offset
	at := def.decl.Name.Last.Pos().Offset
	for i := e.t.token(from); i < len(e.t.toks) && e.t.toks[i].From() < body; i++ {
		k := &e.t.toks[i]
		if k.From() == at {
			list = append(list, change{k.From(), k.To(), name, nil})
			continue
		}
		if special && e.macros[k.From()] != 0 && def.decl.Specs.Has(ast.Static) {
			e.expandAt(k.From())
		}
		if special && k.Text() == "static" { // which a specialisation has of its template
			list = append(list, change{k.From(), e.t.toks[i+1].From(), "", nil})
			continue
		}
		if k.Kind != cpp.Ident || i > 0 && e.t.toks[i-1].Word == cpp.ColonColon {
			continue
		}
		for j, p := range def.tmpl.Params {
			if p.Name != nil && p.Name.Name == k.Text() {
				list = append(list, change{k.From(), k.To(), in.word(e, j), nil})
				if line := fmt.Sprintf("using %s = %s;\n", in.alias(e, j), in.args[j]); in.declarator(j) && !strings.Contains(front, line) {
					front += line
				}
			}
		}
	}
	return from, list, front
}

// word returns what stands for a parameter of the template in the words in front of a body: its argument, in a form that * and
// other declarators can follow.
func (in *instance) word(e *emitter, j int) string {
	arg := in.args[j]
	if in.def.tmpl.Params[j].Kind != ast.TypeParam {
		return "(" + arg + ")"
	}
	if in.declarator(j) {
		return in.alias(e, j)
	}
	return arg
}

// declarator reports whether an argument is a type that other words cannot surround.
func (in *instance) declarator(j int) bool {
	return in.def.tmpl.Params[j].Kind == ast.TypeParam && strings.ContainsAny(in.args[j], "*&[(")
}

// alias returns the name that such an argument has in front of a body.
func (in *instance) alias(e *emitter, j int) string {
	return fmt.Sprintf("__klap_%s_%s", in.def.tmpl.Params[j].Name.Name, lower.Identifier(in.name))
}

// special returns the text of the explicit specialisation that an instance becomes which is f now: a prototype of it without
// a body.
func (e *emitter) special(old, f *syntax.FuncDecl, def *definition) string {
	in := e.instance(old, def)
	if in == nil {
		return ""
	}
	name := e.between(def.decl.Name.Last.Pos().Offset, def.decl.Name.Last.End().Offset) + "<" + strings.Join(in.args, ", ") + ">"
	words := "template <>\n"
	if f.Body != nil && e.idle[f.Name.Name] {
		words += maybeUnused
	}
	return e.instanceText(in, e.newEditor(old), old, f, words, name)
}

// overload returns the declaration of the template whose instance takes a chain of launches, in front of the first of such
// instances; "" for another one.
func (e *emitter) overload(it *item, def *definition) string {
	old := e.before[it.name]
	if len(it.fn.Params) == len(old.Params) || e.instance(old, def) == nil {
		return ""
	}
	for i, other := range e.items {
		if o := e.before[other.name]; o == nil || other.at == nowhere || !other.special && !other.proto || e.definitionOf(o) != def {
			continue
		}
		if other.at < it.at || other.at == it.at && i < slices.Index(e.items, it) {
			return ""
		}
	}
	body := old.Body.Pos().Offset
	text := e.splice(def.from, body, e.params(old, it.fn, def))
	return outdented(strings.TrimRight(text, " \t\n"), e.t.indentation(def.from)) + ";\n\n"
}

// instanceText returns the text of a function, f now, that is made of an instance. Its name has some words in front.
func (e *emitter) instanceText(in *instance, d *editor, old, f *syntax.FuncDecl, words, name string) string {
	body := old.Body.Pos().Offset
	from, list, front := in.head(e, body, name, words != "")
	defaults := e.withoutDefaults(in.def) // a specialisation has those of its template
	list = slices.DeleteFunc(append(list, e.params(old, f, in.def)...), func(c change) bool {
		return slices.ContainsFunc(defaults, func(o change) bool { return o.from <= c.from && c.from < o.to && c.to <= o.to })
	})
	list = append(list, defaults...)
	head := front + words + outdented(strings.TrimRight(e.splice(from, body, list), " \t\n"), e.t.indentation(from))
	if f.Body == nil {
		return head + ";"
	}
	return head + " " + in.bound(e, d.render(f.Body))
}
