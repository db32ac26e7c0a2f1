package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"time"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/compile"
	"irgl/internal/host"
	"irgl/internal/lower"
	"irgl/internal/programs"
	"irgl/internal/run"
	"irgl/internal/tune"
	"irgl/mesh"
)

// A SessionExecutable is a program on the device of a [Session], for runs with many
// choices of switches: code is compiled ahead of them, some engines stay loaded, and
// answers are verified concurrently with later runs.
type SessionExecutable struct {
	*Executable
	session  *Session
	ahead    map[string]*build
	building context.Context // of the builds in ahead; [SessionExecutable.Close] ends it
	stop     context.CancelFunc
	builds   sync.WaitGroup // goroutines that build
	kept     []kept         // engines that were used before, the last one last
	expected *expected      // of runs that are timed; nil when no answer is known
}

// Compile makes the program ready to run in the session, without loading anything
// before its first run or [Executable.Use]. Closing the executable leaves the
// device open.
func (s *Session) Compile(p *Program) (*SessionExecutable, error) {
	if p.info.Entry == nil {
		return nil, fmt.Errorf("%s has no Host function to run", p.file.Name)
	}
	x := &SessionExecutable{session: s, ahead: map[string]*build{}}
	x.building, x.stop = context.WithCancel(context.Background())
	x.Executable = &Executable{program: p, o: s.o, from: "given", dev: s.dev, hardware: s.dev.Info(), device: s.kind, about: s.about, preparer: s.preparer, sharing: x, digest: programs.OneAnswer(p.bundled)}
	x.o.PTX = ""
	return x, nil
}

// Close gives what the executable has on the device back. It ends the builds of
// [SessionExecutable.Ahead] and waits for them.
func (x *SessionExecutable) Close() error {
	x.stop()
	x.builds.Wait()
	err := x.Executable.Close()
	if x.lost() == nil {
		for _, k := range x.kept {
			err = errors.Join(err, k.engine.Close())
		}
	}
	x.kept = nil
	return err
}

// Drop gives up a graph if the executable was last prepared for it, or may have been; its code stays loaded.
func (x *SessionExecutable) Drop(g *graph.Graph) error {
	if x.given != g && x.given != nil { // nil after an error, which may have left an earlier one placed
		return nil
	}
	x.given, x.prepared = nil, nil
	x.fromMesh, x.Executable.elements = nil, nil
	e, ok := x.engine.(*host.Engine)
	if !ok || x.lost() != nil {
		return nil
	}
	return e.Unplace()
}

func (x *SessionExecutable) lost() error { return x.session.lost }

func (x *SessionExecutable) fit(ctx context.Context, _ *Executable, g *graph.Graph) (*fitted, error) {
	return x.session.graphs.fit(ctx, g, x.program.info, x.session.preparer)
}

func (x *SessionExecutable) elements(ctx context.Context, m *mesh.Mesh, r check.Requires) (*run.Mesh, error) {
	return x.session.elements(ctx, m, r)
}

func (x *SessionExecutable) store(*Executable) *host.Store { return x.session.store }

func (x *SessionExecutable) noteLoad(took time.Duration) {
	x.session.loading.Modules++
	x.session.loading.Took += took
}

// Stale reports whether the session's device was reopened since the executable was
// made: then it must be made again.
func (x *SessionExecutable) Stale() bool { return x.dev != x.session.dev }

// Suggest returns the switches that the executable would choose for the prepared
// graph: those of the tuning file's best entry, "" for no file, or else a default;
// tuned says which.
func (x *SessionExecutable) Suggest(tuning string) (switches compile.Switches, from string, tuned bool, err error) {
	if x.prepared == nil {
		return switches, "", false, errors.New("no graph was prepared")
	}
	in := x.input(x.prepared)
	x.o.Tuning = tuning
	entry, _, ok, err := x.lookup(in)
	if err != nil {
		return switches, "", false, err
	}
	if ok {
		switches, err = compile.ParseSwitches(entry.Switches) // lookup gives only what can be read
		return switches, "tuned on " + entry.Graph.Name, true, err
	}
	choice := tune.Default(x.program.bundled, in.Features, x.device)
	return compile.SwitchesOf(choice.Options), choice.From, false, nil
}

// SetStats has the runs that follow record what each kernel took, or not.
func (x *SessionExecutable) SetStats(on bool) { x.o.Stats = on }

// SetOptions replaces those of the session's options that are about runs: Stdout, Stats,
// Capacity, Room, Auto and Tuning. It is called before the first run.
func (x *SessionExecutable) SetOptions(o Options) {
	x.o.Stdout, x.o.Stats, x.o.Capacity, x.o.Room, x.o.Auto, x.o.Tuning = o.Stdout, o.Stats, o.Capacity, o.Room, o.Auto, o.Tuning
}

// A build is a program that is being compiled, or was.
type build struct {
	name string
	done chan struct{}
	unit *compile.Unit
	err  error
}

// Ahead has other processors compile the program with these switches, for runs
// that will want them.
func (x *SessionExecutable) Ahead(switches ...compile.Switches) {
	for _, s := range switches {
		x.aheadOf(s.Options())
	}
}

func (x *SessionExecutable) aheadOf(o lower.Options) {
	c := code{o, x.loaded.widths}
	key := c.key()
	if x.ahead[key] != nil || slices.ContainsFunc(x.kept, func(k kept) bool { return k.code.key() == key }) {
		return
	}
	b := &build{name: x.program.file.Name, done: make(chan struct{})}
	x.ahead[key] = b
	if x.session.pool != nil {
		x.session.cold = append(x.session.cold, b)
	}
	slots := x.session.slots
	x.builds.Go(func() {
		defer close(b.done)
		select {
		case slots <- struct{}{}:
		case <-x.building.Done():
			b.err = x.building.Err()
			return
		}
		defer func() { <-slots }()
		b.unit, b.err = x.build(x.building, c, "")
		if b.err == nil { // the text, too, is made here
			b.unit.PTXText()
		}
	})
}

// built implements sharing: what was compiled ahead is taken.
func (x *SessionExecutable) built(ctx context.Context, _ *Executable, c code, last string) (*compile.Unit, error) {
	b := x.ahead[c.key()]
	if b == nil || last != "" {
		return x.build(ctx, c, last)
	}
	select {
	case <-b.done:
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	delete(x.ahead, c.key())
	return b.unit, b.err
}

// keptEngines is how many engines an executable of a session keeps loaded: those of
// the finalists of a search, which run alternately, and a few more.
const keptEngines = 6

// A kept is an engine with its code.
type kept struct {
	code   code
	engine *host.Engine
}

// exchange implements sharing.
func (x *SessionExecutable) exchange(c code) (bool, error) {
	if err := x.retire(); err != nil {
		return false, err
	}
	return x.revive(c), nil
}

// retire puts the present engine aside, with what it holds of the device given
// back, for the next one to take.
func (x *SessionExecutable) retire() error {
	old, _ := x.engine.(*host.Engine)
	if x.engine = nil; old == nil {
		return nil
	}
	err := old.Unplace()
	x.kept = append(x.kept, kept{x.loaded, old})
	if len(x.kept) > keptEngines {
		err = errors.Join(err, x.kept[0].engine.Close())
		x.kept = slices.Delete(x.kept, 0, 1)
	}
	return err
}

// revive takes an engine for c from those put aside.
func (x *SessionExecutable) revive(c code) bool {
	i := slices.IndexFunc(x.kept, func(k kept) bool { return k.code.key() == c.key() })
	if i < 0 {
		return false
	}
	x.engine, x.loaded, x.switches = x.kept[i].engine, c, compile.SwitchesOf(c.lower)
	x.kept = slices.Delete(x.kept, i, i+1)
	return true
}
