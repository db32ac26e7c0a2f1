// Package cpp scans the tokens of C and C++ and runs the preprocessor, for the parsers of both front ends:
// package syntax (C99 with CUDA's qualifiers, and IrGL) and package internal/cxx/parse (C++17).
//
// [Scan] returns the tokens of one text, [Preprocess] those that a parser sees:
//
//	opts := cpp.Options{Dialect: cpp.CXX, Arch: 900, Includer: &cpp.Folders{User: []string{"include"}}}
//	result := cpp.Preprocess(file, opts, &diags)
//	for i := 0; result.Tokens[i].Kind != cpp.EOF; i++ { ... }
//
// A [Token] has its text, its place, a [Kind] and, where it is a keyword or an operator, a [Word]: a dense
// integer, so that a parser switches on cpp.KwTemplate and cpp.LParen. All spellings of one keyword have one word
// (inline, __inline__), and so have those of an operator (&&, and). Words that are names in one dialect and
// keywords in the other have the kind of the dialect. Nothing is reported about text that is skipped: malformed
// text is a token of the kind Bad, which the parser reports by [Token.Malformed].
//
// In C++ <<< and >>> are tokens (TripleLess, TripleGreater), as in clang; in C they are << < and >> >, without a
// blank between them. A template's argument list may end in the middle of a token (>>, >>>, >=, >>=): the parser
// then calls [Token.SplitGreater] on the current token, which becomes what is behind the first >.
//
// A token of a macro's body has the place of the macro's name in the text, and in Macro the index of an
// [Expansion], which says where the macro is defined and which expansion it was in, for clang's note "expanded from
// macro". In C++ a token of a macro's argument keeps its own place; in C it has that of the macro's name too.
//
// Of pragmas, unroll becomes a token of the kind Unroll and, in C++, pack one of the kind Pack. A count of unroll that
// the preprocessor cannot evaluate, as a template's parameter, follows its token in brackets.
//
// An [Includer] finds the files that #include names; [Folders] is the usual one. Headers that are the host's are not
// read: Result.Includes has them with [HostOnly]. A part of an embedded header may be left to the caller: Result.Rests
// has it, and [Result.Insert] puts parts of it where it would be. [Print] writes tokens as text, as cpp -P does.
//
// The package refuses texts whose macros or includes would run for ever. It warns of pragmas that it does not know, but
// not in the headers of a system.
package cpp
