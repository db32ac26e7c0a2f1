package bench

import (
	"context"
	"errors"
	"testing"
)

// TestInterruptedVariants: an interrupted run compiles no further variants of the kernel in hand.
func TestInterruptedVariants(t *testing.T) {
	specs, _, err := Folder(folderOf(t, someFolder), nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	b := &bencher{o: &Options{}, spec: specs[0], rep: &Report{Target: "sm_75"}}
	ctx, cancel := context.WithCancel(t.Context())
	for _, c := range b.compileAll(ctx, [][]string{nil}) {
		if c.err != nil || c.text == "" {
			t.Errorf("%q, %v", c.text, c.err)
		}
	}
	cancel()
	for _, c := range b.compileAll(ctx, [][]string{nil, {"unroll"}}) {
		if !errors.Is(c.err, context.Canceled) || c.text != "" {
			t.Errorf("after the interrupt: %d bytes, %v", len(c.text), c.err)
		}
	}
}
