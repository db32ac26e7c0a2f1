package check

import (
	"slices"
	"strings"

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
	return suggest(name, all)
}

// suggest returns "did you mean X?" for the name in all that is the fewest
// edits away from name, the alphabetically first of several, or "" when none
// is near enough to be a slip of the hand.
func suggest(name string, all []string) string {
	slices.Sort(all)
	best, bestDist := "", 1+len(name)/3
	for _, n := range all {
		d := editDistance(name, n, bestDist)
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

// editDistance counts the insertions, deletions, changes and swaps of
// neighbours that turn a into b; it gives limit+1 when there are more.
func editDistance(a, b string, limit int) int {
	if len(a)-len(b) > limit || len(b)-len(a) > limit {
		return limit + 1
	}
	prev2, prev, cur := make([]int, len(b)+1), make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range prev {
		prev[j] = j
	}
	for i := 1; i <= len(a); i++ {
		cur[0] = i
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			cur[j] = min(prev[j]+1, cur[j-1]+1, prev[j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				cur[j] = min(cur[j], prev2[j-2]+1)
			}
		}
		prev2, prev, cur = prev, cur, prev2
	}
	return prev[len(b)]
}
