package klap

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"

	"irgl/internal/pass"
	"irgl/internal/source"
	"irgl/syntax"
)

// A Report says what became of each launch in device code.
type Report struct {
	Sites []Site
	// Behind are the kernels of the host that leave launches to a kernel behind them, and the names of these (behind.go).
	Behind map[string]string
	// Dropped are the calls of cudaDeviceSynchronize that nothing of their kernel follows.
	Dropped []source.Pos
}

// A Site is a launch in device code.
type Site struct {
	Pos    source.Pos
	Parent string // the function that launches
	Child  string // the kernel
	// Before is what passes in front of aggregation have done, or why not.
	Before []string
	// Done is what aggregation has done, and Reason, if that is nothing, why; both are "" without it.
	Done, Reason string
	// Whole is why the aggregated kernel is not flattened; "" if it is, or if that is switched off.
	Whole string
}

// Write prints a line for each launch, by its position.
func (r *Report) Write(w io.Writer) error {
	for _, s := range r.Sites {
		list := slices.Clone(s.Before)
		switch {
		case s.Done != "":
			list = append(list, s.Done)
			if s.Whole != "" {
				list = append(list, "not flattened: "+s.Whole)
			}
		case s.Reason != "":
			list = append(list, "not aggregated: "+s.Reason)
		}
		text := strings.Join(list, "; ")
		if _, err := fmt.Fprintf(w, "%s: launch of %s in %s: %s\n", s.Pos, s.Child, s.Parent, text); err != nil {
			return err
		}
	}
	for _, p := range r.Dropped {
		if _, err := fmt.Fprintf(w, "%s: cudaDeviceSynchronize is dropped: nothing of the kernel follows it\n", p); err != nil {
			return err
		}
	}
	return nil
}

// behind says that a kernel leaves launches to one behind it.
func (r *Report) behind(kernel string) {
	if r.Behind == nil {
		r.Behind = map[string]string{}
	}
	r.Behind[kernel] = kernel + behindSuffix
}

// notes are what passes have said of launches before the report is made.
type notes struct {
	text map[launched][]string
	of   map[string]string // the function that another is a copy of
}

// launched is a launch in a function or in a copy of it.
type launched struct {
	pos source.Pos
	fn  string
}

// note says what a pass has done with a launch, or why not.
func (p *Program) note(run *pass.Run, s *site, done, not string) {
	text := done
	if s.reason != "" {
		text = not + ": " + s.reason
	}
	if p.notes.text == nil {
		p.notes.text = map[launched][]string{}
	}
	at := launched{s.launch.Pos(), s.fn.Object.Name}
	p.notes.text[at] = append(p.notes.text[at], text)
	child := p.kernelName(syntax.String(s.launch.Fun))
	if s.reason == "" {
		run.Count("transformed", 1)
		run.Applied(s.launch.Pos(), "launch of %s: %s", child, text)
	} else {
		run.Count("stayed", 1)
		run.Missed(s.launch.Pos(), "launch of %s: %s", child, text)
	}
}

// copied says that a function is a copy of another.
func (p *Program) copied(name, of string) {
	if p.notes.of == nil {
		p.notes.of = map[string]string{}
	}
	p.notes.of[name] = of
}

// inherit says of the launches in a copy what has been said of those in the function.
func (p *Program) inherit(name, of string) {
	for at, list := range p.notes.text {
		if at.fn == of {
			p.notes.text[launched{at.pos, name}] = slices.Clone(list)
		}
	}
}

// before returns what passes have said of a launch.
func (p *Program) before(s *site) []string {
	return p.notes.text[launched{s.launch.Pos(), s.fn.Object.Name}]
}

// reported adds a launch to the report. done is what aggregation has done; if that is nothing, the reason is that of the site. whole is why the aggregated kernel
// is not flattened.
func (p *Program) reported(s *site, done, whole string) {
	p.report.Sites = append(p.report.Sites, Site{Pos: s.launch.Pos(), Parent: p.readable(s.fn.Object.Name), Child: p.kernelName(syntax.String(s.launch.Fun)),
		Before: p.before(s), Done: done, Reason: s.reason, Whole: whole})
}

// finish reports the launches that aggregation has not reported, and sorts them all.
func (p *Program) finish() {
	if !p.aggregated {
		for _, s := range p.sites() {
			if p.before(s) != nil {
				p.reported(s, "", "")
			}
		}
	}
	slices.SortStableFunc(p.report.Sites, func(a, b Site) int { return cmp.Compare(a.Pos.Offset, b.Pos.Offset) })
}

// kernelName returns the name of a kernel as the program has it, of a copy too.
func (p *Program) kernelName(symbol string) string {
	if of, copied := p.notes.of[symbol]; copied {
		return p.kernelName(of)
	}
	return readable(symbol)
}

// readable returns a function's name as the program has it, and says which copy it is.
func (p *Program) readable(symbol string) string {
	switch of, copied := p.notes.of[symbol]; {
	case !copied:
		return readable(symbol)
	case symbol == of+coarseSuffix:
		return p.readable(of) + " (coarsened)"
	default:
		return p.readable(of) + " (in a thread)"
	}
}
