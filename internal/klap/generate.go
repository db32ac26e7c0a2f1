package klap

import (
	_ "embed"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"irgl/internal/check"
	"irgl/internal/tree"
	"irgl/syntax"
)

// The declarations of one program: for each child a struct of what a launch of it is, functions that
// fill one and launch one, and prototypes; for each kernel that launches the function at its end.

//go:embed klap.cu
var library string

// A generator makes the declarations.
type generator struct {
	p          *Program
	children   []*child
	positioned map[*check.FuncInfo]bool
	carrying   map[*check.FuncInfo]bool
	asks       bool // device code asks for errors of launches
}

// named returns the function that a declaration declares.
func (g *generator) named(f *syntax.FuncDecl) *check.FuncInfo {
	for _, info := range g.p.info.Funcs {
		if info.Object.Name == f.Name.Name {
			return info
		}
	}
	return nil
}

// of returns the child that is k, or nil.
func (g *generator) of(k *check.FuncInfo) *child {
	for _, c := range g.children {
		if c.fn == k {
			return c
		}
	}
	return nil
}

func (c *child) name() string    { return c.fn.Object.Name }
func (c *child) tag() string     { return "__klap_args_" + c.name() }
func (c *child) set() string     { return "__klap_set_" + c.name() }
func (c *child) push() string    { return "__klap_push_" + c.name() }
func (c *child) aggName() string { return aggregated(c.name()) }

// aloneOf returns the function by which a thread does a launch itself. Launches in different lines have different ones, for
// the positions in reports.
func (c *child) aloneOf(s *site) string {
	for i, o := range c.sites {
		if o.launch.Pos().File == s.launch.Pos().File && o.launch.Pos().Line() == s.launch.Pos().Line() {
			if i == 0 {
				break
			}
			return fmt.Sprintf("__klap_alone%d_%s", i, c.name())
		}
	}
	return "__klap_alone_" + c.name()
}

// nowOf returns the function by which a thread does a launch that no device can run where the program has it.
func (c *child) nowOf(s *site) string { return strings.Replace(c.aloneOf(s), "alone", "now", 1) }

// nowDecl returns that function, made of the one that does the launch.
func nowDecl(alone *syntax.FuncDecl, name, tag string) syntax.Decl {
	f := tree.Clone(alone)
	f.Name = tree.Ident(tree.At(f.Name), name)
	f.Result = tree.Basic(tree.At(f), "int")
	f.Body.Stmts = append(f.Body.Stmts, tree.Template("((struct "+tag+" *)k)->pred = 0;\nreturn 0;\n")...)
	return f
}

// chainAlone returns text that does launch k of site itself, for a child with chains.
func (c *child) chainAlone() string {
	var names []string
	var text strings.Builder
	for _, s := range c.sites {
		if !slices.Contains(names, c.aloneOf(s)) {
			names = append(names, c.aloneOf(s))
		}
	}
	if len(names) == 1 {
		return names[0] + "(k, chain->stream);\n"
	}
	for _, s := range c.sites {
		fmt.Fprintf(&text, "if (site == %d) {\n%s(k, chain->stream);\n}\n", s.number, c.aloneOf(s))
	}
	return text.String()
}

// aggregated returns the name of the aggregated form of a kernel, or of a function that it calls.
func aggregated(name string) string { return name + "_agg" }

// endPrefix begins the names of the functions at the ends of kernels.
const endPrefix = "__klap_end_"

func endName(k *kernel) string { return endPrefix + k.fn.Object.Name }

// dynamic returns the most dynamic shared memory that launches of an aggregated kernel have: what
// every kernel may have, less all static shared memory of the program.
func (g *generator) dynamic() int64 {
	const most, own = 48 << 10, 1 << 10
	var static int64
	for id, o := range g.p.info.Defs {
		if o.Attrs.Has(syntax.Shared) && !o.Attrs.Has(syntax.Extern) && o.Type != nil && id != nil {
			static += o.Type.Size()
		}
	}
	return max(0, most-own-static)
}

// front returns what is declared before the first declaration of a child: all that needs the types of its
// parameters and no more.
func (g *generator) front(c *child) []syntax.Decl {
	var b strings.Builder
	fields, sets := "unsigned int pred, gx", "\tk->gx = grid.x;\n"
	if c.gridDims == 3 {
		fields += ", gy, gz"
		sets += "\tk->gy = grid.y;\n\tk->gz = grid.z;\n"
	}
	if !c.block {
		fields += ", bx"
		sets += "\tk->bx = block.x;\n"
	}
	if c.blockDims == 3 {
		fields += ", by, bz"
		sets += "\tk->by = block.y;\n\tk->bz = block.z;\n"
	}
	if c.thread != nil {
		fields += ", n"
		sets += c.setAsked()
	}
	fields += ";"
	if c.shared == varyingShared {
		fields += " unsigned long shared;"
		sets += "\tk->shared = shared;\n"
	}
	for i, u := range c.uniform {
		if !u {
			sets += fmt.Sprintf("\tk->a%d = a%d;\n", i, i)
		}
	}
	fmt.Fprintf(&b, "struct %s { %s };\n", c.tag(), fields)
	fmt.Fprintf(&b, "static __device__ void %s(struct %s *k, dim3 grid, dim3 block, unsigned long shared) {\n", c.set(), c.tag())
	fmt.Fprintf(&b, "\tk->pred = __klap_fits(grid, block, shared, %d, %d);\n%s}\n", c.most, g.dynamic(), sets)
	decls := tree.Declarations(b.String())
	str := decls[0].(*syntax.TypeDecl).Type.(*syntax.TagType)
	set := decls[1].(*syntax.FuncDecl)
	for i, q := range parameters(c.fn) {
		if !c.uniform[i] {
			str.Fields = append(str.Fields, &syntax.VarDecl{Type: argument(q.Type), Name: c.argument(i)})
			set.Params = append(set.Params, c.param(i, c.argument(i).Name))
		}
	}
	decls = append(decls, g.prototype(c.fn.Decl), g.prototype(g.agg(c)))
	if c.thread != nil {
		set.Params = append(set.Params, askedParam())
		decls = append(decls, g.prototype(g.threadOf(c)))
	}
	if c.divided {
		decls = append(decls, g.dividedDecl(c))
	}
	if c.loads > 0 {
		decls = append(decls, g.doDecl(c))
	}
	var names []string
	for _, s := range c.sites {
		if name := c.aloneOf(s); !slices.Contains(names, name) {
			names = append(names, name)
			decls = append(decls, g.aloneDecl(c, s))
			if g.asks && slices.ContainsFunc(c.sites, func(s *site) bool { return !s.chained }) {
				decls = append(decls, nowDecl(decls[len(decls)-1].(*syntax.FuncDecl), c.nowOf(s), c.tag()))
			}
		}
	}
	if c.chained {
		decls = append(decls, g.pushDecl(c))
	}
	return decls
}

// pushDecl returns the function that adds a launch to a thread's chain.
func (g *generator) pushDecl(c *child) syntax.Decl {
	args := "k, grid, block, shared"
	for i, u := range c.uniform {
		if !u {
			args += fmt.Sprintf(", a%d", i)
		}
	}
	if c.thread != nil {
		args += ", n"
	}
	units := "grid.x * grid.y * grid.z"
	if c.flat {
		units = "k->n"
	}
	link := fmt.Sprintf("(struct %[1]s *)__klap_link(chain, site, sizeof(struct %[1]s))", c.tag())
	if g.asks { // its thread sees the error at once
		link = fmt.Sprintf("0;\nif (__klap_valid(grid, block)) {\nk = %s;\n}\n", link)
	} else {
		link += ";"
	}
	f := tree.Declarations(fmt.Sprintf(`static __device__ void %[1]s(struct __klap_chain *chain, unsigned int site, dim3 grid, dim3 block, unsigned long shared) {
	struct %[2]s *k = %[6]s
	if (k) {
		%[3]s(%[4]s);
		k->pred = __klap_limit(chain, k->pred, %[7]s);
	} else {
		struct %[2]s own;
		k = &own;
		%[3]s(%[4]s);
		%[5]s
	}
}
`, c.push(), c.tag(), c.set(), args, c.chainAlone(), link, units))[0].(*syntax.FuncDecl)
	for i, u := range c.uniform {
		if !u {
			f.Params = append(f.Params, c.param(i, c.argument(i).Name))
		}
	}
	if c.thread != nil {
		f.Params = append(f.Params, askedParam())
	}
	return f
}

// flush returns the function by which a thread does all launches of its chain; nil without chains.
func (g *generator) flush() syntax.Decl {
	var b strings.Builder
	b.WriteString("static __device__ void __klap_flush(struct __klap_chain *chain) {\n")
	b.WriteString("\tfor (struct __klap_node *at = chain->first; at; at = at->next) {\n")
	n := 0
	for _, c := range g.children {
		for _, s := range c.sites {
			if s.chained {
				n++
				fmt.Fprintf(&b, "\t\tif (at->site == %d) {\n\t\t\t%s((const struct %s *)(at + 1), chain->stream);\n\t\t}\n", s.number, c.aloneOf(s), c.tag())
			}
		}
	}
	b.WriteString("\t}\n\t__klap_drop(chain);\n}\n")
	if n == 0 {
		return nil
	}
	return tree.Declarations(b.String())[0]
}

// argument returns the name of an argument in the generated declarations.
func (c *child) argument(i int) *syntax.Ident {
	return tree.Ident(tree.At(c.fn.Decl.Params[i]), "a"+strconv.Itoa(i))
}

// param returns a parameter of the type of the child's parameter i.
func (c *child) param(i int, name string) *syntax.Param {
	q := c.fn.Decl.Params[i]
	return &syntax.Param{Span: tree.At(q), Type: argument(q.Type), Name: tree.Ident(tree.At(q), name)}
}

// prototype returns the declaration of a function without its body.
func (g *generator) prototype(f *syntax.FuncDecl) syntax.Decl {
	out := *f
	out.Body = nil
	return tree.Clone(&out)
}

// aloneDecl returns the function by which a thread does its own launch of a site.
func (g *generator) aloneDecl(c *child, at *site) syntax.Decl {
	grid, block := "k->gx, 1, 1", "k->bx, 1, 1"
	if c.gridDims == 3 {
		grid = "k->gx, k->gy, k->gz"
	}
	if c.blockDims == 3 {
		block = "k->bx, k->by, k->bz"
	}
	if c.block {
		block = "bx, 1, 1"
	}
	params, args, shared := fmt.Sprintf("const struct %s *k, cudaStream_t stream", c.tag()), []string{}, "k->shared"
	if c.block {
		params += ", unsigned int bx"
	}
	switch c.shared {
	case noShared:
		shared = "0"
	case uniformShared:
		params += ", unsigned long shared"
		shared = "shared"
	}
	for i, u := range c.uniform {
		if u {
			args = append(args, fmt.Sprintf("a%d", i))
		} else {
			args = append(args, fmt.Sprintf("k->a%d", i))
		}
	}
	f := tree.Declarations(fmt.Sprintf("static __device__ void %s(%s) {\n\tdim3 grid = {%s}, block = {%s};\n\t%s<<<grid, block, %s, stream>>>(%s);\n}\n",
		c.aloneOf(at), params, grid, block, c.name(), shared, strings.Join(args, ", ")))[0].(*syntax.FuncDecl)
	for i, u := range c.uniform {
		if u {
			f.Params = append(f.Params, c.param(i, c.argument(i).Name))
		}
	}
	for n := range syntax.Preorder(f) {
		if l, ok := n.(*syntax.LaunchExpr); ok {
			l.SetSpan(tree.At(at.launch))
		}
	}
	return f
}

// scalars returns the names of what site j of a kernel passes to the function at its end beside the
// launch itself, and the text of the parameters that are no parameters of the child.
func (c *child) scalars(j int) (names []string, params string) {
	if c.block {
		names = append(names, fmt.Sprintf("b%d", j))
		params += fmt.Sprintf(", unsigned int b%d", j)
	}
	if c.shared == uniformShared {
		names = append(names, fmt.Sprintf("m%d", j))
		params += fmt.Sprintf(", unsigned long m%d", j)
	}
	for i, u := range c.uniform {
		if u {
			names = append(names, fmt.Sprintf("a%d_%d", j, i))
		}
	}
	return names, params
}

// argument returns a copy of a parameter's type that can be assigned to: an array is a
// pointer, and const and __restrict__ are left out.
func argument(t syntax.TypeExpr) syntax.TypeExpr {
	switch t := tree.Clone(t).(type) {
	case *syntax.ArrayType:
		return &syntax.PointerType{Span: t.Span, Elem: t.Elem}
	case *syntax.PointerType:
		t.Const, t.Volatile, t.Restrict = false, false, false
		return t
	case *syntax.QualType:
		return t.Elem
	case *syntax.FuncType:
		return &syntax.PointerType{Span: t.Span, Elem: t}
	default:
		return t
	}
}
