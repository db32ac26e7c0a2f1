package cudabuild

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestAssembleLimit checks that a ptxas that takes too long is told from one that finds errors.
func TestAssembleLimit(t *testing.T) {
	for script, want := range map[string]string{
		"exec sleep 20": "not done within",
		"echo; echo first error; echo second; exit 255": "first error",
	} {
		ptxas := filepath.Join(t.TempDir(), "ptxas")
		if err := os.WriteFile(ptxas, []byte("#!/bin/sh\n"+script+"\n"), 0o777); err != nil {
			t.Fatal(err)
		}
		ctx, cancel := context.WithTimeout(t.Context(), time.Second)
		err := assemble(ctx, ptxas, "", "sm_75")
		cancel()
		if err == nil || !strings.HasPrefix(err.Error(), want) {
			t.Errorf("%q: %v, want %q", script, err, want)
		}
	}
}
