package tune

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"irgl/internal/compile"
	"irgl/internal/lower"
	"irgl/internal/programs"
	"irgl/internal/source"
	"irgl/syntax"
)

// A model is a device whose times follow a formula.
type model struct {
	metric string
	time   func(o lower.Options) float64
	wrong  func(o lower.Options) bool // the answer is wrong
	fails  func(o lower.Options) error
	sleep  func(o lower.Options) time.Duration

	o              lower.Options
	runs, verified int
}

func (m *model) Metric() string { return m.metric }

func (m *model) Use(_ context.Context, o lower.Options) error {
	m.o = o
	return nil
}

func (m *model) Run(ctx context.Context) (float64, error) {
	m.runs++
	if m.fails != nil {
		if err := m.fails(m.o); err != nil {
			return 0, err
		}
	}
	if m.sleep != nil {
		select {
		case <-ctx.Done():
			return 0, ctx.Err()
		case <-time.After(m.sleep(m.o)):
		}
	}
	noise := 1 + 0.001*float64(m.runs%3)
	if m.metric == "cost" {
		noise = 1
	}
	return m.time(m.o) * noise, nil
}

func (m *model) Verify(context.Context) error {
	m.verified++
	if m.wrong != nil && m.wrong(m.o) {
		return errors.New("wrong answer: node 3")
	}
	return nil
}

// formula has its best where outline, coop=block, np=wp,fg and batch=2 come
// together, with np-wp at 64; np alone makes things worse.
func formula(o lower.Options) float64 {
	t := 100.0
	if o.Outline.Auto {
		t *= 0.5
	}
	switch np := o.NP.String(); {
	case np == "wp,fg" && o.Coop == lower.CoopBlock:
		t *= 0.4
		if o.WarpLoop == 64 {
			t *= 0.9
		}
	case np != "":
		t *= 1.2
	}
	if o.Coop == lower.CoopBlock {
		t *= 0.9
	}
	if o.Batch == 2 {
		t *= 0.8
	}
	return t
}

// bfsSpace is made once: it takes a hundred compilations.
var bfsSpace = sync.OnceValues(func() (*Space, error) {
	text, _ := programs.Text("bfs")
	u, err := compile.Compile(source.NewFile("bfs.irgl", text), syntax.IrGL, "check", compile.Options{})
	if err != nil {
		return nil, err
	}
	return SpaceOf(u.Info, false)
})

func spaceOfBFS(t testing.TB) *Space {
	t.Helper()
	s, err := bfsSpace()
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func parsed(t testing.TB, text string) lower.Options {
	t.Helper()
	o, err := lower.ParseOptions(text)
	if err != nil {
		t.Fatal(err)
	}
	return o
}

// TestSearch checks that both searches find the best of a formula, staged
// ones with far fewer runs, and that the result is the same each time.
func TestSearch(t *testing.T) {
	space := spaceOfBFS(t)
	normal := Choice{Options: parsed(t, "outline=auto coop=block np=tb,wp,fg")}
	const best = "outline=auto batch=2 coop=block np=wp,fg np-wp=64"
	for _, tt := range []struct {
		metric     string
		exhaustive bool
		most       int
	}{{"cost", false, 95}, {"ms", false, 380}, {"cost", true, 400}} {
		if tt.exhaustive && testing.Short() {
			continue // it lowers bfs 240 times
		}
		var texts [2]string
		for i := range texts {
			m := &model{metric: tt.metric, time: formula}
			rep, err := Search(context.Background(), m, space, Options{Default: normal, Known: Known("bfs"), Exhaustive: tt.exhaustive, Repeats: 5})
			if err != nil {
				t.Fatal(err)
			}
			if rep.Best.Switches.String() != best || rep.Stopped != "" {
				t.Errorf("%+v: the best is %q, %s", tt, rep.Best.Switches, rep.Stopped)
			}
			if rep.Plain.Value < 99 || rep.Default.Value < 50 || rep.Best.Value > rep.Default.Value {
				t.Errorf("%+v: plain %v, default %v, best %v", tt, rep.Plain.Value, rep.Default.Value, rep.Best.Value)
			}
			if m.runs > tt.most || m.verified < len(rep.Trials) {
				t.Errorf("%+v: %d runs, %d of %d verified", tt, m.runs, m.verified, len(rep.Trials))
			}
			gains := map[string]float64{}
			for _, g := range rep.Gains {
				gains[g.Switch] = g.Gain
			}
			if gains["np"] < 2 || gains["batch"] < 1.2 || gains["outline"] < 1.9 || gains["np-wp"] < 1.05 {
				t.Errorf("%+v: gains %v", tt, gains)
			}
			var b bytes.Buffer
			rep.Program, rep.Graph.Name = "bfs", "model"
			for _, write := range []func() error{
				func() error { return Reports{rep}.WriteMarkdown(&b) },
				func() error { return Reports{rep}.WriteCSV(&b) },
				func() error { return Reports{rep}.WriteSVG(&b) },
			} {
				if err := write(); err != nil {
					t.Fatal(err)
				}
			}
			texts[i] = b.String()
		}
		if texts[0] != texts[1] {
			t.Errorf("%+v: two searches differ:\n%s\n%s", tt, texts[0], texts[1])
		}
		if want := "| bfs | model | " + best + " |"; !strings.Contains(texts[0], want) || !strings.Contains(texts[0], "<svg") {
			t.Errorf("%q is not in\n%s", want, texts[0])
		}
	}
}

// TestBadCandidates checks that what fails, answers wrongly or takes for ever
// does not win, costs one run, and is in the report.
func TestBadCandidates(t *testing.T) {
	space := spaceOfBFS(t)
	m := &model{
		metric: "ms", time: func(o lower.Options) float64 { return 100 - float64(8*o.Batch) - float64(o.Coop) },
		wrong: func(o lower.Options) bool { return o.Batch == 8 },
		fails: func(o lower.Options) error {
			if o.NP.String() == "fg" {
				return errors.New("out\nof range")
			}
			return nil
		},
		sleep: func(o lower.Options) time.Duration {
			if o.NP.String() == "wp" && o.Batch == 4 {
				return time.Hour
			}
			return 0
		},
	}
	rep, err := Search(context.Background(), m, space, Options{Known: []compile.Switches{compile.MustSwitches("batch=8")}, Repeats: 3})
	if err != nil {
		t.Fatal(err)
	}
	if o := rep.Best.Switches.Options(); o.Batch != 4 || o.Coop != lower.CoopBlock {
		t.Errorf("the best is %q", rep.Best.Switches)
	}
	why := map[string]int{}
	for _, trial := range rep.Trials {
		if trial.Failed != "" {
			why[trial.Failed]++
			if trial.Value != 0 || trial.Runs != 0 {
				t.Errorf("%+v", trial)
			}
		}
	}
	for _, want := range []string{"wrong answer: node 3", "out of range", "cut off after 1s"} {
		if why[want] == 0 {
			t.Errorf("nothing failed by %q: %v", want, why)
		}
	}
	var b bytes.Buffer
	if err := (Reports{rep}).WriteMarkdown(&b); err != nil || !strings.Contains(b.String(), "Candidates that failed:") {
		t.Errorf("%v\n%s", err, b.String())
	}
}

// TestLimits checks that budgets end a search, which has a result nonetheless,
// that a wrong default is no end, and what is.
func TestLimits(t *testing.T) {
	space := spaceOfBFS(t)
	ctx := context.Background()
	for _, o := range []Options{{Candidates: 3}, {Budget: time.Nanosecond}} {
		o.Default.Options = parsed(t, "batch=4")
		rep, err := Search(ctx, &model{metric: "cost", time: formula}, space, o)
		if err != nil || rep.Stopped == "" || len(rep.Trials) > 3 || rep.Best.Value > rep.Default.Value || rep.Plain.Value != 100 {
			t.Errorf("%+v: %+v, %v", o, rep, err)
		}
	}
	m := &model{metric: "cost", time: formula, wrong: func(o lower.Options) bool { return o.Outline.Auto }}
	rep, err := Search(ctx, m, space, Options{Default: Choice{Options: parsed(t, "outline=auto")}})
	if err != nil || rep.Default.Failed == "" || strings.Contains(rep.Best.Switches.String(), "outline") {
		t.Errorf("a wrong default: %+v, %v", rep, err)
	}
	m.wrong = func(lower.Options) bool { return true }
	if _, err := Search(ctx, m, space, Options{Default: Choice{Options: parsed(t, "outline=auto")}}); err == nil || !strings.Contains(err.Error(), "wrong answer") {
		t.Errorf("all wrong: %v", err)
	}
	ended, cancel := context.WithCancel(ctx)
	n := 0
	rep, err = Search(ended, &model{metric: "cost", time: formula}, space, Options{Progress: func(*Trial, int) {
		if n++; n == 5 {
			cancel()
		}
	}})
	if err != nil || n != 5 || len(rep.Trials) != 5 || rep.Stopped != "an interrupt" {
		t.Errorf("after %d candidates: %+v, %v", n, rep, err)
	}
	ended, cancel = context.WithCancel(ctx)
	cancel()
	if _, err := Search(ended, &model{metric: "cost", time: formula}, space, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("interrupted before the first: %v", err)
	}
}
