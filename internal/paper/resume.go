package paper

import (
	"encoding/json"
	"fmt"
	"slices"

	"irgl/internal/compile"
	"irgl/internal/engine"
	"irgl/internal/journal"
)

// The kinds of lines in a journal.
const (
	kindCell     = "cell"     // a [Cell] before its answers are verified
	kindVerified = "verified" // the result of the verification
	kindChoice   = "choice"   // the default and the tuned switches
	kindTwin     = "twin"     // the counters of the twin of a cell
)

// KindTrial is the kind of a line with a [Trial].
const KindTrial = "trial"

type verified struct {
	Program  string           `json:"program"`
	Input    string           `json:"input"`
	Switches compile.Switches `json:"switches"`
	Failed   string           `json:"failed,omitempty"`
}

type choice struct {
	Program string            `json:"program"`
	Input   string            `json:"input"`
	Default compile.Switches  `json:"default"`
	Tuned   *compile.Switches `json:"tuned,omitempty"`
	Partial bool              `json:"partial,omitempty"` // the search ended at its deadline
}

// A Trial is a candidate of a search, also of irgl tune's.
type Trial struct {
	Program string           `json:"program"`
	Input   string           `json:"input"`
	Trial   engine.TuneTrial `json:"trial"`
}

// note writes a line. A failure to write is reported once.
func (s *session) note(kind string, data any) {
	if err := s.journal.Add(kind, data); err != nil {
		s.journal = nil
		s.rep.Notes = append(s.rep.Notes, "the journal is incomplete: "+err.Error())
	}
}

// begin opens the journal, and restores its contents.
func (s *session) begin() (err error) {
	if s.o.Journal == "" {
		return nil
	}
	head := journal.Head{Device: s.rep.About, Metric: s.rep.Metric, Origin: s.o.Origin}
	if !s.o.Resume {
		s.journal, err = journal.Create(s.o.Journal, head)
		return err
	}
	var lines []journal.Line
	if s.journal, lines, err = journal.Resume(s.o.Journal, head); err != nil {
		return err
	}
	if begun, _, err := journal.Read(s.o.Journal); err == nil {
		s.rep.Origin = begun.Origin
	}
	if err := s.takeOver(lines); err != nil {
		return err
	}
	// Cells whose answers are not verified are measured again.
	s.rep.Cells = slices.DeleteFunc(s.rep.Cells, func(c *Cell) bool {
		if c.Verified || c.Failed != "" {
			return false
		}
		delete(s.rep.byKey, c.key())
		return true
	})
	if n := len(s.rep.Cells); n > 0 {
		s.rep.Notes = append(s.rep.Notes, fmt.Sprintf("%d measurements were restored from the journal", n))
	}
	return nil
}

// takeOver restores the contents of a journal to the report. Of two cells of the same
// name the later one counts.
func (s *session) takeOver(lines []journal.Line) error {
	rep := s.rep
	for i, l := range lines {
		var err error
		switch l.Kind {
		case kindCell:
			c := new(Cell)
			if err = json.Unmarshal(l.Data, c); err == nil {
				if old := rep.byKey[c.key()]; old != nil {
					rep.Cells = slices.DeleteFunc(rep.Cells, func(have *Cell) bool { return have == old })
				}
				rep.add(c)
			}
		case kindVerified:
			var v verified
			if err = json.Unmarshal(l.Data, &v); err == nil {
				if c := rep.byKey[key{v.Program, v.Input, v.Switches}]; c != nil {
					c.Verified, c.Failed = v.Failed == "", v.Failed
				}
			}
		case kindChoice:
			var v choice
			if err = json.Unmarshal(l.Data, &v); err == nil {
				id := key{program: v.Program, input: v.Input}
				rep.note(v.Program, v.Input)
				rep.defaults[id] = v.Default
				if v.Tuned != nil {
					rep.tuned[id] = *v.Tuned
					s.partial[id] = v.Partial
				}
			}
		case KindTrial:
			var v Trial
			if err = json.Unmarshal(l.Data, &v); err == nil {
				id := key{program: v.Program, input: v.Input}
				s.trials[id] = append(s.trials[id], v.Trial)
			}
		case kindTwin:
			var v Cell
			if err = json.Unmarshal(l.Data, &v); err == nil {
				if c := rep.byKey[v.key()]; c != nil {
					c.takeTwin(&v)
				}
			}
		}
		if err != nil {
			return fmt.Errorf("journal %s, line %d: %w", s.o.Journal, i+2, err)
		}
	}
	return nil
}

// replay makes a report from a journal, with the missing counters of twins, which
// only need the emulator.
func (s *session) replay() (*Report, error) {
	head, lines, err := journal.Read(s.o.Journal)
	if err != nil {
		return nil, err
	}
	rep := s.rep
	rep.About, rep.Metric, rep.Device, rep.Origin = head.Device, head.Metric, "cuda", head.Origin
	if head.Metric == "cost" {
		rep.Device = "simt"
	}
	if err := s.takeOver(lines); err != nil {
		return nil, err
	}
	for _, c := range rep.Cells {
		i := slices.IndexFunc(s.programs, func(p *engine.Program) bool { return p.Name() == c.Program })
		if i >= 0 && c.Failed == "" && !s.o.NoCounts && rep.counts(c) {
			s.twins.add(s.programs[i], InputOf(c.Input).Twin, c)
		}
	}
	if !s.o.NoCounts {
		if s.journal, _, err = journal.Resume(s.o.Journal, head); err != nil {
			return nil, err
		}
	}
	s.twins.finish(s.journal)
	for _, st := range s.stages() {
		for _, p := range s.programs {
			for _, in := range s.o.Inputs {
				if n := s.missing(st, p, in.Spec); n > 0 {
					s.leave(st, p.Name(), in.Spec, "not in the journal", n)
				}
			}
		}
	}
	rep.Left = s.leftOut()
	return rep, s.journal.Close()
}

// missing returns how many choices of a stage were not measured for a program on
// an input.
func (s *session) missing(st stage, p *engine.Program, input string) int {
	if !fits(p, input) || (p.Name() == listing5Name) != st.listing {
		return 0
	}
	id := key{program: p.Name(), input: input}
	if _, known := s.rep.defaults[id]; !known && !st.listing {
		return 1
	}
	list := st.choices(s.rep, id)
	if st.search && list == nil {
		return 1
	}
	n := 0
	for _, id.switches = range list {
		if s.rep.byKey[id] == nil {
			n++
		}
	}
	return n
}
