package check

import (
	"irgl/syntax"
)

// This file checks Atomic (report, section 3.2.1), Retry and Respawn (section
// 4.1).

// atomic checks an Atomic. Its body has one way in and one way out, so that
// every path releases the lock; Else runs without the lock and may jump.
func (c *checker) atomic(s *syntax.AtomicStmt) {
	x := c.place(s.Lock)
	if c.fn.decl.Kind != syntax.KernelFunc {
		c.errorf(s, codeKernelOnly, "Atomic belongs into a Kernel, not into %s", c.whereName())
	} else {
		c.lock(s.Lock, x)
	}
	c.fn.frames = append(c.fn.frames, frame{kind: atomicFrame, in: s})
	c.block(s.Body)
	c.fn.frames = c.fn.frames[:len(c.fn.frames)-1]
	c.block(s.Else)
}

// lock checks that e names what all threads share and an atomic operation can
// change. Taking and releasing a lock reads and writes it.
func (c *checker) lock(e syntax.Expr, x operand) {
	if x.typ == Invalid {
		return
	}
	switch {
	case !x.lvalue || !c.isLockPlace(e):
		if x.root != nil {
			c.mark(e, x.root, useRead)
		}
		c.errorf(e, codeLock, "a lock is a property, a global or an element of a global array").Hint =
			"declare one a node, Node int lock; and lock n.lock"
	case x.typ != Int:
		c.errorf(e, codeLock, "a lock is an int, 0 when it is free, not %s", describe(x.typ))
	case x.ro:
		c.errorf(e, codeLock, "%s is read-only and cannot be a lock", describeOperand(e))
	default:
		c.write(e, x, useRead|useWrite)
	}
}

// isLockPlace reports whether e has one of the forms of a lock.
func (c *checker) isLockPlace(e syntax.Expr) bool {
	switch e := syntax.Unparen(e).(type) {
	case *syntax.Ident:
		o := c.usesOf(e)
		return o != nil && o.Kind == VarObj && o.Global
	case *syntax.IndexExpr:
		_, array := c.info.Types[e.X].(*Array)
		return array && c.isLockPlace(e.X)
	case *syntax.MemberExpr:
		o := c.usesOf(e.Name)
		return o != nil && o.Kind == PropObj
	}
	return false
}

// locked reports whether an Atomic is around the statement, within the
// innermost parallel ForAll: a jump that ends the iteration would leave it.
func (f *function) locked() bool {
	for i := len(f.frames) - 1; i >= 0; i-- {
		switch f.frames[i].kind {
		case atomicFrame:
			return true
		case forAllFrame:
			return false
		}
	}
	return false
}

// atomicJump reports a jump out of an Atomic.
func (c *checker) atomicJump(n syntax.Node, word string) {
	c.errorf(n, codeAtomicJump, "%s leaves the Atomic around it, whose lock would stay taken", word).Hint =
		"set a variable in the Atomic and do it after its end"
}

// retry checks Retry and Respawn. What runs again is what the kernel took from
// the worklist, so it has to take something.
func (c *checker) retry(s *syntax.RetryStmt) {
	word := "Retry"
	if s.Respawn {
		word = "Respawn"
	}
	defer c.edgeItem(s.Item)
	if x := c.rvalue(s.Item); x.typ != Invalid && !IsInteger(x.typ) {
		c.errorf(s.Item, codePropType, "an item of a worklist is a node or an int, not %s", describe(x.typ))
	}
	if c.fn.decl.Kind != syntax.KernelFunc {
		c.errorf(s, codeKernelOnly, "%s belongs into a Kernel, not into %s", word, c.whereName())
		return
	}
	f := c.fn
	f.UsesWL = true
	switch {
	case s.Respawn:
		f.Respawns = true
	case s.Merge:
		f.Pushes = true
	default:
		f.Retries = true
	}
	c.memoryWrite(s)
	c.later = append(c.later, func() {
		if !f.Pops {
			c.errorf(s, codeRetry, "%s in %s, which takes no items from the worklist", word, f.Object.Name).Hint =
				"write WL.push to pass an item to the next kernel"
		}
	})
}
