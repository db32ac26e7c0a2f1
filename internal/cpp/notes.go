package cpp

import (
	"slices"
	"strings"

	"irgl/internal/source"
)

// maxNotes bounds the notes about macros of one diagnostic.
const maxNotes = 6

// Notes returns clang's notes for a token: the macros that it came from, the innermost first. Those that the
// preprocessor itself defines have no place, and no note.
func (r *Result) Notes(t *Token) []source.Diagnostic {
	var list []source.Diagnostic
	for i := t.Macro(); i != 0 && len(list) < maxNotes; i = r.Expansions[i].Outer {
		list = r.Expansions[i].appendNote(list)
	}
	return list
}

func (e *Expansion) appendNote(list []source.Diagnostic) []source.Diagnostic {
	if !e.Def.IsValid() {
		return list
	}
	end := source.Pos{File: e.Def.File, Offset: e.Def.Offset + int32(len(e.Name))}
	return append(list, source.Diagnostic{Severity: source.Note, Pos: e.Def, End: end, Message: "expanded from macro '" + e.Name + "'"})
}

// AddNotes adds to the diagnostics of later stages, whose places are those of macros' names, where the macro is
// defined. Of macros in macros they know the outermost. Diagnostics that have the note stay as they are.
func (r *Result) AddNotes(diags *source.List) {
	if len(diags.Diags) == 0 {
		return
	}
	outermost := map[source.Pos]*Expansion{}
	for i := len(r.Expansions) - 1; i > 0; i-- {
		if e := &r.Expansions[i]; e.Outer == 0 {
			outermost[e.Use] = e
		}
	}
	for _, d := range diags.Diags {
		e := outermost[d.Pos]
		if e == nil || strings.HasPrefix(string(d.Code), "S00") || slices.ContainsFunc(d.Notes, func(n source.Diagnostic) bool { return n.Pos == e.Def }) {
			continue
		}
		d.Notes = e.appendNote(d.Notes)
	}
}
