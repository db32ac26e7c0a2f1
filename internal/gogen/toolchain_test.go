//go:build unix

package gogen

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"
)

// fakeGo puts a shell script in the place of the Go tool.
func fakeGo(t *testing.T, script string) {
	t.Helper()
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "go"), []byte("#!/bin/sh\n"+script), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir+":"+os.Getenv("PATH"))
}

// TestToolchainInterrupted cancels a build: the Go tool gets an interrupt and the time
// to end, its temporary files are in the build's folder, and that is gone after a tool
// that ignores the interrupt, too.
func TestToolchainInterrupted(t *testing.T) {
	for _, tt := range []struct {
		name, onInterrupt string
		wantEnd           bool
	}{
		{"ends", "echo $GOTMPDIR > $REPORT.end; exit 1", true},
		{"ignores", ":", false},
	} {
		t.Run(tt.name, func(t *testing.T) {
			if !tt.wantEnd && testing.Short() {
				t.Skip("waits until the tool is killed")
			}
			report := filepath.Join(t.TempDir(), "report")
			t.Setenv("REPORT", report)
			fakeGo(t, "trap '"+tt.onInterrupt+"' INT\nmkdir $GOTMPDIR/go-build1\necho begun > $REPORT\nwhile :; do sleep 0.02; done\n")
			c := &cache{t.TempDir(), cacheLimit}
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			go func() {
				for i := 0; i < 1000; i++ {
					if _, err := os.Stat(report); err == nil {
						break
					}
					time.Sleep(10 * time.Millisecond)
				}
				cancel()
			}()
			_, err := c.build(ctx, "key", func(work, out string) error {
				return compile(ctx, map[string][]byte{"main.go": nil}, work, out)
			})
			if !errors.Is(err, context.Canceled) {
				t.Errorf("error %v", err)
			}
			temp, err := os.ReadFile(report + ".end")
			if (err == nil) != tt.wantEnd || tt.wantEnd && !strings.HasPrefix(string(temp), c.dir) {
				t.Errorf("the tool's end: temporary files in %q, want below %s (%v)", temp, c.dir, err)
			}
			if left, _ := os.ReadDir(c.dir); len(left) != 0 {
				t.Errorf("left behind: %v", left)
			}
		})
	}
}

// TestToolchainFails checks what is said of a build that fails.
func TestToolchainFails(t *testing.T) {
	fakeGo(t, "echo '# irglprogram'; echo 'wrong here' >&2; exit 1\n")
	err := compile(context.Background(), nil, t.TempDir(), "out")
	if got, _ := Fallback(err, "p"); got != "p cannot be compiled for the CPU: go build: wrong here" {
		t.Errorf("note %q (%v)", got, err)
	}
	fakeGo(t, "echo 'copy b001: no space left on device'; echo 1; echo 2; echo 3; exit 1\n")
	err = compile(context.Background(), nil, t.TempDir(), "out")
	if got, _ := Fallback(err, "p"); got != "p cannot be compiled for the CPU: no space is left for the Go toolchain: copy b001: no space left on device" {
		t.Errorf("note %q (%v)", got, err)
	}
}

// TestNoSpace uses a device that is always full, where the system has one.
func TestNoSpace(t *testing.T) {
	if full(t.TempDir()) || full("") {
		t.Error("a folder with space is full")
	}
	err := os.WriteFile("/dev/full", []byte("x"), 0o600)
	if err == nil || os.IsNotExist(err) || os.IsPermission(err) {
		t.Skip("no /dev/full")
	}
	if !noSpace(err) || !noSpace(syscall.EDQUOT) || noSpace(syscall.EIO) {
		t.Errorf("%v is not the lack of space", err)
	}
}

// TestSlow checks that work that takes long says so, once, and other work does not.
func TestSlow(t *testing.T) {
	calls := 0
	stop := after(time.Millisecond, func() { calls++; time.Sleep(10 * time.Millisecond) })
	time.Sleep(5 * time.Millisecond)
	stop()
	if calls != 1 {
		t.Errorf("%d calls, want 1", calls)
	}
	after(time.Hour, func() { calls++ })()
	after(0, nil)()
	if calls != 1 {
		t.Errorf("quick work: %d calls, want 1", calls)
	}
}
