package host

import (
	"encoding/binary"
	"math"
	"slices"
	"testing"

	"irgl/internal/check"
	"irgl/internal/run"
	"irgl/syntax"
)

// The memory of a slice is what a device has of its numbers; a list that several
// goroutines narrow is what one would make of it.
func TestBytesOf(t *testing.T) {
	list := make([]uint64, 1<<18+3)
	var want32, want64 []byte
	for i := range list {
		list[i] = uint64(i) * 12345 % (1 << 32)
		want32, want64 = binary.LittleEndian.AppendUint32(want32, uint32(list[i])), binary.LittleEndian.AppendUint64(want64, list[i])
	}
	if !slices.Equal(bytesOf(list), want64) || !slices.Equal(bytesOf(narrowed(list)), want32) || len(narrowed(nil)) > 0 {
		t.Error("the bytes differ")
	}
	for _, c := range []struct {
		typ  check.Basic
		v    run.Value
		want []byte
	}{
		{check.Char, run.IntValue(-1), []byte{255}}, {check.Bool, run.IntValue(1), []byte{1}}, {check.Short, run.IntValue(-2), []byte{254, 255}},
		{check.UShort, run.IntValue(1), []byte{1, 0}}, {check.Int, run.IntValue(-2), []byte{254, 255, 255, 255}}, {check.UInt, run.IntValue(1), []byte{1, 0, 0, 0}},
		{check.Long, run.IntValue(1), []byte{1, 0, 0, 0, 0, 0, 0, 0}}, {check.ULong, run.Value{Type: check.ULong, Int: -1}, slices.Repeat([]byte{255}, 8)},
		{check.Float, run.FloatValue(1), []byte{0, 0, 128, 63}}, {check.Double, run.FloatValue(-0.5), []byte{0, 0, 0, 0, 0, 0, 224, 191}},
		{check.Node, run.IntValue(math.MaxInt32), []byte{255, 255, 255, 127}},
	} {
		col := run.NewColumn("c", syntax.NodeDomain, c.typ, 1)
		col.Set(0, c.v)
		if got := columnBytes(col.Data); !slices.Equal(got, c.want) {
			t.Errorf("a column of %s with %v: %v", c.typ, c.v, got)
		}
	}
}
