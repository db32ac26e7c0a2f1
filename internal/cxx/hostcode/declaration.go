package hostcode

import (
	"strconv"
	"strings"

	"irgl/internal/cpp"
)

// isQualifier reports whether text is one of CUDA's words for declarations.
func isQualifier(text string) bool {
	switch text {
	case "__global__", "__device__", "__host__", "__shared__", "__constant__", "__managed__", "__grid_constant__",
		"__forceinline__", "__noinline__", "__launch_bounds__", "__cluster_dims__", "__block_size__", "__maxnreg__", "__align__":
		return true
	}
	return false
}

// A decl is what the tokens of a declaration say, from its first CUDA qualifier on.
type decl struct {
	quals  map[string]bool
	name   int // the first token of the declared name, or -1
	params int // the parenthesis that opens the parameters of a function, or -1
	end    int // the first token behind the declarator
	body   int // the brace that opens the function's body, or -1
	class  bool
}

// declaration rewrites what the qualifier at i begins.
func (r *rewriter) declaration(i int) int {
	if p := r.word(i - 1); p == cpp.RBracket && r.isLambda(i-1) {
		device := false
		for ; isQualifier(r.toks[i].Text()); i++ {
			device = device || r.toks[i].Text() == "__device__"
			r.qualifier(i, "", false)
		}
		if device {
			r.allowDeviceCallsIn(i)
		}
		return i
	}
	d := r.read(i)
	deviceOnly := d.params >= 0 && d.quals["__device__"] && !d.quals["__host__"] && !d.quals["__global__"]
	switch {
	case d.class:
	case d.params >= 0 && d.quals["__global__"]:
		r.kernel(i, &d)
	case deviceOnly && d.body >= 0 && !r.keepsBody(i, &d):
		r.replace(d.body, r.match[d.body]+1, "{ __builtin_trap(); }")
	case d.params >= 0 && d.body >= 0 && d.quals["__device__"]:
		r.allowDeviceCalls(r.first(i), d.body)
	case d.params < 0 && d.quals["__managed__"]:
		r.managed(&d)
	}
	attr := ""
	if deviceOnly && !r.isDefaulted(&d) {
		attr = deviceOnlyAttribute
	}
	if d.params < 0 && !d.class && (d.quals["__device__"] || d.quals["__constant__"]) && !r.isExtern(i) {
		attr = "__attribute__((used))"
	}
	end := max(d.end, i+1)
	if deviceOnly {
		r.dropAlwaysInline(r.specifiersFrom(i), end)
	}
	for k := i; k < end; k = r.skipAttribute(k) {
		if isQualifier(r.toks[k].Text()) {
			r.qualifier(k, attr, deviceOnly)
			if r.toks[k].Text() == "__device__" || d.params < 0 {
				attr = ""
			}
		}
	}
	if d.body >= 0 && (d.quals["__global__"] || d.quals["__device__"] && !d.quals["__host__"]) && !r.keepsBody(i, &d) {
		return r.match[d.body] + 1
	}
	return end
}

// dropAlwaysInline takes always_inline out of the attributes between from and end: it contradicts
// that calls are to be reported, and an inlined call would not be.
func (r *rewriter) dropAlwaysInline(from, end int) {
	for k := from; k < end; k++ {
		behind := r.skipAttribute(k)
		for ; k+1 < behind; k++ {
			if t := r.toks[k].Text(); t == "always_inline" || t == "__always_inline__" {
				r.replace(k, k+1, "unused")
			}
		}
	}
}

// keepsBody reports whether the host needs the body of a device function: to deduce
// its result, or to evaluate it in a constant expression.
func (r *rewriter) keepsBody(i int, d *decl) bool {
	for k := r.specifiersFrom(i); k < d.params; k++ {
		if w := r.toks[k].Word; w == cpp.KwAuto || w == cpp.KwConstexpr {
			return true
		}
	}
	return false
}

// specifiersFrom returns the first token of the declaration that i is in: the one behind
// the end of the declaration, access label or template's parameters before it.
func (r *rewriter) specifiersFrom(i int) int {
	for k := i - 1; k >= max(0, i-reach); k-- {
		switch r.toks[k].Word {
		case cpp.Semi, cpp.LBrace, cpp.RBrace, cpp.Colon, cpp.LParen, cpp.Comma, cpp.Less:
			return k + 1
		case cpp.Greater, cpp.GreaterGreater:
			open := r.anglesBack(k)
			if open > 0 && r.toks[open-1].Word == cpp.KwTemplate {
				return k + 1
			}
			if open < 0 {
				return k + 1
			}
			k = open
		case cpp.RParen, cpp.RBracket:
			if r.match[k] < 0 {
				return k + 1
			}
			k = r.match[k]
		}
	}
	return max(0, i-reach)
}

// isExtern reports whether the variable at i is only declared: the attribute
// used is for definitions.
func (r *rewriter) isExtern(i int) bool {
	for k := r.specifiersFrom(i); k < min(len(r.toks), i+reach); k++ {
		switch r.toks[k].Word {
		case cpp.KwExtern:
			return r.toks[k+1].Kind != cpp.String
		case cpp.Semi, cpp.Equal, cpp.LBrace, cpp.LParen:
			return false
		}
	}
	return false
}

// qualifier replaces one of CUDA's words; attr stands in for a variable's word that has no attribute
// of its own, and for __device__.
func (r *rewriter) qualifier(i int, attr string, deviceOnly bool) {
	args := i + 1
	hasArgs := r.word(args) == cpp.LParen && r.match[args] > 0
	switch r.toks[i].Text() {
	case "__global__":
		r.replace(i, i+1, kernelAttribute)
	case "__forceinline__":
		if deviceOnly { // an inlined call would not be reported
			r.replace(i, i+1, "inline")
			return
		}
		r.replace(i, i+1, "inline __attribute__((always_inline))")
	case "__noinline__":
		r.replace(i, i+1, "__attribute__((noinline))")
	case "__align__":
		if hasArgs {
			r.replace(i, r.match[args]+1, "__attribute__((aligned"+r.text(args, r.match[args]+1)+"))")
		}
	case "__launch_bounds__", "__cluster_dims__", "__block_size__", "__maxnreg__":
		if hasArgs {
			r.replace(i, r.match[args]+1, "")
		}
	default:
		if deviceOnly && r.toks[i].Text() != "__device__" {
			attr = ""
		}
		r.replace(i, i+1, attr)
	}
}

// isLambda reports whether the bracket that closes at i is a lambda's introducer and no index.
func (r *rewriter) isLambda(i int) bool {
	open := r.match[i]
	if open < 0 {
		return false
	}
	if r.word(open+1) == cpp.LBracket {
		return false // an attribute
	}
	switch p := &r.toks[max(0, open-1)]; p.Kind {
	case cpp.Ident, cpp.String:
		return false
	default:
		return p.Word != cpp.RParen && p.Word != cpp.RBracket
	}
}

// read follows the declaration whose first qualifier is at i.
func (r *rewriter) read(i int) decl {
	d := decl{quals: map[string]bool{}, name: -1, params: -1, body: -1}
	k := i
	for k < len(r.toks) {
		t := &r.toks[k]
		switch {
		case t.Kind == cpp.EOF, t.Word == cpp.Semi, t.Word == cpp.Equal, t.Word == cpp.RBrace, t.Word == cpp.RParen, t.Word == cpp.Comma:
			d.end = k
			return d
		case t.Word == cpp.LBrace:
			d.end = k
			return d
		case t.Word == cpp.KwClass, t.Word == cpp.KwStruct, t.Word == cpp.KwUnion, t.Word == cpp.KwEnum:
			if r.definesClass(k) {
				d.class, d.end = true, k
				return d
			}
		case t.Word == cpp.KwOperator:
			d.name = k
			k = r.operatorName(k)
			r.function(&d, k)
			return d
		case isQualifier(t.Text()):
			d.quals[t.Text()] = true
			k = r.skipArgs(k)
			continue
		case takesArgs(t):
			k = r.skipArgs(k)
			continue
		case t.Word == cpp.Less && k > i && r.toks[k-1].Kind == cpp.Ident:
			k = r.skipAngles(k)
			continue
		case t.Word == cpp.LBracket && r.match[k] > 0:
			k = r.match[k] + 1
			continue
		case t.Word == cpp.LParen:
			if r.isFunctionPointer(k) || r.match[k] < 0 {
				d.end = k
				return d
			}
			r.function(&d, k)
			return d
		case t.Kind == cpp.Ident:
			d.name = k
		}
		k++
	}
	d.end = k
	return d
}

// skipArgs returns the token behind the word at k and its arguments in parentheses.
func (r *rewriter) skipArgs(k int) int {
	if r.word(k+1) == cpp.LParen && r.match[k+1] > 0 {
		switch r.toks[k].Text() {
		case "__global__", "__device__", "__host__", "__forceinline__", "__noinline__", "__shared__", "__constant__", "__managed__":
			return k + 1
		}
		return r.match[k+1] + 1
	}
	return k + 1
}

// takesArgs reports whether t is a specifier with an argument that is no declarator.
func takesArgs(t *cpp.Token) bool {
	switch t.Word {
	case cpp.KwDecltype, cpp.KwAlignas, cpp.KwNoexcept, cpp.KwExplicit:
		return true
	}
	switch t.Text() {
	case "__attribute__", "__attribute", "__declspec", "typeof", "__typeof__", "__typeof":
		return true
	}
	return false
}

// definesClass reports whether the keyword at from begins the definition of a class.
func (r *rewriter) definesClass(from int) bool {
	k := from
	for k++; k < min(len(r.toks), from+reach); k++ {
		switch r.toks[k].Word {
		case cpp.LBrace, cpp.Colon:
			return true
		case cpp.Semi, cpp.Star, cpp.Amp, cpp.Equal:
			return false
		case cpp.LParen:
			if r.match[k] < 0 || !takesArgs(&r.toks[k-1]) && !isQualifier(r.toks[k-1].Text()) {
				return false
			}
			k = r.match[k]
		case cpp.Less:
			k = r.skipAngles(k) - 1
		}
	}
	return false
}

// operatorName returns the parenthesis that opens the parameters of the operator at k.
func (r *rewriter) operatorName(k int) int {
	k++
	if r.word(k) == cpp.LParen && r.word(k+1) == cpp.RParen {
		return k + 2
	}
	for k < len(r.toks) && r.word(k) != cpp.LParen {
		k++
	}
	return k
}

// isFunctionPointer reports whether the parenthesis at k holds a declarator: (*name).
func (r *rewriter) isFunctionPointer(k int) bool {
	w := r.word(k + 1)
	return (w == cpp.Star || w == cpp.Amp) && r.match[k] > 0 && r.word(r.match[k]+1) == cpp.LParen
}

// function reads the rest of a function's declarator, whose parameters open at k.
func (r *rewriter) function(d *decl, k int) {
	if r.word(k) != cpp.LParen || r.match[k] < 0 {
		d.end = k
		return
	}
	d.params = k
	k = r.match[k] + 1
	for k < len(r.toks) {
		switch t := &r.toks[k]; {
		case t.Word == cpp.LBrace:
			if r.match[k] > 0 {
				d.body = k
			}
			d.end = k
			return
		case t.Word == cpp.Semi, t.Word == cpp.Equal, t.Word == cpp.RBrace, t.Word == cpp.Comma, t.Word == cpp.RParen, t.Kind == cpp.EOF:
			d.end = k
			return
		case t.Word == cpp.Colon:
			k = r.memberInits(k + 1)
			continue
		case t.Word == cpp.LParen && r.match[k] > 0, t.Word == cpp.LBracket && r.match[k] > 0:
			k = r.match[k]
		case isQualifier(t.Text()):
			d.quals[t.Text()] = true
		}
		k++
	}
	d.end = k
}

// memberInits returns the brace of the constructor's body whose initialisers begin at k.
func (r *rewriter) memberInits(k int) int {
	for k < len(r.toks) {
		switch w := r.word(k); {
		case w == cpp.Less:
			k = r.skipAngles(k)
		case w == cpp.LParen && r.match[k] > 0, w == cpp.LBrace && r.match[k] > 0:
			if w == cpp.LBrace {
				if p := r.toks[k-1]; p.Kind != cpp.Ident && p.Word != cpp.Greater && p.Word != cpp.GreaterGreater {
					return k
				}
			}
			k = r.match[k] + 1
		case w == cpp.Semi || r.toks[k].Kind == cpp.EOF:
			return k
		default:
			k++
		}
	}
	return k
}

// managed makes a reference to memory of the runtime out of a variable's definition.
func (r *rewriter) managed(d *decl) {
	if d.name < 0 {
		return
	}
	name := r.toks[d.name].Text()
	from := r.specifiersFrom(d.name)
	for k := from; k < d.name; k++ {
		if r.word(k) == cpp.KwExtern && r.toks[k+1].Kind != cpp.String {
			r.replace(d.name, d.name+1, "(&"+name+")")
			return
		}
	}
	end := d.end
	for end < len(r.toks) && r.word(end) != cpp.Semi && r.toks[end].Kind != cpp.EOF {
		if m := r.match[end]; m > end {
			end = m
		}
		end++
	}
	if end >= len(r.toks) || r.word(end) != cpp.Semi {
		return
	}
	r.replace(d.name, d.name+1, Initial+name)
	r.insertBehind(end, " decltype("+Initial+name+") &"+name+" = ::irgl::managed("+Initial+name+", "+strconv.Quote(name)+");")
}

// kernel gives a kernel's definition the body of a stub.
func (r *rewriter) kernel(i int, d *decl) {
	if d.body < 0 || d.name < 0 {
		return
	}
	var args, types []string
	addresses := ""
	for n, p := range r.split(d.params+1, r.match[d.params]) {
		if p.to == p.from || p.to == p.from+1 && r.word(p.from) == cpp.KwVoid {
			continue
		}
		name, pack := "irgl_"+strconv.Itoa(n), ""
		switch named := r.paramName(p); {
		case named >= 0 && r.toks[named].Text() == r.toks[d.name].Text(): // it would hide the kernel
			r.rename(named, r.match[d.params], name)
		case named >= 0:
			name = r.toks[named].Text()
		default:
			at := p.to
			for k := p.from; k < p.to; k++ {
				if r.word(k) == cpp.Equal || r.word(k) == cpp.LBracket {
					at = k
					break
				}
			}
			r.insertBehind(at-1, " "+name)
		}
		for k := p.from; k < p.to; k++ {
			if r.word(k) == cpp.Ellipsis {
				pack = "..."
			}
		}
		if r.isReference(p) { // the kernel's parameter is the object's address
			addresses += "void *irgl_ref" + strconv.Itoa(n) + " = (void *)&" + name + "; "
			args = append(args, "(void *)&irgl_ref"+strconv.Itoa(n))
		} else {
			args = append(args, "(void *)&"+name+pack)
		}
		types = append(types, "decltype("+name+")"+pack)
	}
	from := d.name
	for r.word(from-1) == cpp.ColonColon {
		from--
		if r.toks[from-1].Kind == cpp.Ident {
			from--
		}
	}
	self := r.text(from, d.params)
	if !strings.Contains(self, "<") {
		self += r.templateArgs(i)
	}
	r.replace(d.body, r.match[d.body]+1, "{ __asm__ volatile(\""+marker+"\"); "+addresses+"void *irgl_args[] = {"+strings.Join(append(args, "nullptr"), ", ")+
		"}; ::irgl::launch((const void *)(void (*)("+strings.Join(types, ", ")+"))"+self+", irgl_args); }")
}

// rename gives the parameter that the token at named declares another name, also in what follows it in the list up to end:
// types and default arguments may have it in decltype or sizeof.
func (r *rewriter) rename(named, end int, name string) {
	old := r.toks[named].Text()
	for k := named; k < end; k++ {
		if r.toks[k].Kind != cpp.Ident || r.toks[k].Text() != old || r.word(k+1) == cpp.ColonColon {
			continue
		}
		switch r.word(k - 1) {
		case cpp.ColonColon, cpp.Dot, cpp.Arrow: // another name
		default:
			r.replace(k, k+1, name)
		}
	}
}

// isReference reports whether a parameter is declared as a reference.
func (r *rewriter) isReference(p piece) bool {
	for k := p.from; k < p.to; k++ {
		switch r.word(k) {
		case cpp.Equal, cpp.LBracket:
			return false
		case cpp.Less:
			k = r.skipAngles(k) - 1
		case cpp.Amp:
			return true
		case cpp.LParen:
			return r.word(k+1) == cpp.Amp
		}
	}
	return false
}

// A piece is a part of a list between commas.
type piece struct{ from, to int }

// split divides the tokens from up to to at commas.
func (r *rewriter) split(from, to int) []piece {
	var out []piece
	at := from
	for k := from; k < to; {
		switch w := r.word(k); {
		case w == cpp.Comma:
			out = append(out, piece{at, k})
			at = k + 1
		case w == cpp.Less: // a >> may close it and the list
			k = min(r.skipAngles(k), to)
			continue
		case r.match[k] > k:
			k = r.match[k]
		}
		k++
	}
	return append(out, piece{at, to})
}

// paramName returns the name of a function's parameter, -1 for an unnamed one.
func (r *rewriter) paramName(p piece) int {
	end := p.to
	typed := false // a type precedes
	for k := p.from; k < end; k++ {
		t := &r.toks[k]
		switch {
		case t.Word == cpp.Equal || t.Word == cpp.LBracket:
			end = k
		case t.Word == cpp.LParen:
			if w := r.word(k + 1); (w == cpp.Star || w == cpp.Amp) && r.match[k] > 0 {
				if n := r.match[k] - 1; r.toks[n].Kind == cpp.Ident {
					return n
				}
				return -1
			}
		case t.Word == cpp.Less:
			k = r.skipAngles(k) - 1
			typed = true
		case k == p.from:
			typed = typed || t.Kind == cpp.Ident && !isQualifier(t.Text()) || isTypeWord(t)
		case t.Kind == cpp.Ident && !isQualifier(t.Text()):
			next := r.word(k + 1)
			last := k+1 == end || next == cpp.Equal || next == cpp.LBracket
			if last && typed && r.word(k-1) != cpp.ColonColon {
				return k
			}
			typed = true
		case isTypeWord(t):
			typed = true
		}
	}
	return -1
}

// isTypeWord reports whether t is a keyword that is a type by itself.
func isTypeWord(t *cpp.Token) bool {
	switch t.Text() {
	case "const", "volatile", "__restrict__", "__restrict", "restrict", "struct", "class", "union", "enum", "typename", "register":
		return false
	}
	return t.Kind == cpp.Keyword
}

// templateArgs returns the arguments that name an instance of the template whose
// declaration the qualifier at i is in: <T, N>, or "" when it is no template.
func (r *rewriter) templateArgs(i int) string {
	from := r.specifiersFrom(i)
	if r.word(from-1) != cpp.Greater && r.word(from-1) != cpp.GreaterGreater {
		return ""
	}
	open := r.anglesBack(from - 1)
	if open <= 0 || r.word(open-1) != cpp.KwTemplate {
		return ""
	}
	var out []string
	for n, p := range r.split(open+1, from-1) {
		if p.to == p.from {
			return "" // template <>
		}
		name, pack, at := "", "", p.to
		for k := p.from; k < p.to; k++ {
			w := r.word(k)
			if w == cpp.Equal {
				at = k
				break
			}
			if w == cpp.Less {
				k = r.skipAngles(k) - 1
				continue
			}
			if w == cpp.Ellipsis {
				pack = "..."
			}
		}
		if t := &r.toks[at-1]; t.Kind == cpp.Ident && at-1 > p.from && r.word(at-2) != cpp.ColonColon {
			name = t.Text()
		} else {
			name = "irgl_t" + strconv.Itoa(n)
			r.insertBehind(at-1, " "+name)
		}
		out = append(out, name+pack)
	}
	return "<" + strings.Join(out, ", ") + ">"
}
