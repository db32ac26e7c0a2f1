package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"sync"
	"time"
)

// maxOutput bounds what is kept of a program's output: its first and its last half.
const maxOutput = 1 << 18

// grace is the time between SIGTERM, on which the recorder writes what it has, and SIGKILL, and that
// of processes which a script leaves behind.
const grace = time.Second

// An outcome says how a command ended.
type outcome struct {
	Status  string  `json:"status"` // ok, exit N, killed by SIGNAL, limit, stopped, or the error that kept it from starting
	Seconds float64 `json:"seconds"`
	output  []byte  // standard output and error as they came
}

const (
	statusOK      = "ok"
	statusLimit   = "limit"
	statusStopped = "stopped" // with the whole run
)

// execute runs a text by sh in a folder, in a process group that is killed when the limit
// is over or ctx is done. Files that it writes are bounded at 1 GiB each, and it leaves no core.
func execute(ctx context.Context, dir, script string, env []string, limit time.Duration) outcome {
	cmd := exec.Command("sh", "-e", "-c", "ulimit -f 2097152; ulimit -c 0\n"+script)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), env...)
	var out bounded
	cmd.Stdout, cmd.Stderr = &out, &out
	cmd.WaitDelay = grace
	groupOf(cmd)
	begin := time.Now()
	if err := cmd.Start(); err != nil {
		return outcome{Status: err.Error()}
	}
	done := make(chan error, 1)
	go func() { done <- cmd.Wait() }()
	timer := time.NewTimer(limit)
	defer timer.Stop()
	var why string
	var err error
	select {
	case err = <-done:
	case <-timer.C:
		why = statusLimit
	case <-ctx.Done():
		why = statusStopped
	}
	if why != "" {
		endGroup(cmd, false)
		select {
		case <-done:
		case <-time.After(grace):
			endGroup(cmd, true)
			<-done
		}
	}
	endGroup(cmd, true) // what the script has left in the background
	if why == "" {
		why = statusOf(err)
	}
	return outcome{why, time.Since(begin).Seconds(), out.text()}
}

func statusOf(err error) string {
	var exit *exec.ExitError
	switch {
	case err == nil || errors.Is(err, exec.ErrWaitDelay):
		return statusOK
	case errors.As(err, &exit) && exit.ExitCode() >= 0:
		return fmt.Sprintf("exit %d", exit.ExitCode())
	case errors.As(err, &exit):
		return "killed by " + exit.String()
	}
	return err.Error()
}

// bounded keeps the first and the last bytes written to it.
type bounded struct {
	mu         sync.Mutex
	head, tail []byte
	left       int // bytes between the two that are not kept
}

func (b *bounded) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	n := len(p)
	if room := maxOutput/2 - len(b.head); room > 0 {
		k := min(room, len(p))
		b.head, p = append(b.head, p[:k]...), p[k:]
	}
	if b.tail = append(b.tail, p...); len(b.tail) > maxOutput {
		cut := len(b.tail) - maxOutput/2
		b.left += cut
		b.tail = append([]byte(nil), b.tail[cut:]...)
	}
	return n, nil
}

func (b *bounded) text() []byte {
	b.mu.Lock()
	defer b.mu.Unlock()
	if cut := len(b.tail) - maxOutput/2; cut > 0 {
		b.left += cut
		b.tail = b.tail[cut:]
	}
	text := append([]byte(nil), b.head...)
	if b.left > 0 {
		text = fmt.Appendf(text, "\n[%d bytes left out]\n", b.left)
	}
	return append(text, b.tail...)
}
