package analysis

import (
	"irgl/syntax"
)

// A Where says on which side of a statement, or where in it, a [Place] is.
type Where uint8

// The places.
const (
	BeforeStmt Where = iota
	AfterStmt
	// ArmStart and ArmEnd are the ends of a part of an if, an Atomic, an Exclusive
	// or a loop; ArmStart of an Else that is not there makes one.
	ArmStart
	ArmEnd
	// RoundEnd is the end of a loop's body where continue leads as well: what
	// jumps there must not pass what is put there.
	RoundEnd
)

func (w Where) String() string {
	return [...]string{"before", "after", "start of", "end of", "round end of"}[w]
}

// A Place is the place in the tree that an edge is at.
type Place struct {
	Where Where
	Stmt  syntax.Stmt // nil for the function's body, with ArmStart
	Arm   Arm         // of ArmStart and ArmEnd
}

// String prints the place: "end of 5:3 Body".
func (p Place) String() string {
	s := p.Where.String() + " " + at(p.Stmt)
	if p.Where == ArmStart || p.Where == ArmEnd {
		s += " " + [...]string{"body", "then", "else", "init"}[p.Arm]
	}
	return s
}

// PlaceOf returns where in the tree e is, for a generator that puts statements
// there. The edges of jumps and cases have no such place, and others that share
// theirs with the ends of jumps: ok is false.
func (f *Func) PlaceOf(e *Edge) (p Place, ok bool) {
	from, to := e.From, e.To
	switch {
	case e.Kind == Wait || e.Kind == Taken || from.Kind == Switch || from.Kind == Jump || from.Kind == Reduce:
		return p, false
	case isHead(to) && f.entry(to) == e:
		return Place{Where: BeforeStmt, Stmt: to.Stmt}, true
	case from.Kind == Start:
		return Place{Where: ArmStart}, true
	case to.Kind == Post:
		return Place{Where: ArmEnd, Stmt: to.Stmt}, len(to.Preds) == 1
	case isHead(to) && from.Kind == Post && from.Stmt == to.Stmt:
		return Place{Where: RoundEnd, Stmt: to.Stmt}, true
	case isHead(to) && from.inside(to.Stmt):
		return Place{Where: ArmEnd, Stmt: to.Stmt}, true
	case e.Kind == True && from.Kind == If:
		return Place{Where: ArmStart, Stmt: from.Stmt, Arm: Then}, true
	case e.Kind == True && from.Kind == Loop && !isHead(from):
		return p, false // behind the condition of a do loop
	case e.Kind == True || from.Kind == Do || from.Kind == Pipe && e.Kind == Next:
		return Place{Where: ArmStart, Stmt: from.Stmt}, true
	case e.Kind == False && (from.Kind == If || from.Kind == Atomic || from.Kind == Exclusive):
		return Place{Where: ArmStart, Stmt: from.Stmt, Arm: Else}, true
	case to.Kind == Join && from.Stmt == to.Stmt:
		return p, false // the breaks come there, too
	case to.Kind == Join && from.Within(to.Stmt):
		return f.armEnd(from, to)
	case from.Scope != nil && from.Scope.Arm == Init:
		return p, false
	}
	return Place{Where: AfterStmt, Stmt: from.Stmt}, true
}

// armEnd returns the end of the arm of to's statement that from is in.
func (f *Func) armEnd(from, to *Node) (Place, bool) {
	for sc := from.Scope; sc != nil; sc = sc.Outer {
		if sc.Stmt == to.Stmt {
			_, sw := to.Stmt.(*syntax.SwitchStmt)
			return Place{Where: ArmEnd, Stmt: to.Stmt, Arm: sc.Arm}, !sw && !isLoop(to.Stmt)
		}
	}
	return Place{}, false
}

// isHead reports whether n is the head of a loop that is tested at its top.
func isHead(n *Node) bool {
	if n.Kind == ForAll || n.Kind == Iterate {
		return true
	}
	w, ok := n.Stmt.(*syntax.WhileStmt)
	return n.Kind == Loop && !(ok && w.Do)
}
