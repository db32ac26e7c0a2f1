package programs

import (
	"context"
	"fmt"
	"sync"
)

// A Memo keeps reference answers, for who verifies many results on one input: to
// compute one takes longer than most runs.
type Memo struct {
	mu      sync.Mutex
	answers map[string]any
}

// NewMemo returns an empty memo.
func NewMemo() *Memo { return &Memo{answers: map[string]any{}} }

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
	have, ok := m.answers[key].(T)
	m.mu.Unlock()
	if ok {
		return have, nil
	}
	answer, err := compute()
	if err == nil {
		m.mu.Lock()
		m.answers[key] = answer
		m.mu.Unlock()
	}
	return answer, err
}
