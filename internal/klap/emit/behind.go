package emit

import (
	"bytes"
	"fmt"
	"maps"
	"slices"
	"strings"

	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/source"
)

// The host's half of launches that grids leave to the kernel behind them (klap's behind.go):
//
//	parent<<<g, b, 0, s>>>(p);    becomes    (parent<<<g, b, 0, __klap_host_parent::on(s)>>>(p, __klap_host_parent::next()), __klap_host_parent::behind());
//
// The configuration is evaluated in front of the arguments, so that each part of the launch is evaluated once. A kernel that the host names elsewhere, to
// launch it by its address or by a graph, gets the number from nobody, and is refused.

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
			return d.decl.Name.Last.Ident == name && d.decl != def.decl && d.decl.Body != nil
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
				e.followed(l, last, host)
			}
		}
		e.onlyLaunched(name, launched)
		text := fmt.Sprintf("\n\n// klap: the host's half of launches that grids of %[1]s, line %[2]d, leave to the kernel behind them.\n", name, e.line(old)) +
			strings.NewReplacer("BEHIND", e.names.part(e.u.Klap.Behind[symbol]), "HOST", host).Replace(hostText)
		e.edits = append(e.edits, change{def.to, def.to, text, nil})
	}
}

// hostText is the class that launches call.
const hostText = `struct HOST {
	static cudaStream_t &stream() { static thread_local cudaStream_t s; return s; }
	static unsigned long long &number() { static thread_local unsigned long long n; return n; }
	static cudaStream_t on(cudaStream_t s) { return stream() = s; }
	static unsigned long long next() {
		static unsigned long long launches;
		return number() = __atomic_add_fetch(&launches, 1ull, __ATOMIC_RELAXED);
	}
	static void behind() {
		static unsigned int resident[64]; // blocks, by device; 0 before it is known
		int device = 0, each = 0, processors = 0;
		cudaGetDevice(&device);
		unsigned int blocks = __atomic_load_n(&resident[device % 64], __ATOMIC_RELAXED);
		if (blocks == 0) {
			cudaOccupancyMaxActiveBlocksPerMultiprocessor(&each, BEHIND, 256, 0);
			cudaDeviceGetAttribute(&processors, cudaDevAttrMultiProcessorCount, device);
			blocks = each * processors > 0 ? each * processors : 1;
			__atomic_store_n(&resident[device % 64], blocks, __ATOMIC_RELAXED);
		}
		BEHIND<<<blocks, 256, 0, stream()>>>(number());
	}
};`

// named returns the last part of a launched kernel's name, if that is the name, in the text.
func (e *emitter) named(l *ast.LaunchExpr, name string) *ast.Segment {
	f, ok := l.Fun.(*ast.NameExpr)
	if !ok || f.Name.Last.Ident != name || l.Pos().File != e.t.file {
		return nil
	}
	for _, at := range []int32{f.Pos().Offset, l.End().Offset - 1} {
		if e.macros[at] != 0 {
			e.expandAt(at)
			return nil
		}
	}
	return f.Name.Last
}

// followed has the kernel behind another one follow a launch.
func (e *emitter) followed(l *ast.LaunchExpr, name *ast.Segment, host string) {
	from, end := l.Fun.Pos().Offset, l.End().Offset
	host = string(e.t.file.Content[from:name.Pos().Offset]) + host + "::"
	add := func(at int32, text string) { e.edits = append(e.edits, change{at, at, text, nil}) }
	add(from, "(")
	switch n := len(l.Config); n {
	case 2, 3:
		add(l.Config[n-1].End().Offset, strings.Repeat(", 0", 3-n)+", "+host+"on(0)")
	case 4:
		add(l.Config[3].Pos().Offset, host+"on(")
		add(l.Config[3].End().Offset, ")")
	default:
		e.refuse(codeForm, l.Pos(), l.End(), "the text cannot change this launch of %s: --grid-launch=device", name.Ident)
	}
	sep := ""
	if len(l.Args) > 0 {
		sep = ", "
	}
	add(end-1, sep+host+"next()")
	add(end, ", "+host+"behind())")
}

// onlyLaunched refuses a kernel that the text names elsewhere than in launches and declarations.
func (e *emitter) onlyLaunched(name string, launched map[int32]bool) {
	for i := range e.t.toks {
		k := &e.t.toks[i]
		if k.Kind == cpp.Ident && k.Text() == name && !launched[k.From()] && !e.t.inDirective(k.From()) && (i+1 == len(e.t.toks) || e.t.toks[i+1].Word != cpp.LParen) {
			e.refuse(codeForm, source.Pos{File: e.t.file, Offset: k.From()}, source.Pos{File: e.t.file, Offset: k.To()},
				"%s is more than launched here, and the text cannot tell what launches it then: --grid-launch=device", name)
		}
	}
}

// inDirective reports whether an offset is in a directive of the preprocessor.
func (t *text) inDirective(at int32) bool {
	lines := t.file.Content[:at]
	for {
		i := bytes.LastIndexByte(lines, '\n')
		line := bytes.TrimLeft(lines[i+1:], " \t")
		if i < 0 || !bytes.HasSuffix(bytes.TrimSuffix(lines[:i], []byte("\r")), []byte("\\")) {
			return bytes.HasPrefix(line, []byte("#"))
		}
		lines = lines[:i]
	}
}
