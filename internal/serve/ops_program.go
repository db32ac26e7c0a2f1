package serve

import (
	"cmp"
	"context"

	"irgl/internal/compile"
	"irgl/internal/engine"
	"irgl/internal/source"
	"irgl/syntax"
)

type compileArgs struct {
	header
	As      uint64  `cbor:"as"`
	Problem string  `cbor:"problem"` // that bundled programs solve
	Name    string  `cbor:"name"`    // of a bundled program, or of the text in messages
	Text    *string `cbor:"text"`
	At      *int64  `cbor:"at"` // of a long text in the arena
	Size    int64   `cbor:"size"`
}

type paramInfo struct {
	Name    string `cbor:"name"`
	Type    string `cbor:"type"`
	Default string `cbor:"default"` // "" when an argument must be given
}

type outputInfo struct {
	Name string `cbor:"name"`
	Type string `cbor:"type"`
	Of   string `cbor:"of"`
}

type compileResult struct {
	reply
	Name     string       `cbor:"name"`
	Doc      string       `cbor:"doc"`
	Params   []paramInfo  `cbor:"params"`
	Outputs  []outputInfo `cbor:"outputs"`
	Graph    bool         `cbor:"graph"` // it runs on one
	Mesh     bool         `cbor:"mesh"`
	Known    bool         `cbor:"known"` // its results can be verified
	Warnings []diagnostic `cbor:"warnings"`
}

// maxText bounds the text of a program.
const maxText = 64 << 20

// newProgram checks a program. It is compiled for a device by its first run there.
func newProgram(s *server, a *compileArgs) (*gpu, any, error) {
	if err := s.handles.check(a.As); err != nil {
		return nil, nil, err
	}
	own := a.Text != nil || a.At != nil
	switch {
	case a.Problem != "" && (own || a.Name != ""):
		return nil, nil, argumentf("compile: a problem has neither name nor text")
	case a.Problem == "" && a.Name == "":
		return nil, nil, argumentf("compile: give problem or name")
	case a.Text != nil && a.At != nil:
		return nil, nil, argumentf("compile: both text and at")
	case a.Size < 0 || a.Size > maxText:
		return nil, nil, argumentf("compile: a text of %d bytes: there are at most %d", a.Size, maxText)
	}
	var text []byte
	if a.Text != nil {
		text = []byte(*a.Text)
	}
	if a.At != nil {
		b, err := s.arena.bytes(*a.At, a.Size)
		if err != nil {
			return nil, nil, err
		}
		text = append([]byte(nil), b...) // before it is checked
	}
	p := &program{future: newFuture(), problem: a.Problem, own: own}
	s.handles[a.As] = p
	return nil, &making{a.As, p, func(ctx context.Context) (any, error) {
		var err error
		if own {
			p.p, err = engine.Parse(a.Name, text)
		} else {
			p.p, err = s.engines.named(a.Problem, a.Name)
		}
		var r *compileResult
		if err == nil {
			r = describeProgram(p.p)
			err = s.modes.fits("compile", r)
		}
		p.resolve(err)
		return r, err
	}}, nil
}

// named returns a bundled program, of a problem the plain one.
func (e *engines) named(problem, name string) (*engine.Program, error) {
	if problem != "" && engine.Solvers(problem) == nil {
		_, _, err := engine.Choose(context.Background(), problem, nil, nil, engine.Options{}) // says which there are
		return nil, argumentf("%v", err)
	}
	p, err := e.program(cmp.Or(problem, name))
	if err != nil {
		return nil, argumentf("%v", err)
	}
	return p, nil
}

func describeProgram(p *engine.Program) *compileResult {
	r := &compileResult{Name: p.Name(), Doc: short(p.Doc()), Known: p.Known(), Warnings: diagnosticsOf(p.WarningList())}
	r.Graph, r.Mesh = p.Needs()
	for _, param := range p.Params() {
		r.Params = append(r.Params, paramInfo(param))
	}
	for _, o := range p.OutputTypes() {
		r.Outputs = append(r.Outputs, outputInfo(o))
	}
	return r
}

type explainArgs struct {
	header
	Program  uint64 `cbor:"program"`
	Switches string `cbor:"switches"`
	Missed   bool   `cbor:"missed"` // only what was left
	From     int    `cbor:"from"`
}

type remark struct {
	File     string `cbor:"file"`
	Line     int    `cbor:"line"`
	Column   int    `cbor:"column"`
	Pass     string `cbor:"pass"`
	Function string `cbor:"function"`
	Missed   bool   `cbor:"missed"`
	Text     string `cbor:"text"`
}

type explainResult struct {
	reply
	Remarks []remark `cbor:"remarks"`
	Total   int      `cbor:"total"`
}

// maxRemarks and maxRemarkText bound a reply with remarks: their number, and the bytes of
// their texts.
const (
	maxRemarks    = 1024
	maxRemarkText = 256 << 10
)

// explain says what the optimiser did with a program, and what it left and why.
func explain(s *server, a *explainArgs) (*gpu, any, error) {
	p, err := lookup[*program](s.handles, a.Program)
	if err != nil {
		return nil, nil, err
	}
	var given compile.Switches
	if a.Switches != "" && a.Switches != "none" {
		if given, err = compile.ParseSwitches(a.Switches); err != nil {
			return nil, nil, argumentf("switches: %v", err)
		}
	}
	if a.From < 0 {
		return nil, nil, argumentf("explain: from %d", a.From)
	}
	return nil, wait(func(ctx context.Context) (any, error) {
		if err := p.await(ctx, "the program"); err != nil {
			return nil, err
		}
		o := compile.Options{Context: ctx, Lower: given.Options()}
		all, err := compile.Remarks(source.NewFile(p.p.Name()+".irgl", p.p.Source()), syntax.IrGL, o, false)
		if err != nil {
			return nil, err
		}
		r := &explainResult{}
		text := 0
		for _, m := range all {
			if a.Missed && !m.Missed {
				continue
			}
			r.Total++
			if r.Total <= a.From || len(r.Remarks) == maxRemarks || text > maxRemarkText {
				continue
			}
			m.Text, m.Function = short(m.Text), short(m.Function)
			text += len(m.Text) + len(m.Function)
			r.Remarks = append(r.Remarks, remark(m))
		}
		return r, nil
	}), nil
}

type devicesResult struct {
	reply
	Devices []deviceName `cbor:"devices"`
	Why     string       `cbor:"why"` // there is no GPU among them
}

type deviceName struct {
	Device string `cbor:"device"`
	Name   string `cbor:"name"`
	Detail string `cbor:"detail"`
}

// listDevices lists the devices that programs run on.
func listDevices(s *server, a *header) (*gpu, any, error) {
	list, err := engine.Devices()
	r := &devicesResult{}
	for _, d := range list {
		r.Devices = append(r.Devices, deviceName(d))
	}
	if err != nil {
		r.Why = err.Error()
	}
	return nil, r, nil
}
