package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
)

// ours is irgl's executable, and its name among the codes.
const ours = "irgl"

// deltas are the widths of buckets that peers try, in multiples of the mean weight.
var deltas = []int{1, 16, 100, 400, 1600}

// A cell has the times of all codes for a problem, a graph and a number of threads.
type cell struct {
	problem, graph string
	threads        int
	program        string // that irgl chose
	ms             map[string]float64
	answer         map[string]float64 // of the first code
	by             string             // whose answer it is
}

// best returns the fastest code but irgl.
func (c *cell) best() string {
	best := ""
	for name, ms := range c.ms {
		if name != ours && (best == "" || ms < c.ms[best] || ms == c.ms[best] && name < best) {
			best = name
		}
	}
	return best
}

// cells measures everything.
func (p *plan) cells(ctx context.Context) ([]cell, error) {
	var cells []cell
	for _, q := range p.wanted() {
		for _, graph := range p.graphs {
			delta := 0
			for _, t := range p.threads {
				c := cell{problem: q.name, graph: graph, threads: t, ms: map[string]float64{}}
				var err error
				if q.delta && delta == 0 {
					if delta, err = p.bestDelta(ctx, q, graph, t); err != nil {
						return nil, err
					}
				}
				for range p.series {
					if err := p.runSeries(ctx, q, &c, delta); err != nil {
						return nil, err
					}
				}
				best := c.best()
				fmt.Fprintf(os.Stderr, "%-5s %-20s %2d threads: %s %.3g ms, %s %.3g ms: %.2f\n",
					q.name, graph, t, c.program, c.ms[ours], best, c.ms[best], c.ms[ours]/c.ms[best])
				cells = append(cells, c)
			}
		}
	}
	return cells, nil
}

// runSeries runs a series of each code.
func (p *plan) runSeries(ctx context.Context, q problem, c *cell, delta int) error {
	if err := p.irgl(ctx, q, c); err != nil {
		return err
	}
	for _, code := range q.peers {
		lines, err := p.run(ctx, code, q, c.graph, c.threads, delta)
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
		strconv.Itoa(threads), strconv.Itoa(p.runs), fmt.Sprint(p.seconds), strconv.Itoa(delta))
	if code.threads != "" {
		cmd.Env = append(os.Environ(), code.threads+"="+strconv.Itoa(threads))
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
	if t := c.ms[ours] / 1e3; t > 0 { // as the drivers do
		runs = max(1, min(runs, int(p.seconds/t)))
		if runs < 3 && t < p.seconds {
			runs = 3
		}
	}
	args := []string{"run", q.name, "--graph", p.graphFile(c.graph, q.symmetric), "--device", "cpu",
		"--workers", strconv.Itoa(c.threads), "--repeat", strconv.Itoa(runs), "--json"}
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
		return fmt.Errorf("irgl run %s on %s: %w\n%s", q.name, c.graph, err, failure.Bytes())
	}
	var result struct {
		Program string
		Outputs map[string]json.RawMessage
		TimeMS  struct{ Run float64 } `json:"time_ms"`
	}
	if err := json.Unmarshal(out, &result); err != nil {
		return fmt.Errorf("irgl run %s on %s: %w", q.name, c.graph, err)
	}
	ms := result.TimeMS.Run
	answer, err := answerOf(q.name, result.Outputs)
	if err != nil {
		return err
	}
	if c.program = result.Program; c.program == "" {
		c.program = q.name
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
	if old, ok := c.ms[code]; !ok || ms < old {
		c.ms[code] = ms
	}
	if c.answer == nil {
		c.answer, c.by = answer, code
		return nil
	}
	near := 0.0
	if c.problem == "pr" {
		near = 0.02
	}
	for key, x := range c.answer {
		if y, ok := answer[key]; !ok || math.Abs(x-y) > near*math.Abs(x) {
			return fmt.Errorf("%s on %s, %d threads: %s has %s %v, %s %v", c.problem, c.graph, c.threads, c.by, key, x, code, y)
		}
	}
	return nil
}
