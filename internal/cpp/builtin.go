package cpp

import (
	"strconv"
	"strings"
)

// A builtin is a macro whose expansion depends on where it is.
type builtin uint8

const (
	notBuiltin builtin = iota
	lineMacro
	fileMacro
	baseFileMacro
	levelMacro
	counterMacro
	dateMacro
	timeMacro
	timestampMacro
	pragmaMacro
	hasIncludeMacro
	hasIncludeNextMacro
	hasAttributeMacro
	hasCppAttributeMacro
	hasBuiltinMacro
	hasFeatureMacro
)

var builtins = [...]struct {
	name  string
	value builtin
	fn    bool
}{
	{"__LINE__", lineMacro, false}, {"__FILE__", fileMacro, false}, {"__BASE_FILE__", baseFileMacro, false},
	{"__INCLUDE_LEVEL__", levelMacro, false}, {"__COUNTER__", counterMacro, false},
	{"__DATE__", dateMacro, false}, {"__TIME__", timeMacro, false}, {"__TIMESTAMP__", timestampMacro, false},
	{"_Pragma", pragmaMacro, true}, {"__has_include", hasIncludeMacro, true}, {"__has_include_next", hasIncludeNextMacro, true},
	{"__has_attribute", hasAttributeMacro, true}, {"__has_cpp_attribute", hasCppAttributeMacro, true},
	{"__has_builtin", hasBuiltinMacro, true}, {"__has_feature", hasFeatureMacro, true}, {"__has_extension", hasFeatureMacro, true},
}

// oneParam are the parameters of builtins that look like functions.
var oneParam = [1]string{"x"}

// expandBuiltin appends the expansion of a builtin to out. The date and the time are fixed: the same text gives the
// same program.
func (p *preprocessor) expandBuiltin(e *expander, m *macro, t *Token, a *arguments, out []Token) []Token {
	text, kind := "", Number
	switch m.builtin {
	case pragmaMacro:
		arg := p.expandList(a.raw(0), p.buffer(), false)
		out = append(out, p.pragmaOperator(t, arg)...)
		p.release(arg)
		return out
	case lineMacro:
		line, _ := p.position(t)
		text = strconv.Itoa(line)
	case fileMacro:
		_, name := p.position(t)
		text, kind = Quote(name), String
	case baseFileMacro:
		text, kind = Quote(p.main.Name), String
	case levelMacro:
		text = strconv.Itoa(p.depth)
	case counterMacro:
		text = strconv.Itoa(p.counter)
		p.counter++
	case dateMacro:
		text, kind = `"Jan  1 1970"`, String
	case timeMacro:
		text, kind = `"00:00:00"`, String
	case timestampMacro:
		text, kind = `"Thu Jan  1 00:00:00 1970"`, String
	default:
		text = strconv.Itoa(p.has(e, m, t, a.raw(0)))
	}
	return append(out, made(kind, NoWord, text))
}

// has returns the value of __has_include(x) and its like.
func (p *preprocessor) has(e *expander, m *macro, t *Token, arg []Token) int {
	if (m.builtin == hasIncludeMacro || m.builtin == hasIncludeNextMacro) && !e.cond {
		p.diags.Errorf(t.Pos(), t.End(), CodeMalformed, "'%s' must be used within a preprocessing directive", m.name)
		return 0
	}
	var b strings.Builder
	for i := range arg {
		b.WriteString(arg[i].Text())
	}
	name := b.String()
	switch m.builtin {
	case hasIncludeMacro:
		return b2i(p.hasInclude(t, "include", arg))
	case hasIncludeNextMacro:
		return b2i(p.hasInclude(t, "include_next", arg))
	case hasAttributeMacro:
		return b2i(isAttribute(bare(name)) || isGNUAttribute(bare(name)))
	case hasCppAttributeMacro:
		if gnu, ok := strings.CutPrefix(name, "gnu::"); ok {
			return b2i(isGNUAttribute(bare(gnu)))
		}
		return cppAttribute(bare(name))
	case hasBuiltinMacro:
		return b2i(strings.HasPrefix(name, "__") && p.names.lookup(name).kind == Keyword)
	}
	return 0
}

func b2i(b bool) int {
	if b {
		return 1
	}
	return 0
}

// bare returns an attribute's name without the underscores that it may be written in.
func bare(name string) string {
	if len(name) > 4 && strings.HasPrefix(name, "__") && strings.HasSuffix(name, "__") {
		return name[2 : len(name)-2]
	}
	return name
}

// isAttribute reports whether an attribute is one of CUDA.
func isAttribute(name string) bool {
	switch name {
	case "device", "global", "host", "shared", "constant", "launch_bounds", "managed":
		return true
	}
	return false
}

// isGNUAttribute reports whether an attribute of GNU means something on the device or does no harm there.
func isGNUAttribute(name string) bool {
	switch name {
	case "aligned", "always_inline", "noinline", "unused", "used", "packed", "const", "pure", "noreturn", "deprecated", "warn_unused_result",
		"format", "nonnull", "cold", "hot", "flatten", "may_alias", "fallthrough", "visibility", "weak", "malloc", "returns_nonnull":
		return true
	}
	return false
}

// cppAttribute returns the version of a standard attribute, 0 for a name that is not one.
func cppAttribute(name string) int {
	switch name {
	case "noreturn", "carries_dependency":
		return 200809
	case "deprecated":
		return 201309
	case "fallthrough", "nodiscard", "maybe_unused":
		return 201603
	case "likely", "unlikely", "no_unique_address":
		return 201803
	}
	return 0
}
