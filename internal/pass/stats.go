package pass

import (
	"fmt"
	"io"
	"slices"
	"strings"
)

// Stats holds counters, each of a pass and with a name. The zero Stats is
// ready to use.
type Stats struct {
	counts map[counter]int
}

type counter struct{ pass, name string }

// A Count is one counter's value.
type Count struct {
	Pass, Name string
	N          int
}

// Add adds n to a counter.
func (s *Stats) Add(pass, name string, n int) {
	if s.counts == nil {
		s.counts = make(map[counter]int)
	}
	s.counts[counter{pass, name}] += n
}

// Get returns a counter's value, 0 when nothing was counted.
func (s *Stats) Get(pass, name string) int { return s.counts[counter{pass, name}] }

// All returns the counters in the order of their passes' and own names.
func (s *Stats) All() []Count {
	all := make([]Count, 0, len(s.counts))
	for c, n := range s.counts {
		all = append(all, Count{c.pass, c.name, n})
	}
	slices.SortFunc(all, func(a, b Count) int {
		if c := strings.Compare(a.Pass, b.Pass); c != 0 {
			return c
		}
		return strings.Compare(a.Name, b.Name)
	})
	return all
}

// String returns the counters that are not 0, one a line: "mem2reg promoted 3".
func (s *Stats) String() string {
	var b strings.Builder
	for _, c := range s.All() {
		if c.N != 0 {
			fmt.Fprintf(&b, "%s %s %d\n", c.Pass, c.Name, c.N)
		}
	}
	return b.String()
}

// WriteMarkdown writes the list as docs/passes.md has it: a table of the
// passes in order, and the constraints with their reasons.
func (l *List[T]) WriteMarkdown(w io.Writer) error {
	var b strings.Builder
	b.WriteString("| # | pass | default | what it does | source |\n|---|---|---|---|---|\n")
	for i := range l.passes {
		p := &l.passes[i]
		state := "on"
		switch {
		case p.Required:
			state = "required"
		case p.Off:
			state = "off"
		}
		doc := p.Doc
		if p.Repeats != "" {
			doc = fmt.Sprintf("`%s` again: %s", p.Repeats, doc)
		}
		fmt.Fprintf(&b, "| %d | `%s` | %s | %s | %s |\n", i+1, p.Name, state, cell(doc), cell(p.Source))
	}
	if len(l.orders) > 0 {
		b.WriteString("\n| pass | precedes | because |\n|---|---|---|\n")
		for _, o := range l.orders {
			fmt.Fprintf(&b, "| `%s` | `%s` | %s |\n", o.Before, o.After, cell(o.Reason))
		}
	}
	if _, err := io.WriteString(w, b.String()); err != nil {
		return fmt.Errorf("write pass table: %w", err)
	}
	return nil
}

// cell makes s fit a table's cell.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "\n", " ").Replace(s)
}
