package check

import (
	"slices"
	"strings"

	"irgl/internal/suggest"
	"irgl/syntax"
)

// A scope is one level of names. Tags (struct s) live beside ordinary names,
// as in C; a tag is also found as a plain name when nothing else has it, as in
// C++.
type scope struct {
	outer *scope
	names map[string]*Object
	tags  map[string]*tagged
	// gone holds names that inner, already closed scopes declared, for hints.
	gone map[string]*Object
}

// A tagged is what a tag stands for.
type tagged struct {
	kind syntax.TagKind
	typ  Type
	decl *syntax.TagType
}

// newScope returns an empty scope inside outer.
func newScope(outer *scope) *scope {
	return &scope{outer: outer, names: map[string]*Object{}}
}

// lookup finds name in s and the scopes around it.
func (s *scope) lookup(name string) *Object {
	for ; s != nil; s = s.outer {
		if o := s.names[name]; o != nil {
			return o
		}
	}
	return nil
}

// lookupTag finds a tag in s and the scopes around it.
func (s *scope) lookupTag(name string) *tagged {
	for ; s != nil; s = s.outer {
		if t := s.tags[name]; t != nil {
			return t
		}
	}
	return nil
}

// setTag enters a tag into s.
func (s *scope) setTag(name string, t *tagged) {
	if s.tags == nil {
		s.tags = map[string]*tagged{}
	}
	s.tags[name] = t
}

// push opens a scope; the result closes it again.
func (c *checker) push() func() {
	inner := newScope(c.scope)
	c.scope = inner
	return func() {
		out := inner.outer
		if out.gone == nil {
			out.gone = map[string]*Object{}
		}
		for n, o := range inner.names {
			if o.Decl != nil {
				out.gone[n] = o
			}
		}
		for n, o := range inner.gone {
			if out.gone[n] == nil {
				out.gone[n] = o
			}
		}
		c.scope = out
	}
}

// didYouMean returns a hint naming the known name closest to name, or "".
func (c *checker) didYouMean(name string, ok func(*Object) bool) string {
	const enough = 200 // errors after which nobody reads hints, but time adds up
	if len(c.diags.Diags) > enough {
		return ""
	}
	var all []string
	for s := c.scope; s != nil; s = s.outer {
		for n, o := range s.names {
			known := o.Type != Invalid || o.Decl != nil
			if known && (ok == nil || ok(o)) {
				all = append(all, n)
			}
		}
	}
	return nearest(name, all)
}

// nearest returns "did you mean X?" for the name in all that is the fewest
// edits away from name, the alphabetically first of several, or "" when none
// is near enough to be a slip of the hand.
func nearest(name string, all []string) string {
	slices.Sort(all)
	best, bestDist := "", 1+len(name)/3
	for _, n := range all {
		d := suggest.Distance(name, n, bestDist)
		if strings.EqualFold(n, name) {
			d = min(d, 1)
		}
		if n != name && (d < bestDist || d == bestDist && best == "") {
			best, bestDist = n, d
		}
	}
	if best == "" {
		return ""
	}
	return "did you mean " + best + "?"
}
