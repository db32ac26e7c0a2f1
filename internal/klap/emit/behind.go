package emit

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"unicode"

	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/source"
)

// The host's half of launches that grids leave to the kernel behind them (klap's behind.go):
//
//	parent<<<g, b, 0, s>>>(p);    becomes    (parent<<<g, b, 0, __klap_host_parent(s)>>>(p, __klap_host_parent::next()), __klap_host_parent::behind());
//
// The configuration is evaluated in front of the arguments, so that each part of the launch is evaluated once. The object with the stream and the number lives until the
// end of the expression; launches in the arguments have their own. A kernel that the host names elsewhere, to launch it by its address or by a graph,
// gets the number from nobody, and is refused.

// behind changes the launches of kernels that leave something, and adds what they call.
func (e *emitter) behind() {
	for _, symbol := range slices.Sorted(maps.Keys(e.u.Klap.Behind)) {
		old := e.before[symbol]
		def := e.definitionOf(old)
		if def == nil {
			continue // refused
		}
		name, host := def.decl.Name.Last.Ident, "__klap_host_"+e.names.part(symbol)
		alike := func(d *definition) bool {
			return d.decl.Name.Last.Ident == name && d.decl != def.decl && (d.decl.Body != nil || e.signature(d) != e.signature(def))
		}
		if other := slices.IndexFunc(e.defs, alike); other >= 0 && !def.template {
			e.fail(old, "%s has the name of another function, and the text cannot tell which one a launch is of: --grid-launch=device", name)
			continue
		}
		if def.template {
			e.fail(old, "%s is an instance of a template, whose launches by the host the text cannot change: --grid-launch=device", name)
			continue
		}
		launched := map[int32]bool{} // the offsets of names in launches
		for _, d := range e.defs {
			if d.decl.Body == nil {
				continue
			}
			for _, l := range d.decl.Body.Launches() {
				last := e.named(l, name)
				if last == nil {
					continue
				}
				if last.Pos().Offset < def.to {
					e.refuse(codeForm, l.Pos(), l.End(), "the launch is in front of the definition of %s: --grid-launch=device", name)
				}
				launched[last.Pos().Offset] = true
				if pack := func(x ast.Expr) bool { _, ok := x.(*ast.PackExpansion); return ok }; len(l.Args) < len(def.decl.Type.Params) && !slices.ContainsFunc(l.Args, pack) {
					e.refuse(codeForm, l.Pos(), l.End(), "the launch leaves arguments of %s to their defaults, and the text has another one behind them: --grid-launch=device", name)
				}
				e.followed(l, last, host)
			}
		}
		e.onlyLaunched(name, launched)
		text := fmt.Sprintf("\n\n// klap: the host's half of launches that grids of %[1]s, line %[2]d, leave to the kernel behind them.\n", name, e.line(old)) +
			strings.NewReplacer("BEHIND", e.names.part(e.u.Klap.Behind[symbol]), "HOST", host).Replace(hostText)
		e.edits = append(e.edits, change{def.to, def.to, text, nil})
	}
}

// hostText is the class of launches by the host.
const hostText = `struct HOST {
	cudaStream_t stream;
	unsigned long long number;
	HOST *outer;
	bool open;
	static HOST *&top() { static thread_local HOST *launch; return launch; }
	explicit HOST(cudaStream_t s) : stream(s), number(0), outer(top()), open(true) { top() = this; }
	HOST(const HOST &) = delete;
	~HOST() { close(); }
	operator cudaStream_t() const { return stream; }
	void close() {
		if (open) top() = outer;
		open = false;
	}
	static unsigned long long next() {
		static unsigned long long launches;
		return top()->number = __atomic_add_fetch(&launches, 1ull, __ATOMIC_RELAXED);
	}
	static void behind() {
		static unsigned int resident[64]; // blocks, by device; 0 before it is known
		HOST *launch = top();
		launch->close();
		int device = 0, each = 0, processors = 0;
		cudaGetDevice(&device);
		unsigned int blocks = __atomic_load_n(&resident[device % 64], __ATOMIC_RELAXED);
		if (blocks == 0) {
			cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, BEHIND, 256, 0);
			cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
			blocks = each * processors > 0 ? each * processors : 1;
			__atomic_store_n(&resident[device % 64], blocks, __ATOMIC_RELAXED);
		}
		BEHIND<<<blocks, 256, 0, launch->stream>>>(launch->number);
	}
};`

// signature returns the types of a function's parameters as the text has them.
func (e *emitter) signature(d *definition) string {
	var b strings.Builder
	for _, p := range d.decl.Type.Params {
		from, to := p.Pos().Offset, p.End().Offset
		if p.Default != nil {
			to = p.Default.Pos().Offset
		}
		text := string(e.t.file.Content[from:max(from, to)])
		if p.Name != nil && from <= p.Name.Pos().Offset && p.Name.End().Offset <= to {
			text = text[:p.Name.Pos().Offset-from] + text[p.Name.End().Offset-from:]
		}
		b.WriteString(strings.Join(strings.FieldsFunc(text, func(r rune) bool { return unicode.IsSpace(r) || r == '=' }), "") + ",")
	}
	return b.String()
}

// named returns the last part of a launched kernel's name, if that is the name, in the text.
func (e *emitter) named(l *ast.LaunchExpr, name string) *ast.Segment {
	f, ok := l.Fun.(*ast.NameExpr)
	if !ok || f.Name.Last.Ident != name || l.Pos().File != e.t.file {
		return nil
	}
	e.expandAt(f.Pos().Offset)
	e.expandAt(l.End().Offset - 1)
	if n := len(l.Config); n > 1 { // a comma in front of the last one may be a macro's
		if from, to := l.Config[n-2].End().Offset, l.Config[n-1].Pos().Offset; from > to || strings.TrimSpace(string(e.t.file.Content[from:to])) != "," {
			e.expandAt(to)
		}
	}
	if len(e.expand) > 0 {
		return nil // the next version has the launch in words
	}
	return f.Name.Last
}

// followed has the kernel behind another one follow a launch.
func (e *emitter) followed(l *ast.LaunchExpr, name *ast.Segment, host string) {
	from, end := l.Fun.Pos().Offset, l.End().Offset
	host = string(e.t.file.Content[from:name.Pos().Offset]) + host
	add := func(at int32, text string) { e.edits = append(e.edits, change{at, at, text, nil}) }
	add(from, "(")
	switch n := len(l.Config); n {
	case 2, 3:
		add(l.Config[n-1].End().Offset, strings.Repeat(", 0", 3-n)+", "+host+"(0)")
	case 4:
		add(l.Config[3].Pos().Offset, host+"(")
		add(l.Config[3].End().Offset, ")")
	default:
		e.refuse(codeForm, l.Pos(), l.End(), "the text cannot change this launch of %s: --grid-launch=device", name.Ident)
	}
	sep := ""
	if len(l.Args) > 0 {
		sep = ", "
	}
	add(end-1, sep+host+"::next()")
	add(end, ", "+host+"::behind())")
}

// onlyLaunched refuses a kernel that the program names elsewhere than in launches of the text and declarations.
func (e *emitter) onlyLaunched(name string, launched map[int32]bool) {
	pre := e.u.CXX.Preprocessed()
	user := map[*source.File]bool{}
	for _, inc := range pre.Includes {
		user[inc.File] = user[inc.File] || inc.Found == cpp.User
	}
	for i := range pre.Tokens {
		k := &pre.Tokens[i]
		if k.Kind != cpp.Ident || k.Text() != name || i+1 < len(pre.Tokens) && pre.Tokens[i+1].Word == cpp.LParen {
			continue
		}
		if own := k.File() == e.t.file; own && !launched[k.From()] || !own && user[k.File()] {
			e.refuse(codeForm, k.Pos(), k.End(), "%s is more than launched here, and the text cannot tell what launches it then: --grid-launch=device", name)
		}
	}
}
