package ssa_test

import (
	"regexp"
	"slices"
	"strconv"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/ssa"
)

// TestGather moves the functions of all archives that parse: the text stays, but
// for numbers, which have no gaps and are in the order of the old ones, and
// nothing of what is reached is from before.
func TestGather(t *testing.T) {
	moved := 0
	archives(t, "print", func(t *testing.T, ar *txtar.Archive) {
		m := mustParse(t, string(ar.Files[0].Data))
		for _, f := range m.Funcs {
			old := make(map[any]bool)
			want := renumbered(f)
			for _, b := range f.Blocks {
				old[b] = true
				for _, v := range b.Values {
					old[v] = true
				}
			}
			f.Gather()
			if got := f.String(); got != want {
				t.Errorf("moved, the text is\n%swant\n%s", got, want)
			}
			for _, b := range f.Blocks {
				stays := old[b] || b.Ctrl != nil && old[b.Ctrl]
				for _, to := range slices.Concat(b.Succs, b.Preds) {
					stays = stays || old[to]
				}
				for _, v := range b.Values {
					stays = stays || old[v] || v.Block != b || slices.ContainsFunc(v.Args, func(a *ssa.Value) bool { return old[a] })
					moved++
				}
				if stays {
					t.Errorf("@%s: %s still has to do with what was before", f.Name, b)
				}
			}
		}
		if err := ssa.Verify(m); err != nil {
			t.Error(err)
		}
		growApart(t, m)
	})
	if moved == 0 {
		t.Error("nothing has moved")
	}
}

// renumbered returns the text of f with the numbers in it replaced by their
// ranks.
func renumbered(f *ssa.Func) string {
	var values, blocks []int
	for _, b := range f.Blocks {
		blocks = append(blocks, b.ID)
		for _, v := range b.Values {
			values = append(values, v.ID)
		}
	}
	slices.Sort(values)
	slices.Sort(blocks)
	return regexp.MustCompile(`\b[vb]\d+\b`).ReplaceAllStringFunc(f.String(), func(name string) string {
		n, _ := strconv.Atoi(name[1:])
		list := values
		if name[0] == 'b' {
			list = blocks
		}
		rank, _ := slices.BinarySearch(list, n)
		return name[:1] + strconv.Itoa(rank)
	})
}

// growApart appends to every list of the functions and checks that no other
// list has changed.
func growApart(t *testing.T, m *ssa.Module) {
	for _, f := range m.Funcs {
		for i, b := range f.Blocks {
			rest := make([][]*ssa.Value, len(f.Blocks))
			edges := make([][]*ssa.Block, len(f.Blocks))
			for j, o := range f.Blocks {
				rest[j], edges[j] = slices.Clone(o.Values), slices.Concat(o.Succs, o.Preds)
			}
			b.Append(ssa.OpUndef, ssa.I32)
			b.Succs, b.Preds = append(b.Succs, nil), append(b.Preds, nil)
			for j, o := range f.Blocks {
				if j != i && (!slices.Equal(o.Values, rest[j]) || !slices.Equal(slices.Concat(o.Succs, o.Preds), edges[j])) {
					t.Errorf("@%s: what is appended to the lists of %s is in those of %s", f.Name, b, o)
				}
			}
		}
	}
}
