package klaptest

import "testing"

// TestSameSeed: a seed gives one program, and other seeds others; its text is read back.
func TestSameSeed(t *testing.T) {
	for seed := range uint64(20) {
		text := Generate(seed).String()
		if text != Generate(seed).String() {
			t.Errorf("seed %d gives two programs", seed)
		}
		p, err := Parse(text)
		if err != nil || p.String() != text {
			t.Errorf("seed %d: the text is read as another program: %v", seed, err)
		}
	}
	if Generate(1).Text() == Generate(3).Text() {
		t.Error("two seeds give one program")
	}
}
