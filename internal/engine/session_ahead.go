package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"

	"irgl/internal/compile"
	"irgl/internal/device/warm"
	"irgl/internal/host"
	"irgl/internal/lower"
)

// A build is a program that is being compiled, or was.
type build struct {
	name string
	done chan struct{}
	unit *compile.Unit
	err  error
}

// Ahead has other processors compile the program with these switches, for runs
// that will want them. It does nothing outside a [Session].
func (x *Executable) Ahead(switches ...compile.Switches) {
	for _, s := range switches {
		x.aheadOf(s.Options())
	}
}

func (x *Executable) aheadOf(o lower.Options) {
	c := code{o, x.loaded.widths}
	key := c.key()
	if x.session == nil || x.ahead[key] != nil || slices.ContainsFunc(x.kept, func(k kept) bool { return k.code.key() == key }) {
		return
	}
	b := &build{name: x.program.file.Name, done: make(chan struct{})}
	x.ahead[key] = b
	if x.session.pool != nil {
		x.session.cold = append(x.session.cold, b)
	}
	slots := x.session.slots
	go func() {
		defer close(b.done)
		slots <- struct{}{}
		defer func() { <-slots }()
		b.unit, b.err = x.build(context.Background(), c, "")
		if b.err == nil { // the text, too, is made here
			b.unit.PTXText()
		}
	}()
}

// key names a code among those of one program.
func (c code) key() string { return fmt.Sprint(c.lower.String(), " ", c.widths) }

// built returns the program compiled for c, up to the stage called last.
func (x *Executable) built(ctx context.Context, c code, last string) (*compile.Unit, error) {
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

// keptEngines is how many engines an executable of a session keeps loaded: those
// among which the last runs of a search go by turns, and a few more.
const keptEngines = 6

// A kept is an engine with its code.
type kept struct {
	code   code
	engine *host.Engine
}

// retire puts the present engine aside, with what it holds of the device given
// back, for the next one to take.
func (x *Executable) retire() error {
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
func (x *Executable) revive(c code) bool {
	i := slices.IndexFunc(x.kept, func(k kept) bool { return k.code.key() == c.key() })
	if i < 0 {
		return false
	}
	x.engine, x.loaded, x.switches = x.kept[i].engine, c, compile.SwitchesOf(c.lower)
	x.kept = slices.Delete(x.kept, i, i+1)
	return true
}

// CompileAhead has n processes of a command help the device's compiler, which for a
// GPU takes longer than most runs: [Session.Warm] gives them what [Executable.Ahead]
// has compiled. The command is package warm's at its other end, as irgl jit is.
func (s *Session) CompileAhead(n int, command ...string) {
	s.pool = warm.NewPool(n, func() (warm.Compiler, error) { return warm.Start(command...) })
}

// Warm waits until all that Ahead was called for is compiled, by the device's
// compiler, too: into its cache, so that runs with these switches begin at once, and
// no processor is busy with it while they are timed. Without [Session.CompileAhead] it
// does nothing. The error is ctx's, or says that there is no help any more; runs go on
// without.
func (s *Session) Warm(ctx context.Context) error {
	if s.pool == nil {
		return nil
	}
	if err := s.noHelp(); err != nil {
		s.pool, s.cold = nil, nil
		return err
	}
	start := time.Now()
	var texts []warm.Text
	for _, b := range s.cold {
		select {
		case <-b.done:
		case <-ctx.Done():
			return ctx.Err()
		}
		if b.err == nil {
			texts = append(texts, warm.Text{Name: b.name, PTX: b.unit.PTXText()})
		}
	}
	s.cold = nil
	err := s.pool.Compile(ctx, texts)
	s.loading.Ahead += time.Since(start)
	s.loading.Warmed, s.loading.Refused = s.pool.Count()
	if err != nil && ctx.Err() == nil { // the processes end with this one, if not before
		_ = s.pool.Close()
		s.pool = nil
	}
	return err
}

// Stale reports whether the session's device was opened anew since the executable was
// made, which is of no use then.
func (x *Executable) Stale() bool { return x.session != nil && x.dev != x.session.dev }

// manyLoads is after how many loads it is known whether compiling ahead helps.
const manyLoads = 20

// noHelp gives the processes up if to load what they have compiled takes about as long
// as to compile it: the driver has no cache, or one that is too small.
func (s *Session) noHelp() error {
	first := &s.firstWarm
	if first.Warmed == 0 {
		*first = s.loading
		return nil
	}
	n := s.loading.Modules - first.Modules
	if n < manyLoads {
		return nil
	}
	mean := (s.loading.Took - first.Took) / time.Duration(n)
	if alone := s.pool.Mean(); mean > alone/2 {
		return s.pool.GiveUp(fmt.Errorf("it does not help: %v to load a module, %v to compile one", mean.Round(time.Millisecond), alone.Round(time.Millisecond)))
	}
	return nil
}

// Loading says what loading code has taken in a session.
type Loading struct {
	Modules int           // that were loaded
	Took    time.Duration // while the device waited
	Warmed  int           // texts that were compiled before they were loaded
	Refused int           // of these
	Ahead   time.Duration // while they were
}

// Loading returns what loading code has taken so far.
func (s *Session) Loading() Loading { return s.loading }

func (l Loading) String() string {
	text := fmt.Sprintf("%d modules were loaded in %v", l.Modules, l.Took.Round(time.Millisecond))
	if l.Warmed > 0 {
		text += fmt.Sprintf(", %d compiled before in %v", l.Warmed, l.Ahead.Round(time.Millisecond))
	}
	if l.Refused > 0 {
		text += fmt.Sprintf(" (%d refused)", l.Refused)
	}
	return text
}
