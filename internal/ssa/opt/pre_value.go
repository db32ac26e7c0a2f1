package opt

import (
	"irgl/internal/ssa"
)

// This file numbers values: values of one class are equal wherever they are computed.

// A congruence holds the classes of values by hashing: a pure operation's class is
// determined by the operation, its fields and the classes of its arguments. Unlike
// gvn's table it is not bound to the dominator tree, so it finds that the values of
// different branches are equal.
//
// The promise not to wrap is part of the class: a value that is computed from one
// that promises must not replace a value that is computed from one that does not.
type congruence struct {
	subst   *subst
	class   []int32             // by value number; 0 for a value that has no class yet
	classes *scopedTable[int32] // the class of an expression
	infos   []classInfo         // by class
	// members has the last member of a class in a block, but for the first member of the
	// class; of the class of a load also loads and stores, of which the load's result and
	// what is stored are the content.
	members *scopedTable[*ssa.Value]
}

// A classInfo is what is known of a class.
type classInfo struct {
	first   *ssa.Value // the first member
	count   int32      // the members
	variant int32      // the class of the same expression with another promise; 0 for none
}

func newCongruence(f *ssa.Func, s *subst) congruence {
	n := 0
	for _, b := range f.Blocks {
		n += len(b.Values)
	}
	return congruence{
		subst: s, class: ssa.Make[int32](f, f.NumValues()), infos: ssa.Make[classInfo](f, n+n/4+1)[:1],
		classes: newScopedTable[int32](f, n+n/2), members: newScopedTable[*ssa.Value](f, n/4),
	}
}

// classOf returns the class of v; 0 if v was not visited.
func (c *congruence) classOf(v *ssa.Value) int32 {
	v = c.subst.find(v)
	if v.ID >= len(c.class) {
		return 0
	}
	return c.class[v.ID]
}

// newClass returns a new class.
func (c *congruence) newClass() int32 {
	c.infos = append(c.infos, classInfo{})
	return int32(len(c.infos) - 1)
}

// setClass sets the class of v.
func (c *congruence) setClass(v *ssa.Value, class int32) {
	for v.ID >= len(c.class) {
		c.class = append(c.class, 0)
	}
	c.class[v.ID] = class
}

// expression returns the key of v, a pure operation or a load, with arguments of
// the classes that arg returns, and whether all of them have one. A load's key is that
// of what it reads; of a store too, for the type of what it stores.
func expression(v *ssa.Value, arg func(*ssa.Value) int32) (key, bool) {
	if v.Op == ssa.OpLoad || v.Op == ssa.OpStore {
		k := key{op: ssa.OpLoad, typ: v.Type, a0: arg(v.Args[0])}
		if v.Op == ssa.OpStore {
			k.typ = v.Args[1].Type
		}
		return k, k.a0 != 0
	}
	k := keyOf(v)
	if len(v.Args) > 3 {
		return k, false
	}
	if v.Op.MayPromise() && v.NoWrap {
		k.number = 1
	}
	in := [...]*int32{&k.a0, &k.a1, &k.a2}
	for i, a := range v.Args {
		if *in[i] = arg(a); *in[i] == 0 {
			return k, false
		}
	}
	if v.Op.Commutative() && k.a0 > k.a1 {
		k.a0, k.a1 = k.a1, k.a0
	}
	return k, true
}

// number gives v, whose arguments have classes, its class. For a load it returns the
// class of what it reads, which is not that of its result.
func (c *congruence) number(v *ssa.Value) int32 {
	access := v.Op == ssa.OpLoad || v.Op == ssa.OpStore
	if access && !v.Mem.Volatile || v.Mergeable() {
		if k, ok := expression(v, c.classOf); ok {
			class, found := c.classes.find(k)
			if !found {
				class = c.newClass()
				c.classes.put(k, class)
				if v.Op.MayPromise() {
					c.pairUp(class, k)
				}
			}
			if !access {
				c.setClass(v, class)
				return class
			}
			c.setClass(v, c.newClass())
			return class
		}
	}
	c.setClass(v, c.newClass())
	return 0
}

// add makes v a member of class in its block.
func (c *congruence) add(class int32, v *ssa.Value) {
	info := &c.infos[class]
	if info.count++; info.count == 1 {
		info.first = v
		return
	}
	c.members.put(key{a0: class, a1: int32(v.Block.ID)}, v)
}

// pairUp links the new class of expression k with that of the other promise.
func (c *congruence) pairUp(class int32, k key) {
	k.number ^= 1
	if other, ok := c.classes.find(k); ok {
		c.infos[class].variant, c.infos[other].variant = other, class
	}
}

// memberIn returns the member of class in b, or nil.
func (c *congruence) memberIn(class int32, b *ssa.Block) *ssa.Value {
	info := &c.infos[class]
	if info.count > 1 {
		if m, ok := c.members.find(key{a0: class, a1: int32(b.ID)}); ok {
			return c.subst.find(m)
		}
	}
	if info.first == nil || info.first.Block != b {
		return nil
	}
	return c.subst.find(info.first)
}

// variants returns the classes of values equal to v: that of expression k, and that of
// the same expression with another promise; 0 for none.
func (c *congruence) variants(v *ssa.Value, k key) [2]int32 {
	var list [2]int32
	class, ok := c.classes.find(k)
	if ok {
		return [2]int32{class, c.infos[class].variant}
	}
	if v.Op.MayPromise() {
		k.number ^= 1
		list[1], _ = c.classes.find(k)
	}
	return list
}
