package cpp

import (
	"slices"
	"strconv"
	"strings"

	"irgl/internal/source"
)

// pragma returns what a #pragma line becomes for the parser: an Unroll, a Pack, or nothing.
func (p *preprocessor) pragma(line []Token) []Token {
	word := ""
	if len(line) > 2 {
		word = line[2].Text()
	}
	switch word {
	case "once":
		p.stateOf(line[0].File()).once = true
		return nil
	case "push_macro", "pop_macro":
		p.pushMacro(word, line)
		return nil
	case "unroll":
		return p.unroll(line)
	}
	if p.dialect == C {
		return Pragma(line, p.diags)
	}
	second := ""
	if len(line) > 3 {
		second = line[3].Text()
	}
	switch {
	case word == "nounroll":
		return Pragma(line, p.diags)
	case word == "pack":
		return p.pack(line)
	case word == "GCC" && second == "unroll":
		return p.unroll(append(line[:2:2], line[3:]...))
	case word == "clang" && second == "loop":
		return p.clangLoop(line)
	case word == "GCC" && second == "poison" || word == "GCC" && second == "error":
		p.warnf(line, CodePragma, "#pragma GCC %s is ignored", second)
		return nil
	case !slices.Contains(hostPragmas[:], word) && word != "" && !p.warned[word]:
		if p.warned == nil {
			p.warned = map[string]bool{}
		}
		p.warned[word] = true
		p.warnf(line, CodePragma, "unknown pragma ignored")
	}
	return nil
}

// hostPragmas are those that other compilers know and that concern neither the device nor what is said here: the
// host's threads, other compilers' warnings and optimisations.
var hostPragmas = [...]string{
	"GCC", "clang", "STDC", "omp", "acc", "nv_diag_suppress", "nv_diag_default",
	"nv_diag_error", "nv_diag_warning", "nv_diag_remark", "nv_diag_once", "nv_diagnostic", "diag_suppress",
	"diag_default", "diag_error", "diag_warning", "diag_remark", "diag_once", "diagnostic",
	"nv_exec_check_disable", "hd_warning_disable", "nv_abi", "inline_depth", "region", "endregion",
	"mark", "message", "warning", "comment", "ident", "weak", "redefine_extname", "ivdep",
	"vector", "novector", "simd", "intel", "intrinsic", "optimize", "inline", "forceinline",
	"noinline", "distribute_point", "loop_count", "float_control", "fp_contract", "fenv_access", "system_header",
}

// unroll returns the Unroll of #pragma unroll, whose count is evaluated. What cannot be evaluated here, as the
// name of a constant, follows an Unroll in C++ as an expression in brackets.
func (p *preprocessor) unroll(line []Token) []Token {
	out := line[0]
	out.Kind, out.Word = Unroll, NoWord
	out.Spell("", out.From(), line[len(line)-1].To())
	if len(line) == 3 || len(line) == 4 && line[3].Kind == Number {
		return Pragma(line, p.diags)
	}
	args := p.expandLine(line[3:])
	e := &condExpr{p: p, toks: args, strict: true}
	if v, ok := e.value(); ok {
		out.Respell(strconv.FormatInt(v.v, 10))
		return []Token{out}
	}
	if p.dialect == C {
		return Pragma(line, p.diags)
	}
	out.Respell("(")
	open, end := line[3], line[len(line)-1]
	open.Kind, open.Word = Punct, LParen
	open.Spell("(", open.From(), open.From())
	end.Kind, end.Word = Punct, RParen
	end.Spell(")", end.To(), end.To())
	return append(append([]Token{out, open}, args...), end)
}

// clangLoop returns the Unroll of #pragma clang loop unroll(full), unroll(disable) or unroll_count(4).
func (p *preprocessor) clangLoop(line []Token) []Token {
	for i := 4; i+3 < len(line); i++ {
		what, value := line[i].Text(), line[i+2]
		out := line[0]
		out.Kind, out.Word = Unroll, NoWord
		out.Spell("", out.From(), line[len(line)-1].To())
		switch {
		case what == "unroll_count":
			word := line[i]
			word.Respell("unroll")
			return p.unroll(append(line[:2:2], word, value))
		case what == "unroll" && value.Text() == "disable":
			out.Respell("1")
			return []Token{out}
		case what == "unroll":
			return []Token{out}
		}
	}
	return nil
}

// pack returns the Pack of #pragma pack(...).
func (p *preprocessor) pack(line []Token) []Token {
	args := p.expandLine(line[3:])
	if len(args) < 2 || args[0].Word != LParen || args[len(args)-1].Word != RParen {
		p.warnf(line, CodePragma, "missing '(' or ')' in #pragma pack; it is ignored")
		return nil
	}
	out := line[0]
	var b strings.Builder
	for i := range args[1 : len(args)-1] {
		b.WriteString(args[1+i].Text())
	}
	out.Kind, out.Word = Pack, NoWord
	out.Spell(b.String(), out.From(), line[len(line)-1].To())
	return []Token{out}
}

// pushMacro executes #pragma push_macro("NAME") and pop_macro.
func (p *preprocessor) pushMacro(word string, line []Token) {
	if len(line) != 6 || line[3].Word != LParen || line[4].Kind != String || line[4].Text()[0] != '"' || line[5].Word != RParen {
		p.warnf(line, CodePragma, `expected a name in quotes and brackets after #pragma %s; it is ignored`, word)
		return
	}
	name, _ := ParseString(line[4].Text())
	sym := p.names.own(name)
	stack := p.pushed[name]
	switch {
	case word == "push_macro":
		if p.pushed == nil {
			p.pushed = map[string][]*macro{}
		}
		p.pushed[name] = append(stack, sym.macro)
	case len(stack) == 0:
		p.warnf(line, CodePragma, "pragma pop_macro could not pop '%s', no matching push_macro", name)
	default:
		sym.macro = stack[len(stack)-1]
		p.pushed[name] = stack[:len(stack)-1]
	}
}

// pragmaOperator returns what _Pragma("text"), whose name is t, becomes: the same as
// the line #pragma text (C99, 6.10.9).
func (p *preprocessor) pragmaOperator(t *Token, arg []Token) []Token {
	if len(arg) != 1 || arg[0].Kind != String || arg[0].Text()[0] != '"' {
		p.diags.Errorf(t.Pos(), t.End(), CodeMalformed, `expected a string in _Pragma("...")`)
		return nil
	}
	text := arg[0].Text()
	text = strings.NewReplacer(`\\`, `\`, `\"`, `"`).Replace(text[1 : len(text)-1])
	line := []Token{made(Punct, Hash, "#"), made(Ident, NoWord, "pragma")}
	s := scanner{src: text, origin: &origin{text: text, placed: true}, dialect: p.dialect, names: p.names, line: true}
	for {
		var one Token
		if s.scan(&one) == endOfLine {
			break
		}
		line = append(line, one)
	}
	for i := range line {
		line[i].place(t)
	}
	return p.pragma(line)
}

// Pragma returns the tokens that the line of a #pragma becomes in C: an Unroll, or none. Pragmas that are not known
// are warned of.
func Pragma(line []Token, diags *source.List) []Token {
	pos, end := line[0].Pos(), line[len(line)-1].End()
	if len(line) == 3 && line[2].Text() == "nounroll" { // clang's name of #pragma unroll 1
		one := line[2]
		one.Kind = Number
		one.Respell("1")
		line = []Token{line[0], line[1], made(Ident, NoWord, "unroll"), one}
	}
	if len(line) < 3 || line[2].Text() != "unroll" {
		if len(line) == 3 && line[2].Text() == "once" {
			return nil
		}
		diags.Warnf(pos, end, CodePragma, "this pragma is ignored")
		return nil
	}
	out := line[0]
	out.Kind, out.Word = Unroll, NoWord
	out.Spell("", out.From(), line[len(line)-1].To())
	args := line[3:]
	if len(args) > 2 && args[0].Text() == "(" {
		args = args[1 : len(args)-1]
	}
	switch {
	case len(args) == 1 && args[0].Kind == Number:
		out.Respell(args[0].Text())
	case len(args) > 0:
		diags.Warnf(pos, end, CodePragma, "the count of #pragma unroll is not a number; it is ignored")
	}
	return []Token{out}
}
