package main

import (
	"os"
	"sync"
	"sync/atomic"
	"time"

	"github.com/spf13/cobra"
	"github.com/vbauerster/mpb/v8"
	"github.com/vbauerster/mpb/v8/decor"
	"golang.org/x/term"
)

// progressDelay is how long work goes on before its progress is shown.
const progressDelay = time.Second

// A progress shows how far a piece of work is, once it has taken a second, on
// a terminal only. A nil progress shows nothing.
type progress struct {
	mu    sync.Mutex
	start time.Time
	label atomic.Pointer[string]
	lines *mpb.Progress // nil until the display begins
	bar   *mpb.Bar
	timer *time.Timer // begins the display of work of unknown length
	ended bool
}

func newProgress(label string) *progress {
	p := &progress{start: time.Now()}
	p.label.Store(&label)
	return p
}

// shows reports whether the command's messages go to a terminal.
func shows(cmd *cobra.Command) bool {
	f, ok := rawStderr(cmd).(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// bar shows bytes of a known number.
func bar(cmd *cobra.Command, label string) *progress {
	if !shows(cmd) {
		return nil
	}
	return newProgress(label)
}

// spin shows that work of unknown length goes on.
func spin(cmd *cobra.Command, label string) *progress {
	if !shows(cmd) {
		return nil
	}
	p := newProgress(label)
	p.timer = time.AfterFunc(progressDelay, func() { p.set(-1, -1) })
	return p
}

// set shows that done of total bytes are done; both are -1 when unknown.
func (p *progress) set(done, total int64) {
	if p == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.ended || time.Since(p.start) < progressDelay {
		return
	}
	if p.lines == nil {
		p.lines = mpb.New(mpb.WithOutput(os.Stderr), mpb.WithRefreshRate(100*time.Millisecond), mpb.WithWidth(64))
		name := mpb.PrependDecorators(decor.Any(func(decor.Statistics) string { return *p.label.Load() + " " }))
		if total < 0 {
			p.bar = p.lines.New(0, mpb.SpinnerStyle().PositionLeft(), name, mpb.AppendDecorators(decor.Elapsed(decor.ET_STYLE_GO)))
		} else {
			p.bar = p.lines.New(total, mpb.BarStyle(), name, mpb.AppendDecorators(decor.CountersKibiByte("% .0f / % .0f")))
		}
	}
	if done >= 0 {
		p.bar.SetCurrent(min(done, total-1)) // the bar ends by done
	}
}

// say puts a text in place of the label, or prints it as a note where there is no
// display.
func (p *progress) say(cmd *cobra.Command, text string) {
	if p == nil {
		note(cmd, "%s", text)
		return
	}
	p.label.Store(&text)
}

// done takes the display away.
func (p *progress) done() {
	if p == nil {
		return
	}
	if p.timer != nil {
		p.timer.Stop()
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.ended = true
	if p.lines != nil {
		p.bar.Abort(true)
		p.lines.Wait()
	}
}
