package syntax

import "irgl/internal/source"

// directives prepares the tokens of an IrGL text for the parser: a
// #define NAME value becomes a tokDefine, the name and value, and a
// tokLineEnd; other directives are reported and taken out.
func directives(toks []token, diags *source.List) []token {
	out := toks[:0:0]
	for i := 0; i < len(toks); {
		if t := &toks[i]; t.kind != tokPunct || t.text != "#" || !t.startsLine() {
			out = append(out, *t)
			i++
			continue
		}
		n := i + 1
		for toks[n].kind != tokEOF && !toks[n].startsLine() {
			n++
		}
		out = append(out, irglDirective(toks[i:n], diags)...)
		i = n
	}
	return out
}

// irglDirective returns what one directive's line becomes.
func irglDirective(line []token, diags *source.List) []token {
	hash, last := line[0], line[len(line)-1]
	pos, end := hash.pos(), last.end()
	if len(line) == 1 {
		return nil // # alone is allowed, and nothing
	}
	switch word := line[1].text; {
	case word == "pragma":
		return pragma(line, diags)
	case word != "define" || line[1].kind != tokIdent:
		d := diags.Errorf(pos, end, CodeDirective, "IrGL has no directive #%s", word)
		d.Hint = "only #define NAME value and #pragma unroll"
		return nil
	case len(line) == 2 || line[2].kind != tokIdent:
		diags.Errorf(pos, end, CodeMalformed, "expected a name other than a keyword after #define")
		return nil
	case len(line) == 3:
		diags.Errorf(pos, end, CodeMalformed, "%s is defined as nothing", line[2].text).Hint = "give it a value"
		return nil
	case line[3].text == "(" && line[3].glued():
		diags.Errorf(pos, line[2].end(), CodeMacroFunc, "IrGL has no macros with parameters").Hint = "write a function"
		return nil
	}
	hash.kind, hash.text, hash.to = tokDefine, "", line[1].to
	out := append([]token{hash}, line[2:]...)
	return append(out, token{file: last.file, from: last.to, to: last.to, kind: tokLineEnd})
}

// pragma returns what a #pragma line becomes: a tokUnroll, or nothing.
func pragma(line []token, diags *source.List) []token {
	pos, end := line[0].pos(), line[len(line)-1].end()
	if len(line) == 3 && line[2].text == "nounroll" { // clang's name of #pragma unroll 1
		one := line[2]
		one.kind, one.text = tokNumber, "1"
		line = []token{line[0], line[1], {kind: tokIdent, text: "unroll"}, one}
	}
	if len(line) < 3 || line[2].text != "unroll" {
		if len(line) == 3 && line[2].text == "once" {
			return nil
		}
		diags.Warnf(pos, end, CodePragma, "this pragma is ignored")
		return nil
	}
	out := line[0]
	out.kind, out.text, out.to = tokUnroll, "", line[len(line)-1].to
	args := line[3:]
	if len(args) > 2 && args[0].text == "(" {
		args = args[1 : len(args)-1]
	}
	switch {
	case len(args) == 1 && args[0].kind == tokNumber:
		out.text = args[0].text
	case len(args) > 0:
		diags.Warnf(pos, end, CodePragma, "the count of #pragma unroll is not a number; it is ignored")
	}
	return []token{out}
}
