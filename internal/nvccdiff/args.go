package nvccdiff

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"

	"irgl/internal/check"
)

// A kind is how the bytes of a scalar are filled and compared.
type kind uint8

const (
	boolean kind = iota
	integer
	half
	bfloat
	float
	double
	pointer
	untyped // of a void pointer: integers of 32 bits
)

// A leaf is a scalar in an element of memory.
type leaf struct {
	at   int64
	size int64
	kind kind
	to   check.Type // of a pointer: its element
}

// maxLeaves bounds the scalars of one type.
const maxLeaves = 1 << 12

// layout returns the scalars of a type.
func layout(t check.Type) ([]leaf, error) {
	list, err := leaves(nil, t, 0)
	if err == nil && len(list) == 0 {
		err = fmt.Errorf("%s has no elements", t)
	}
	return list, err
}

func leaves(list []leaf, t check.Type, at int64) ([]leaf, error) {
	if len(list) > maxLeaves {
		return nil, fmt.Errorf("a type of more than %d scalars", maxLeaves)
	}
	var err error
	switch t := t.(type) {
	case *check.Pointer:
		if _, ok := t.Elem.(*check.Func); ok {
			return nil, fmt.Errorf("a pointer to a function")
		}
		return append(list, leaf{at, 8, pointer, t.Elem}), nil
	case *check.Array:
		for i := range max(0, t.Len) {
			if list, err = leaves(list, t.Elem, at+i*t.Elem.Size()); err != nil {
				return nil, err
			}
		}
		return list, nil
	case *check.Struct:
		if k, ok := halfKind(t); ok {
			for i := range t.Size() / 2 {
				list = append(list, leaf{at + 2*i, 2, k, nil})
			}
			return list, nil
		}
		if words, ok := union(t, at); ok {
			return append(list, words...), nil
		}
		for _, f := range t.Fields {
			if f.Bits != nil {
				return nil, fmt.Errorf("a bit-field")
			}
			if list, err = leaves(list, f.Type, at+f.Offset); err != nil {
				return nil, err
			}
			if t.Union {
				break
			}
		}
		return list, nil
	case check.Basic:
		return append(list, leaf{at, max(t.Size(), 1), basicKind(t), nil}), nil
	}
	return nil, fmt.Errorf("a value of type %s", t)
}

// union returns the words of a union whose members are scalars of different kinds; pointers have to be
// found, so a union with one has the scalars of its first member.
func union(t *check.Struct, at int64) ([]leaf, bool) {
	if !t.Union || t.Size()%4 != 0 || len(t.Fields) < 2 {
		return nil, false
	}
	var first []leaf
	same := true
	for i, f := range t.Fields {
		list, err := layout(f.Type)
		if err != nil || slices.ContainsFunc(list, func(l leaf) bool { return l.kind == pointer }) {
			return nil, false
		}
		if i == 0 {
			first = list
		}
		same = same && slices.Equal(first, list)
	}
	if same {
		return nil, false
	}
	var words []leaf
	for i := int64(0); i < t.Size(); i += 4 {
		words = append(words, leaf{at + i, 4, untyped, nil})
	}
	return words, true
}

// halfKind returns the format of the numbers in a class of halves.
func halfKind(t *check.Struct) (kind, bool) {
	switch {
	case strings.Contains(t.Tag, "nv_bfloat16"):
		return bfloat, true
	case strings.Contains(t.Tag, "__half"):
		return half, true
	}
	return 0, false
}

func basicKind(t check.Basic) kind {
	switch t {
	case check.Bool:
		return boolean
	case check.Float:
		return float
	case check.Double:
		return double
	case check.Void:
		return untyped
	}
	return integer
}

// element returns the scalars of what a pointer points to, and its size.
func element(t check.Type) ([]leaf, int64, error) {
	if t == check.Void {
		return []leaf{{0, 4, untyped, nil}}, 4, nil
	}
	if s, ok := t.(*check.Struct); ok && s.Size() == 0 {
		return nil, 0, fmt.Errorf("a pointer to %s, which is not defined", t)
	}
	list, err := layout(t)
	return list, t.Size(), err
}

// get and put access a scalar of 1, 2, 4 or 8 bytes.
func get(b []byte, size int64) uint64 {
	switch size {
	case 1:
		return uint64(b[0])
	case 2:
		return uint64(binary.LittleEndian.Uint16(b))
	case 4:
		return uint64(binary.LittleEndian.Uint32(b))
	}
	return binary.LittleEndian.Uint64(b)
}

func put(b []byte, size int64, v uint64) {
	var word [8]byte
	binary.LittleEndian.PutUint64(word[:], v)
	copy(b[:size], word[:])
}

// bits returns a number in the format of a leaf.
func (l *leaf) bits(x float64) uint64 {
	switch l.kind {
	case float:
		return uint64(math.Float32bits(float32(x)))
	case double:
		return math.Float64bits(x)
	case bfloat:
		return uint64(math.Float32bits(float32(x)) >> 16)
	case half:
		return uint64(halfBits(float32(x)))
	}
	return uint64(int64(x))
}

// halfBits rounds to binary16 towards zero; what is too small becomes zero.
func halfBits(x float32) uint16 {
	b := math.Float32bits(x)
	sign, exp, frac := uint16(b>>16)&0x8000, int(b>>23&0xff)-127+15, uint16(b>>13)&0x3ff
	switch {
	case exp <= 0:
		return sign
	case exp >= 31:
		return sign | 0x7bff
	}
	return sign | uint16(exp)<<10 | frac
}
