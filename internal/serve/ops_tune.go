package serve

import (
	"context"
	"math"
	"strings"
	"time"

	"irgl/internal/engine"
)

type tuneArgs struct {
	header
	chooseArgs
	Seconds    float64 `cbor:"seconds"`    // after which no further choice is measured; 0 for no limit
	Candidates int     `cbor:"candidates"` // the most that are measured; 0 for no limit
	Save       bool    `cbor:"save"`       // what was found, to the file Tuning
}

type tuneResult struct {
	reply
	Program  string  `cbor:"program"`
	Device   string  `cbor:"device"`
	Metric   string  `cbor:"metric"` // "ms", "cost"
	Best     float64 `cbor:"best"`
	Switches string  `cbor:"switches"`
	Default  float64 `cbor:"default"`
	Plain    float64 `cbor:"plain"`
	Measured int     `cbor:"measured"`
	Stopped  string  `cbor:"stopped"` // why the search ended early
	Table    string  `cbor:"table"`   // for people
}

// tuneProgram looks for the fastest switches for a program on a graph.
func tuneProgram(s *server, a *tuneArgs) (*gpu, any, error) {
	if a.Seconds < 0 || a.Seconds > math.MaxInt32 || a.Seconds != a.Seconds || a.Candidates < 0 {
		return nil, nil, argumentf("tune: a limit is negative, or too large")
	}
	w, err := s.begin(&a.chooseArgs)
	if err != nil {
		return nil, nil, err
	}
	return nil, wait(func(ctx context.Context) (any, error) {
		defer s.drop(w.d)
		p, _, in, err := w.input(ctx, s.engines)
		if err != nil {
			return nil, err
		}
		path := w.device.tuning
		if a.Save && path == "" {
			return nil, argumentf("tune: there is no file to save to")
		}
		progress := progressOf(ctx)
		progress.enter("tuning")
		o := engine.Options{Device: w.device.name, Seed: w.device.seed, Tuning: path}
		t := engine.TuneOptions{Budget: time.Duration(a.Seconds * float64(time.Second)), Candidates: a.Candidates,
			Progress: func(_ *engine.TuneTrial, measured int) { progress.set(int64(measured), int64(a.Candidates)) }}
		rep, err := p.Tune(ctx, in, w.args, o, t)
		if err == nil && a.Save {
			err = p.SaveTuning(path, rep)
		}
		if err != nil {
			return nil, err
		}
		var table strings.Builder
		if err := (engine.TuneReports{rep}).WriteMarkdown(&table); err != nil {
			return nil, err
		}
		return &tuneResult{
			Program: rep.Program, Device: rep.Device, Metric: rep.Metric, Best: rep.Best.Value, Switches: rep.Best.Switches.OrNone(),
			Default: rep.Default.Value, Plain: rep.Plain.Value, Measured: len(rep.Trials), Stopped: rep.Stopped, Table: short(table.String()),
		}, nil
	}), nil
}
