package main

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"
)

// TestResume: cells of the journal are not measured again, those that the budget leaves are
// counted, and a journal is of one clock.
func TestResume(t *testing.T) {
	file := filepath.Join(t.TempDir(), "journal")
	args := []string{"-peers", "none", "-work", t.TempDir(), "-journal", file, "-budget", "1ns", "-threads", "1,4", "-graphs", "a:1,b:2", "-only", "cc", "-clock", "processor"}
	p, err := parse(args)
	if err != nil {
		t.Fatal(err)
	}
	j, _, err := p.resume()
	if err != nil {
		t.Fatal(err)
	}
	c := cell{Problem: "cc", Graph: "b:2", Threads: 4, Program: "cc_af", MS: map[string]float64{ours: 2, "gapbs": 4, "other": 5}}
	if err := j.Add("cell", c); err != nil {
		t.Fatal(err)
	}
	if err := j.Close(); err != nil {
		t.Fatal(err)
	}
	cells, left, err := p.cells(context.Background())
	if err != nil || left != 3 || len(cells) != 1 || cells[0].MS[ours] != 2 || cells[0].best() != "gapbs" {
		t.Fatalf("%+v, %d left, %v; want the journal's cell and 3", cells, left, err)
	}
	var out bytes.Buffer
	if err := report(&out, p, cells); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"-clock processor\n", "\ncc,b:2,4,cc_af,2,gapbs,4\n", "threads 4: 0.50 (1)\n"} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("%q is not in\n%s", want, out.String())
		}
	}
	p.clock = wallClock
	if _, _, err := p.cells(context.Background()); err == nil || !strings.Contains(err.Error(), "not of") {
		t.Errorf("a journal of processor times is gone on with in wall times: %v", err)
	}
}

func TestFlags(t *testing.T) {
	for _, tt := range []struct{ args, want string }{
		{"", "-peers is missing"},
		{"-peers x -clock sun", `"sun" is neither wall nor processor`},
		{"-peers x -budget 1m", "wants a -journal and a -work folder"},
		{"-peers x -budget 1m -journal j", "wants a -journal and a -work folder"},
		{"-peers x -threads 1,0", `"0" is not a number of threads`},
		{"-peers x -only tsp", `no problem "tsp"`},
		{"-peers x -program pr_row", "wants one problem"},
	} {
		if _, err := parse(strings.Fields(tt.args)); err == nil || !strings.Contains(err.Error(), tt.want) {
			t.Errorf("%s: %v, want %s", tt.args, err, tt.want)
		}
	}
}
