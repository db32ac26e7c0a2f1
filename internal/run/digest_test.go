package run

import "testing"

// TestDigest checks that a digest is the same in parts and in one, and another after
// any change: of a byte, of the order, of the length.
func TestDigest(t *testing.T) {
	text := make([]byte, 1000)
	for i := range text {
		text[i] = byte(i * i)
	}
	whole := Digest(0, text)
	if parts := Digest(Digest(Digest(0, text[:8]), text[8:640]), text[640:]); parts != whole {
		t.Errorf("in parts %x, in one %x", parts, whole)
	}
	for _, n := range []int{0, 7, 8, 500, 996, 999} {
		other := append([]byte(nil), text...)
		if other[n]++; Digest(0, other) == whole {
			t.Errorf("byte %d makes no difference", n)
		}
	}
	swapped := append([]byte(nil), text...)
	copy(swapped, text[8:16])
	copy(swapped[8:], text[:8])
	if Digest(0, swapped) == whole || Digest(0, text[:999]) == whole || Digest(0, append(text, 0)) == whole {
		t.Error("the order or the length makes no difference")
	}
}
