package warm

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"time"
)

// A Text is a module to be compiled, with its name in messages.
type Text struct{ Name, PTX string }

// A Compiler compiles one text after the other. After an error that is not
// a [*RefusedError] it cannot be used again. It may be closed while it compiles, and twice.
type Compiler interface {
	Compile(t Text) error
	Close() error
}

// A RefusedError says that a text cannot be compiled.
type RefusedError struct{ Log string }

func (e *RefusedError) Error() string { return e.Log }

// mostEnds is how many compilers may exit by themselves before a pool gives up.
const mostEnds = 3

// A Pool is a set of compilers that work in parallel. It is not safe for concurrent
// use.
type Pool struct {
	start func() (Compiler, error)
	known map[[sha256.Size]byte]bool
	size  int

	mu      sync.Mutex
	free    []Compiler
	ends    int
	lost    error // why there are to be no compilers any more
	refused int
	took    time.Duration // by all texts together
	done    int
}

// NewPool returns a pool of up to n compilers, each of which is started when it is first
// needed.
func NewPool(n int, start func() (Compiler, error)) *Pool {
	return &Pool{start: start, size: max(1, n), known: map[[sha256.Size]byte]bool{}}
}

// Compile compiles the texts that were not compiled before, and returns when that is done
// or ctx ends. The error is ctx's, or says that the pool has given up; a refused
// text is not an error.
func (p *Pool) Compile(ctx context.Context, texts []Text) error {
	var fresh []Text
	for _, t := range texts {
		if key := sha256.Sum256([]byte(t.PTX)); !p.known[key] {
			p.known[key] = true
			fresh = append(fresh, t)
		}
	}
	if err := p.gaveUp(); err != nil || len(fresh) == 0 {
		return err
	}
	work := make(chan Text)
	var all sync.WaitGroup
	for range min(p.size, len(fresh)) {
		all.Go(func() { p.work(ctx, work) })
	}
	for _, t := range fresh {
		select {
		case work <- t:
			continue
		case <-ctx.Done():
		}
		break
	}
	close(work)
	all.Wait()
	if err := ctx.Err(); err != nil {
		return err
	}
	return p.gaveUp()
}

// work compiles what comes until there is no more.
func (p *Pool) work(ctx context.Context, texts <-chan Text) {
	var c Compiler
	for t := range texts {
		if ctx.Err() != nil || p.gaveUp() != nil {
			continue
		}
		if c == nil {
			if c = p.take(); c == nil {
				continue
			}
		}
		// A running compiler can be stopped only by ending it.
		now := c
		stop := context.AfterFunc(ctx, func() { _ = now.Close() })
		start := time.Now()
		err := c.Compile(t)
		p.mu.Lock()
		p.took, p.done = p.took+time.Since(start), p.done+1
		p.mu.Unlock()
		if refused := (*RefusedError)(nil); errors.As(err, &refused) {
			p.mu.Lock()
			p.refused++
			p.mu.Unlock()
			err = nil
		}
		if !stop() || err != nil {
			_ = c.Close() // it has failed, or was closed already
			c = nil
			p.failed(ctx, err)
		}
	}
	if c != nil {
		p.mu.Lock()
		p.free = append(p.free, c)
		p.mu.Unlock()
	}
}

// take returns an idle or new compiler, or nil if none can be started.
func (p *Pool) take() Compiler {
	p.mu.Lock()
	if n := len(p.free); n > 0 {
		c := p.free[n-1]
		p.free = p.free[:n-1]
		p.mu.Unlock()
		return c
	}
	p.mu.Unlock()
	c, err := p.start()
	if err != nil {
		p.mu.Lock()
		p.lost = fmt.Errorf("compile ahead: %w", err)
		p.mu.Unlock()
		return nil
	}
	return c
}

// failed notes that a compiler has ended, which the end of ctx may have caused.
func (p *Pool) failed(ctx context.Context, err error) {
	if ctx.Err() != nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ends++; p.ends >= mostEnds && p.lost == nil {
		p.lost = fmt.Errorf("compile ahead: %d compilers ended: %w", p.ends, err)
	}
}

func (p *Pool) gaveUp() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.lost
}

// Count returns how many different texts the pool was given, and how many of them
// were refused.
func (p *Pool) Count() (texts, refused int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return len(p.known), p.refused
}

// Mean returns the mean time to compile a text, 0 if there were none.
func (p *Pool) Mean() time.Duration {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.took / time.Duration(max(1, p.done))
}

// GiveUp ends all compilers for a reason that further calls of Compile return.
func (p *Pool) GiveUp(why error) error {
	p.mu.Lock()
	p.lost = fmt.Errorf("compile ahead: %w", why)
	p.mu.Unlock()
	return errors.Join(p.lost, p.Close())
}

// Close ends all compilers.
func (p *Pool) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var err error
	for _, c := range p.free {
		err = errors.Join(err, c.Close())
	}
	p.free = nil
	if p.lost == nil {
		p.lost = errors.New("compile ahead: the pool is closed")
	}
	return err
}
