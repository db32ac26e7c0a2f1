package engine

import (
	"context"
	"fmt"
	"time"

	"irgl/internal/device/warm"
)

// CompileAhead has n processes of a command help the device's compiler, which for a
// GPU takes longer than most runs: [Session.Warm] gives them what [SessionExecutable.Ahead]
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
