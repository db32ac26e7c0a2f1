package engine

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"sync"

	"irgl/graph"
	"irgl/internal/check"
	"irgl/internal/programs"
	"irgl/internal/run"
)

// A rightKey names an answer: of a program, or of all that solve a problem, on one
// input with the same arguments.
type rightKey struct {
	problem  string
	graph    *graph.Graph
	requires check.Requires // of the graph
	mesh     *run.Mesh
	args     string
}

// checks are the verifications of a session. Reference answers take longer than most
// runs, so they are computed on other processors, concurrently with the device.
type checks struct {
	memo   *programs.Memo
	first  map[rightKey]*first
	slots  chan struct{} // taken by each in progress
	queue  chan struct{} // and by each that waits: results take memory
	all    sync.WaitGroup
	ctx    context.Context
	cancel context.CancelFunc
}

// A first is the first answer to something, which others are compared with.
type first struct {
	result *Result
	verify *Verification
}

func newChecks() *checks {
	n := max(1, runtime.GOMAXPROCS(0)/2)
	return &checks{memo: programs.NewMemo(), slots: make(chan struct{}, n), queue: make(chan struct{}, 4*n)}
}

// forget ends the verifications in progress, and drops all.
func (c *checks) forget() {
	if c.cancel != nil {
		c.cancel()
	}
	c.all.Wait()
	c.memo.Forget()
	c.first = map[rightKey]*first{}
	c.ctx, c.cancel = context.WithCancel(context.Background())
}

// A Verification is that of a result, and of others that agree with it.
type Verification struct {
	done chan struct{}
	err  error
}

// Done is closed when the outcome is known.
func (v *Verification) Done() <-chan struct{} { return v.done }

// Wait waits for the outcome: nil, what is wrong, or ctx's error.
func (v *Verification) Wait(ctx context.Context) error {
	select {
	case <-v.done:
		return v.err
	default:
	}
	select {
	case <-v.done:
		return v.err
	case <-ctx.Done():
		return ctx.Err()
	}
}

// failed reports whether it is known already that something is wrong.
func (v *Verification) failed() bool {
	select {
	case <-v.done:
		return v.err != nil
	default:
		return false
	}
}

// VerifyLater begins to verify a result on another processor, unless it agrees with
// one for which that was done in the session, of this program or of another that
// solves the same problem with the same outputs: then it shares the outcome.
func (x *SessionExecutable) VerifyLater(r *Result) *Verification {
	v := &Verification{done: make(chan struct{})}
	s := x.session
	key := x.rightKey(r)
	have := s.checks.first[key]
	if have != nil && agree(have.result.raw, r.raw) {
		x.expect(r)
		return have.verify
	}
	if have == nil || have.verify.failed() {
		s.checks.first[key] = &first{r, v}
		x.expect(r)
	}
	s.checks.queue <- struct{}{}
	s.checks.all.Go(func() {
		defer close(v.done)
		defer func() { <-s.checks.queue }()
		s.checks.slots <- struct{}{}
		defer func() { <-s.checks.slots }()
		if v.err = s.checks.ctx.Err(); v.err == nil {
			v.err = x.Verify(programs.WithMemo(s.checks.ctx, s.checks.memo), r)
		}
	})
	return v
}

// VerifyOnce is [Executable.Verify], but for a result that agrees with one that was
// verified in the session: of this program, or of another that solves the same
// problem with the same outputs.
func (x *SessionExecutable) VerifyOnce(ctx context.Context, r *Result) error {
	err := x.VerifyLater(r).Wait(ctx)
	if err == nil {
		same := true
		r.verified.Store(&same)
	}
	return err
}

// rightKey returns the name of the answer that a result has to be.
func (x *SessionExecutable) rightKey(r *Result) rightKey {
	key := rightKey{x.program.name, r.graph, r.fitted.requires, r.input.Mesh, fmt.Sprint(r.input.Args)}
	if x.oneAnswer() {
		key.problem, key.args = "all of "+programs.Problem(x.program.bundled), ""
		for i, p := range x.program.Params() {
			if p.Default == "" {
				key.args += fmt.Sprint(r.input.Args[i])
			}
		}
	}
	return key
}

// oneAnswer reports whether all runs of the program on an input give the same bytes.
func (x *SessionExecutable) oneAnswer() bool {
	return programs.OneAnswer(x.program.bundled)
}

// expect has the answers of runs that are timed compared with a result that is right,
// or will be said not to be.
func (x *SessionExecutable) expect(r *Result) {
	if x.oneAnswer() {
		x.expected = &expected{x.rightKey(r), r.raw.Digest}
	}
}

// expected is a digest of a right answer.
type expected struct {
	key    rightKey
	digest uint64
}

// errRepeat says that two runs of the same code on the same input differ.
var errRepeat = errors.New("wrong answer: a run that was timed has another than the one that was verified")

// Time is [Executable.RunOn], but the result has no properties and no mesh: they
// stay on the device. It is for runs that repeat one whose answer was looked at. Where
// a problem has but one answer, a digest of this run's is compared with that of the one
// that was verified, after the clock has stopped.
func (x *SessionExecutable) Time(ctx context.Context, input Input, args Args) (*Result, error) {
	r, err := x.runOn(ctx, input, args, true)
	if err == nil && x.expected != nil && x.expected.key == x.rightKey(r) && x.expected.digest != r.raw.Digest {
		return nil, errRepeat
	}
	return r, err
}

// ChecksTimedRuns reports whether [SessionExecutable.Time] compares answers. Where it
// does not, callers may verify one of the runs that they time.
func (x *SessionExecutable) ChecksTimedRuns() bool { return x.oneAnswer() }
