package opt

import (
	"fmt"

	"irgl/internal/source"
	"irgl/internal/ssa/analysis"
)

// text is fmt.Sprintf, which is called only if remarks are wanted.
func (u *unroller) text(format string, args ...any) string {
	if !u.run.Remarks() {
		return ""
	}
	return fmt.Sprintf(format, args...)
}

// noPart combines the reasons why a loop is unrolled neither by a factor nor
// fully.
func (u *unroller) noPart(t *analysis.Trip, body int, reason string) string {
	if t.Count < 0 {
		return reason
	}
	return u.text("its %d iterations of %d operations exceed the limit of %d; unrolled in part: %s", t.Count, body, maxWhole, reason)
}

// remarks reports why each loop that is left, except those that unrolling by a
// factor created, is not unrolled.
func (u *unroller) remarks() {
	loops := analysis.FindLoops(u.f, analysis.Dominators(u.f))
	u.aliases, u.registers, u.variance = nil, nil, nil
	outer := make(map[*analysis.Loop]bool)
	for _, l := range loops.All {
		outer[l.Parent] = true
	}
	for _, l := range loops.All {
		if u.made[l.Header] {
			continue
		}
		reason := "there is a loop in it"
		if !outer[l] {
			_, reason = u.decide(loops, l)
		}
		if reason == "" {
			reason = fmt.Sprintf("it is one of a nest of more than %d loops", maxNest)
		}
		u.run.Missed(loopPos(l), "loop is not unrolled: %s", reason)
	}
}

// loopPos returns the source position of l: that of its condition, if the
// header tests, or of its first operation.
func loopPos(l *analysis.Loop) source.Pos {
	if c := l.Header.Ctrl; c != nil && c.Pos.IsValid() {
		return c.Pos
	}
	for _, b := range l.Blocks {
		for _, v := range b.Values {
			if v.Pos.IsValid() {
				return v.Pos
			}
		}
	}
	return source.Pos{}
}
