package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"

	"irgl/internal/journal"
)

// ours is irgl's executable, and its name among the codes.
const ours = "irgl"

// deltas are the widths of buckets that peers try, in multiples of the mean weight.
var deltas = []int{1, 16, 100, 400, 1600}

// A cell has the times of all codes for a problem, a graph and a number of threads.
type cell struct {
	Problem string             `json:"problem"`
	Graph   string             `json:"graph"`
	Threads int                `json:"threads"`
	Program string             `json:"program"` // that irgl chose
	MS      map[string]float64 `json:"ms"`
	Delta   int                `json:"delta,omitempty"` // the peers', with which they are fastest
	answer  map[string]float64 // of the first code
	by      string             // whose answer it is
}

// best returns the fastest code but irgl.
func (c *cell) best() string {
	best := ""
	for name, ms := range c.MS {
		if name != ours && (best == "" || ms < c.MS[best] || ms == c.MS[best] && name < best) {
			best = name
		}
	}
	return best
}

// cells measures what the journal does not have, as far as the budget allows, and returns
// all cells that are there, and how many are not.
func (p *plan) cells(ctx context.Context) (cells []cell, left int, err error) {
	j, known, err := p.resume()
	if err != nil {
		return nil, 0, err
	}
	defer func() { err = errors.Join(err, j.Close()) }()
	for _, q := range p.wanted() {
		for _, graph := range p.graphs {
			delta := 0
			for _, t := range p.threads {
				c := cell{Problem: q.name, Graph: graph, Threads: t, MS: map[string]float64{}}
				if i := slices.IndexFunc(known, c.same); i >= 0 {
					cells, delta = append(cells, known[i]), known[i].Delta
					continue
				}
				if p.spent() {
					left++
					continue
				}
				if q.delta && delta == 0 {
					if delta, err = p.bestDelta(ctx, q, graph, t); err != nil {
						return nil, 0, err
					}
				}
				c.Delta = delta
				for range p.series {
					if err := p.runSeries(ctx, q, &c, delta); err != nil {
						return nil, 0, err
					}
				}
				if err := j.Add("cell", c); err != nil {
					return nil, 0, err
				}
				best := c.best()
				fmt.Fprintf(os.Stderr, "%-5s %-20s %2d threads: %s %.3g ms, %s %.3g ms: %.2f\n",
					q.name, graph, t, c.Program, c.MS[ours], best, c.MS[best], c.MS[ours]/c.MS[best])
				cells = append(cells, c)
			}
		}
	}
	return cells, left, nil
}

// same reports whether two cells are of the same problem, graph and number of threads.
func (c *cell) same(d cell) bool {
	return c.Problem == d.Problem && c.Graph == d.Graph && c.Threads == d.Threads
}

// resume opens the journal, which is nil without a file, and returns the cells in it.
func (p *plan) resume() (*journal.Journal, []cell, error) {
	if p.journal == "" {
		return nil, nil, nil
	}
	head := journal.Head{Device: fmt.Sprintf("%d processors", runtime.NumCPU()), Metric: p.clock}
	head.Command = p.command()
	j, lines, err := journal.Resume(p.journal, head)
	if err != nil {
		return nil, nil, err
	}
	var cells []cell
	for _, l := range lines {
		var c cell
		if err := json.Unmarshal(l.Data, &c); err != nil {
			return nil, nil, errors.Join(fmt.Errorf("journal %s: %w", p.journal, err), j.Close())
		}
		cells = append(cells, c)
	}
	return j, cells, nil
}

// runSeries runs a series of each code.
func (p *plan) runSeries(ctx context.Context, q problem, c *cell, delta int) error {
	if err := p.irgl(ctx, q, c); err != nil {
		return err
	}
	for _, code := range q.peers {
		lines, err := p.run(ctx, code, q, c.Graph, c.Threads, delta)
		if err != nil {
			return err
		}
		for _, l := range lines {
			if err := c.add(l.Code, l.MS, l.Answer); err != nil {
				return err
			}
		}
	}
	return nil
}

// A line is what a driver prints for a code.
type line struct {
	Code   string
	MS     float64
	Answer map[string]float64
}

func (p *plan) run(ctx context.Context, code peer, q problem, graph string, threads, delta int) ([]line, error) {
	cmd := exec.CommandContext(ctx, filepath.Join(p.work, code.name), p.graphFile(graph, q.symmetric),
		strconv.Itoa(threads), strconv.Itoa(p.runs), fmt.Sprint(p.seconds), strconv.Itoa(delta), p.clock)
	cmd.Env = os.Environ()
	if code.threads != "" {
		cmd.Env = append(cmd.Env, code.threads+"="+strconv.Itoa(threads))
	}
	if p.clock == processorClock { // OpenMP's threads would wait by spinning, which is no work
		cmd.Env = append(cmd.Env, "OMP_WAIT_POLICY=passive")
	}
	cmd.Stderr = nil
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s on %s: %w", code.name, graph, err)
	}
	var lines []line
	for text := range bytes.Lines(out) {
		var l line
		if err := json.Unmarshal(text, &l); err != nil {
			return nil, fmt.Errorf("%s on %s printed %q: %w", code.name, graph, text, err)
		}
		lines = append(lines, l)
	}
	return lines, nil
}

// bestDelta returns the width of buckets with which the peers are fastest.
func (p *plan) bestDelta(ctx context.Context, q problem, graph string, threads int) (int, error) {
	best, fastest := 0, math.Inf(1)
	for _, d := range deltas {
		lines, err := p.run(ctx, q.peers[0], q, graph, threads, d)
		if err != nil {
			return 0, err
		}
		if lines[0].MS < fastest {
			best, fastest = d, lines[0].MS
		}
	}
	return best, nil
}

// irgl runs a series of irgl's program.
func (p *plan) irgl(ctx context.Context, q problem, c *cell) error {
	runs := p.runs
	if t := c.MS[ours] / 1e3; t > 0 { // as the drivers do
		runs = max(1, min(runs, int(p.seconds/t)))
		if runs < 3 && t < p.seconds {
			runs = 3
		}
	}
	args := []string{"run", q.name, "--graph", p.graphFile(c.Graph, q.symmetric), "--device", "cpu",
		"--workers", strconv.Itoa(c.Threads), "--repeat", strconv.Itoa(runs), "--json"}
	if q.source {
		args = append(args, "--source", "0")
	}
	if p.program != "" {
		args = append(args, "--program", p.program)
	}
	cmd := exec.CommandContext(ctx, filepath.Join(p.work, ours), args...)
	var failure bytes.Buffer
	cmd.Stderr = &failure
	out, err := cmd.Output()
	if err != nil {
		return fmt.Errorf("irgl run %s on %s: %w\n%s", q.name, c.Graph, err, failure.Bytes())
	}
	var result struct {
		Program string
		Outputs map[string]json.RawMessage
		TimeMS  struct{ Run, Processor float64 } `json:"time_ms"`
	}
	if err := json.Unmarshal(out, &result); err != nil {
		return fmt.Errorf("irgl run %s on %s: %w", q.name, c.Graph, err)
	}
	ms := result.TimeMS.Run
	if p.clock == processorClock {
		ms = result.TimeMS.Processor
	}
	answer, err := answerOf(q.name, result.Outputs)
	if err != nil {
		return err
	}
	if c.Program = result.Program; c.Program == "" {
		c.Program = q.name
	}
	if q.name == "pr" {
		ms /= answer["rounds"]
		delete(answer, "rounds")
	}
	return c.add(ours, ms, answer)
}

// answerOf returns what irgl's answer is compared by: numbers, and those of its one property.
func answerOf(name string, outputs map[string]json.RawMessage) (map[string]float64, error) {
	answer := map[string]float64{}
	for key, text := range outputs {
		var x float64
		var sums struct{ Set, Max, Sum float64 }
		switch {
		case json.Unmarshal(text, &x) == nil:
			answer[key] = x
		case json.Unmarshal(text, &sums) != nil:
			return nil, fmt.Errorf("irgl run %s: cannot read %s", name, text)
		case name == "bfs" || name == "sssp":
			answer["set"], answer["max"], answer["sum"] = sums.Set, sums.Max, sums.Sum
		case name == "pr":
			answer["share"] = sums.Max / sums.Sum
		}
	}
	if name == "mis" { // sets differ, and irgl's is what its tests check
		answer = map[string]float64{"wrong": 0}
	}
	return answer, nil
}

// add adds a time, and compares the answer. Ranks of PageRank differ: GAPBS loses those of
// nodes without edges, and ends after twenty rounds.
func (c *cell) add(code string, ms float64, answer map[string]float64) error {
	if old, ok := c.MS[code]; !ok || ms < old {
		c.MS[code] = ms
	}
	if c.answer == nil {
		c.answer, c.by = answer, code
		return nil
	}
	near := 0.0
	if c.Problem == "pr" {
		near = 0.02
	}
	for key, x := range c.answer {
		if y, ok := answer[key]; !ok || math.Abs(x-y) > near*math.Abs(x) {
			return fmt.Errorf("%s on %s, %d threads: %s has %s %v, %s %v", c.Problem, c.Graph, c.Threads, c.by, key, x, code, y)
		}
	}
	return nil
}
