package engine

import (
	"context"
	"runtime/debug"
	"strings"
	"testing"

	"irgl/mesh"
)

// Room that cannot be had is an error which says how much was asked for, on every
// device, before memory is taken.
func TestRoomTooLarge(t *testing.T) {
	ctx := context.Background()
	m, err := mesh.Generate(ctx, 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	p, err := Bundled("dmr")
	if err != nil {
		t.Fatal(err)
	}
	try := func(device string, room int, want string) {
		t.Helper()
		x, err := p.Compile(ctx, Options{Device: device, Room: room})
		if err != nil {
			t.Fatal(err)
		}
		defer x.Close()
		if _, err := x.RunOn(ctx, Input{Mesh: m}, Args{}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s, room for %d: %v, want %q", device, room, err, want)
		}
	}
	for _, device := range []string{"cpu", "interp", "simt"} {
		try(device, 99999999999999, "room for 99999999999999 points and elements more: ")
	}
	try("simt", 2000000000, "device out of memory: property x needs 14.9 GiB")
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(1 << 30))
	try("cpu", 2000000000, "room for 2000000000 points and elements more takes ")
}
