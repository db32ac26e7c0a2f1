package pass

import (
	"fmt"

	"irgl/internal/source"
)

// A Remark is what a pass says about one place of the program: what it did
// there, or why it left it as it was.
type Remark struct {
	Pos    source.Pos // may be invalid, of what has no text
	Pass   string     // the row, or the one that it repeats
	Unit   string     // the function; may be empty
	Missed bool       // the pass left it
	Text   string
}

// Remarks reports whether anybody wants remarks. A pass that must compute
// something to have a reason asks first.
func (r *Run) Remarks() bool { return r.remark != nil }

// Applied remarks that the pass changed what is at pos.
func (r *Run) Applied(pos source.Pos, format string, args ...any) {
	r.say(pos, false, format, args)
}

// Missed remarks that the pass left what is at pos, and why.
func (r *Run) Missed(pos source.Pos, format string, args ...any) {
	r.say(pos, true, format, args)
}

func (r *Run) say(pos source.Pos, missed bool, format string, args []any) {
	if r.remark != nil {
		r.remark(Remark{Pos: pos, Pass: r.base, Unit: r.unit, Missed: missed, Text: fmt.Sprintf(format, args...)})
	}
}
