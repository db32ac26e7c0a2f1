package programs

import (
	"context"
	"fmt"
	"sync"
)

// A Memo caches reference answers, for callers that verify many results on one input:
// computing one takes longer than most runs.
type Memo struct {
	mu      sync.Mutex
	answers map[string]*answer
}

// An answer is a cached answer, computed or being computed.
type answer struct {
	mu    sync.Mutex // held while it is computed
	value any        // nil until computed
}

// NewMemo returns an empty memo.
func NewMemo() *Memo { return &Memo{answers: map[string]*answer{}} }

// Forget drops all answers. It must be called before a graph's memory is used for
// another one: answers know their graphs by address.
func (m *Memo) Forget() {
	m.mu.Lock()
	defer m.mu.Unlock()
	clear(m.answers)
}

type memoKey struct{}

// WithMemo returns a context in which Verify takes answers from m and puts those
// that it computes there.
func WithMemo(ctx context.Context, m *Memo) context.Context {
	return context.WithValue(ctx, memoKey{}, m)
}

// remembered returns the answer with that name: from the memo of ctx, or else as
// compute gives it. The answer must not be changed.
func remembered[T any](ctx context.Context, compute func() (T, error), name string, of ...any) (T, error) {
	m, _ := ctx.Value(memoKey{}).(*Memo)
	if m == nil {
		return compute()
	}
	key := name
	for _, v := range of {
		key += fmt.Sprintf(" %v", v)
	}
	m.mu.Lock()
	a := m.answers[key]
	if a == nil {
		a = new(answer)
		m.answers[key] = a
	}
	m.mu.Unlock()
	a.mu.Lock() // a second caller waits for the first, and retries if that fails
	defer a.mu.Unlock()
	if have, ok := a.value.(T); ok {
		return have, nil
	}
	value, err := compute()
	if err == nil {
		a.value = value
	}
	return value, err
}
