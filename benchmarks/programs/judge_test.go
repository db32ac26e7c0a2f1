package main

import (
	"strings"
	"testing"
)

func ok(text string) *finished { return &finished{outcome{Status: statusOK, Seconds: 1}, text} }

func ended(status string, seconds float64) *finished {
	return &finished{outcome{Status: status, Seconds: seconds}, "the last\nline"}
}

func TestJudge(t *testing.T) {
	own := row{Pass: `\bPASS`, Fail: `FAIL|mismatch`, Tolerance: 1e-3}
	none := row{Tolerance: 1e-3}
	for _, c := range []struct {
		name              string
		r                 row
		irgl, nvcc, again *finished
		want              string // verdict and the begin of its reason
	}{
		{"own check", own, ok("x\nPASS"), ok("PASS"), nil, "pass its check: PASS"},
		{"own check without nvcc", own, ok("PASS"), nil, nil, "pass its check: PASS"},
		{"own check fails", own, ok("PASS\nFAIL at 3"), ok("PASS"), nil, "fail its check: FAIL"},
		{"fails without nvcc", own, ok("mismatch"), nil, nil, "fail its check: mismatch"},
		{"no success", own, ok("nothing"), ok("PASS"), nil, "fail its check does not print PASS"},
		{"nvcc's fails too, and the same", own, ok("a\nFAIL 3"), ok("a\nFAIL 3"), nil, "pass 2 lines as nvcc's"},
		{"nvcc's fails too, otherwise", own, ok("FAIL 3"), ok("FAIL 4"), nil, `fail "FAIL 3", nvcc's "FAIL 4"`},
		{"nvcc's does not pass", own, ok("sum 3"), ok("sum 3"), nil, "pass 1 lines as nvcc's"},
		{"output", none, ok("sum 1.0001\ntook 5 ms"), ok("sum 1.0002\ntook 7 ms"), nil, "pass 1 lines as nvcc's"},
		{"other output", none, ok("sum 1.1"), ok("sum 1.0"), nil, `fail "sum 1.1", nvcc's "sum 1.0"`},
		{"other length", none, ok("sum 1\nmore"), ok("sum 1"), nil, "fail 2 lines, nvcc's 1"},
		{"nvcc differs from itself", none, ok("sum 1"), ok("sum 2"), ok("sum 3"), "undecided nvcc's own runs differ"},
		{"nvcc differs from itself in one line", none, ok("sum 1\nat 5"), ok("sum 1\nat 6"), ok("sum 1\nat 7"), "pass 1 of 2 lines as nvcc's"},
		{"less where nvcc does not", none, ok("sum 1"), ok("sum 1\nat 6"), ok("sum 1\nat 7"), "fail"},
		{"wrong where nvcc does not differ from itself", none, ok("sum 2\nat 5"), ok("sum 1\nat 6"), ok("sum 1\nat 7"), `fail "sum 2", nvcc's "sum 1"`},
		{"nvcc's own runs have more lines", none, ok("sum 1"), ok("sum 1\nsum 2"), ok("sum 1"), "undecided nvcc's own runs differ"},
		{"nvcc does not differ from itself", none, ok("sum 1"), ok("sum 2"), ok("sum 2"), "fail"},
		{"only times", none, ok("time 1"), ok("time 2"), nil, "undecided nothing is printed"},
		{"no nvcc", none, ok("sum 1"), nil, nil, "undecided it has no check"},
		{"not run", none, nil, ok("sum 1"), nil, "undecided irgl's build has not run"},
		{"crash", own, ended("exit 1", 1), ok("PASS"), nil, "fail exit 1: line"},
		{"a fault", own, &finished{outcome{Status: "exit 1"}, "x\nirgl: out-of-bounds\ny"}, nil, nil, "fail exit 1: irgl: out-of-bounds"},
		{"both crash", none, ended("killed by signal", 1), ended("killed by signal", 1), nil, "undecided both builds: killed"},
		{"both exit 1 with the same text", none, ended("exit 1", 1), ended("exit 1", 1), nil, "pass 2 lines"},
		{"crashes differ", none, ended("exit 1", 1), ended("exit 2", 1), nil, "undecided irgl's build: exit 1, nvcc's: exit 2"},
		{"both too long", none, ended(statusLimit, 20), ended(statusLimit, 20), nil, "undecided both builds: limit"},
		{"too long", none, ended(statusLimit, 20), ended(statusOK, 1), nil, "fail limit"},
		{"a little too long", none, ended(statusLimit, 20), ended(statusOK, 19), nil, "undecided limit; nvcc's build takes 19.0 s"},
	} {
		v := judge(c.r, c.irgl, c.nvcc, c.again)
		if got := v.Verdict + " " + v.Reason; !strings.HasPrefix(got, c.want) {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

func TestCompareLines(t *testing.T) {
	for _, c := range []struct {
		a, b string
		same bool
	}{
		{"x = 1.0", "x = 1.0005", true},
		{"x = 1.0", "x = 1.002", false},
		{"x = -1", "x = 1", false},
		{"x = 0", "x = 1e-7", true},
		{"x = nan", "x = nan", true},
		{"x = nan", "x = 1", false},
		{"x = 1", "y = 1", false},
		{"1 2 3", "1 2", false},
		{"a  b\t1", "a b 1", true},
		{"p 0x7f0012345678", "p 0x7f0087654321", true},
		{"Elapsed: 3 s", "Elapsed: 4 s", true},
		{"kernel 3.2 (us)", "kernel 4.1 (us)", true},
		{"rate 12.5 GB/s", "rate 14 GB/s", true},
		{"10 steps", "11 steps", false},
		{"skip 1", "skip 2", true},
	} {
		r := row{Tolerance: 1e-3, Ignore: "^skip"}
		diff := compareLines(r, comparable(r, c.a), comparable(r, c.b))
		if (diff == "") != c.same {
			t.Errorf("%q and %q: %q", c.a, c.b, diff)
		}
	}
}
