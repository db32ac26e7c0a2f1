package main

import (
	"fmt"
	"os"
	"sync"
	"time"

	"github.com/schollz/progressbar/v3"
	"github.com/spf13/cobra"
	"golang.org/x/term"
)

// progressDelay is how long work goes on before its progress is shown.
const progressDelay = time.Second

// A progress shows how far a piece of work is, once it has taken a second, on
// a terminal only. A nil progress shows nothing.
type progress struct {
	mu    sync.Mutex
	start time.Time
	label string
	bytes bool
	bar   *progressbar.ProgressBar
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
	return &progress{start: time.Now(), label: label, bytes: true}
}

// spin shows that work of unknown length goes on.
func spin(cmd *cobra.Command, label string) *progress {
	if !shows(cmd) {
		return nil
	}
	p := &progress{start: time.Now(), label: label, stop: make(chan struct{})}
	p.ended.Go(func() {
		tick := time.NewTicker(200 * time.Millisecond)
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

// set shows that done of total units are done; total is -1 when unknown.
func (p *progress) set(done, total int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if time.Since(p.start) < progressDelay {
		return
	}
	if p.bar == nil {
		p.bar = progressbar.NewOptions64(total,
			progressbar.OptionSetDescription(p.label), progressbar.OptionSetWriter(os.Stderr),
			progressbar.OptionShowBytes(p.bytes), progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond), progressbar.OptionSetElapsedTime(false),
			// It is drawn by set alone, so that nothing is drawn after done.
			progressbar.OptionSetSpinnerChangeInterval(0))
	}
	// An error here is one of the terminal; the work itself goes on.
	if done < 0 {
		p.bar.Describe(fmt.Sprintf("%s, %d s", p.label, int(time.Since(p.start).Seconds())))
		_ = p.bar.Add(1)
	} else {
		_ = p.bar.Set64(done)
	}
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
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
