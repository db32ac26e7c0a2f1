package lower

import (
	"slices"
	"strconv"

	"irgl/internal/cxx/types"
	"irgl/internal/tree"
)

// This file places bit-fields. Those that share no bytes with other members are in aligned
// units, as few as hold them:
//
//	struct { int a : 3, b : 7; }       struct { unsigned short irgl_bits1; };
//
// Others are in pieces, each an aligned unit of bit-fields alone, so that a store changes no
// other member:
//
//	struct { char c; int x : 24; }     struct { char c; unsigned char irgl_bits1; unsigned short irgl_bits2; };

// bitField gives the bytes of a bit-field a member, which other bit-fields in them share:
// each is read by shifts and changed by masks.
func (b *layout) bitField(f *types.Field) member {
	if f.Width == 0 {
		return member{}
	}
	if list := b.pieces[firstBit(f)]; list != nil {
		m := member{bits: true, shift: f.Bit % 8, size: 4}
		if n := f.Bit%8 + valueBits(f); n > 32 {
			m.size = 8
			b.misplaced = b.misplaced || n > 64
		}
		for _, u := range list {
			m.parts = append(m.parts, part{u, b.unitMember(u)})
		}
		m.name = m.parts[0].name
		return m
	}
	unit := b.units[firstBit(f)]
	return member{name: b.unitMember(unit), bits: true, shift: unit.shift(f), size: unit.size}
}

// unitMember returns the member that is a unit of bit-fields.
func (b *layout) unitMember(u unit) string {
	name, ok := b.shared[u.offset]
	if !ok {
		t := tree.Basic(b.span, map[int64]string{1: "unsigned char", 2: "unsigned short", 4: "unsigned int", 8: "unsigned long"}[u.size])
		name = b.member("irgl_bits"+strconv.Itoa(len(b.shared)+1), u.offset, u.size, u.size, t)
		b.shared[u.offset] = name
	}
	return name
}

// A unit is the bytes that bit-fields are accessed in: aligned, and a power of two.
type unit struct{ offset, size int64 }

// shift returns the first bit of a bit-field in its unit.
func (u unit) shift(f *types.Field) int { return int((f.Offset-u.offset)*8) + f.Bit }

// cover returns the least unit that holds the bits from..to, counted from the beginning of the class.
func cover(from, to int64) unit {
	for size := int64(1); size < 8; size *= 2 {
		if from/(size*8) == (to-1)/(size*8) {
			return unit{from / (size * 8) * size, size}
		}
	}
	return unit{from / 64 * 8, 8}
}

// firstBit returns the first bit of a bit-field, counted from the beginning of the object.
func firstBit(f *types.Field) int64 { return f.Offset*8 + int64(f.Bit) }

// unitsOf returns the units of the bit-fields among fields, by their places there. Units that
// would overlap are one.
func unitsOf(fields []*types.Field) []unit {
	var units []unit
	for again := true; again; {
		again = false
		for i, f := range fields {
			if f.Width <= 0 {
				continue
			}
			if units == nil {
				units = make([]unit, len(fields))
			}
			if units[i].size == 0 {
				from := firstBit(f)
				units[i] = cover(from, from+int64(f.Width))
				again = true
			}
			for j := range i {
				u, v := &units[i], &units[j]
				if v.size > 0 && *u != *v && u.offset < v.offset+v.size && v.offset < u.offset+u.size {
					*u = cover(min(u.offset, v.offset)*8, max(u.offset+u.size, v.offset+v.size)*8)
					*v, again = *u, true
				}
			}
		}
	}
	return units
}

func (u unit) end() int64 { return u.offset + u.size }

func (u unit) overlaps(v unit) bool { return u.offset < v.end() && v.offset < u.end() }

// bytesOf returns the bytes that a bit-field has bits in.
func bytesOf(f *types.Field) unit {
	from := firstBit(f) / 8
	return unit{from, (firstBit(f)+int64(f.Width)+7)/8 - from}
}

// split finds the bit-fields whose units have bytes of other members, or are not aligned in the
// struct, and divides their bytes into aligned pieces, which bit-fields alone share.
func (b *layout) split(c *types.Class, fields []*types.Field, units []unit) {
	if units == nil {
		return
	}
	taken := b.taken(c, fields)
	var runs []unit
	var apart []*types.Field
	for i, f := range fields {
		if f.Width <= 0 {
			continue
		}
		u := units[i]
		if u.size <= max(1, c.Align) && u.end() <= c.Size && !slices.ContainsFunc(taken, u.overlaps) {
			continue
		}
		apart = append(apart, f)
		run := bytesOf(f)
		runs = slices.DeleteFunc(runs, func(r unit) bool { // one run with those that it shares a byte with
			if !r.overlaps(run) {
				return false
			}
			from := min(r.offset, run.offset)
			run = unit{from, max(r.end(), run.end()) - from}
			return true
		})
		runs = append(runs, run)
	}
	for _, f := range apart {
		for _, r := range runs {
			if !r.overlaps(bytesOf(f)) {
				continue
			}
			for _, u := range r.aligned(c.Align) {
				if u.overlaps(bytesOf(f)) {
					b.pieces[firstBit(f)] = append(b.pieces[firstBit(f)], u)
				}
			}
		}
	}
}

// taken returns the bytes of the members of c that are no bit-fields. Those of a union share
// theirs in any case.
func (b *layout) taken(c *types.Class, fields []*types.Field) []unit {
	if c.Union {
		return nil
	}
	var list []unit
	for i, base := range c.Bases {
		if !base.Class.Empty && b.isMember(c, i) {
			list = append(list, unit{base.Offset, base.Class.Size})
		}
	}
	for _, f := range fields {
		switch {
		case f.Width >= 0 || f.Type.IsClass() && f.Type.Class.Empty:
		case f.Type.IsRef():
			list = append(list, unit{f.Offset, 8})
		default:
			list = append(list, unit{f.Offset, f.Type.Size()})
		}
	}
	return list
}

// aligned divides bytes into units of at most limit bytes.
func (u unit) aligned(limit int64) []unit {
	var list []unit
	for at := u.offset; at < u.end(); {
		size := max(1, min(8, limit))
		for at%size != 0 || at+size > u.end() {
			size /= 2
		}
		list = append(list, unit{at, size})
		at += size
	}
	return list
}
