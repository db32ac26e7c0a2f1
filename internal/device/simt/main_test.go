package simt

import (
	"os"
	"runtime/debug"
	"testing"
)

// TestMain has memory collected as seldom as irgl build has it.
func TestMain(m *testing.M) {
	debug.SetGCPercent(400)
	os.Exit(m.Run())
}
