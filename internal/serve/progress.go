package serve

import (
	"context"
	"sync/atomic"
)

// A progress says how far a request is that waits.
type progress struct {
	phase       atomic.Pointer[string]
	done, total atomic.Int64
}

type progressKey struct{}

// progressOf returns the progress of the request whose context this is.
func progressOf(ctx context.Context) *progress {
	p, _ := ctx.Value(progressKey{}).(*progress)
	return p
}

// enter begins a phase, of which nothing is done.
func (p *progress) enter(phase string) {
	p.done.Store(0)
	p.total.Store(0)
	p.phase.Store(&phase)
}

// set says how much is done, of how much; the latter is below 1 where it is not known.
func (p *progress) set(done, total int64) {
	p.total.Store(total)
	p.done.Store(done)
}

type progressArgs struct {
	header
	Request uint64 `cbor:"request"`
}

type progressResult struct {
	reply
	Found bool   `cbor:"found"`
	Phase string `cbor:"phase"`
	Done  int64  `cbor:"done"`
	Total int64  `cbor:"total"`
}

// tellProgress says how far a request is.
func tellProgress(s *server, a *progressArgs) (*gpu, any, error) {
	for _, q := range s.queues {
		if q.busy == nil || q.busy.ID != a.Request {
			continue
		}
		p := q.busy.progress
		out := &progressResult{Found: true, Done: p.done.Load(), Total: p.total.Load()}
		if phase := p.phase.Load(); phase != nil {
			out.Phase = *phase
		}
		return nil, out, nil
	}
	return nil, &progressResult{}, nil
}
