package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// progressDelay is how long work goes on before its progress is shown, and
// progressEvery how often it is shown anew.
const (
	progressDelay = time.Second
	progressEvery = 100 * time.Millisecond
)

// A progress shows how far a piece of work is, once it has taken a second, on
// a terminal only. A nil progress shows nothing.
type progress struct {
	mu    sync.Mutex
	out   io.Writer
	start time.Time
	label string
	drawn time.Time // when it was last drawn; zero when it is not there
	width int       // of what stands on the terminal
	turn  int
	stop  chan struct{}
	ended sync.WaitGroup
}

// shows reports whether the command's messages go to a terminal.
func shows(cmd *cobra.Command) bool {
	f, ok := cmd.ErrOrStderr().(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// bar shows bytes of a known number.
func bar(cmd *cobra.Command, label string) *progress {
	if !shows(cmd) {
		return nil
	}
	return &progress{out: cmd.ErrOrStderr(), start: time.Now(), label: label}
}

// spin shows that work of unknown length goes on.
func spin(cmd *cobra.Command, label string) *progress {
	if !shows(cmd) {
		return nil
	}
	p := &progress{out: cmd.ErrOrStderr(), start: time.Now(), label: label, stop: make(chan struct{})}
	p.ended.Go(func() {
		tick := time.NewTicker(2 * progressEvery)
		defer tick.Stop()
		for {
			select {
			case <-p.stop:
				return
			case <-tick.C:
				p.set(-1, -1)
			}
		}
	})
	return p
}

// set shows that done of total bytes are done; total is -1 when unknown, and
// done when it is no number of bytes either.
func (p *progress) set(done, total int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	now := time.Now()
	if now.Sub(p.start) < progressDelay || now.Sub(p.drawn) < progressEvery {
		return
	}
	p.drawn = now
	p.turn++
	p.draw(progressLine(p.label, done, total, now.Sub(p.start), p.turn))
}

// progressLine is what stands on the terminal after so many seconds.
func progressLine(label string, done, total int64, since time.Duration, turn int) string {
	const width = 30
	switch {
	case done < 0:
		return fmt.Sprintf("%c %s, %d s", `|/-\`[turn%4], label, int(since.Seconds()))
	case total <= 0:
		return fmt.Sprintf("%s: %.1f MB", label, float64(done)/1e6)
	}
	part := min(1, float64(done)/float64(total))
	full := int(part * width)
	return fmt.Sprintf("%s %3.0f %% [%s%s] %.1f of %.1f MB", label, 100*part,
		strings.Repeat("=", full), strings.Repeat(" ", width-full), float64(done)/1e6, float64(total)/1e6)
}

// draw puts a line in place of the one that is there. An error here is one of
// the terminal; the work itself goes on.
func (p *progress) draw(line string) {
	if p.out != nil {
		fmt.Fprintf(p.out, "\r%s%s", line, strings.Repeat(" ", max(0, p.width-len(line))))
	}
	p.width = len(line)
}

// done takes the display away.
func (p *progress) done() {
	if p == nil {
		return
	}
	if p.stop != nil {
		close(p.stop)
		p.ended.Wait()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.width > 0 {
		p.draw("")
		p.draw("")
		p.width = 0
	}
}
