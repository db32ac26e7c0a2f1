package main

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// A verdict is what is known of a program's answer.
type verdict struct {
	Verdict string // pass, fail or undecided
	Reason  string
}

const (
	pass      = "pass"
	fail      = "fail"
	undecided = "undecided"
)

// A finished is how one build of a program ended and what it printed.
type finished struct {
	outcome
	text string
}

// judge decides about the answer of irgl's build: by the program's own check, and where it has
// none by the output of nvcc's build. nvcc and again, a second run of it, are nil where there is
// none.
func judge(r row, irgl, nvcc, again *finished) verdict {
	switch {
	case irgl == nil:
		return verdict{undecided, "irgl's build has not run"}
	case nvcc != nil && nvcc.Status != statusOK && nvcc.Status == irgl.Status && !strings.HasPrefix(nvcc.Status, "exit"):
		return verdict{undecided, "both builds: " + nvcc.Status}
	case irgl.Status == statusLimit && nvcc != nil && 2*nvcc.Seconds > irgl.Seconds:
		return verdict{undecided, fmt.Sprintf("limit; nvcc's build takes %.1f s", nvcc.Seconds)}
	case irgl.Status == statusLimit && nvcc == nil:
		return verdict{undecided, statusLimit}
	case irgl.Status != statusOK && (nvcc == nil || nvcc.Status == statusOK):
		return verdict{fail, irgl.Status + ": " + complaint(irgl.text)}
	case irgl.Status != statusOK && nvcc.Status != irgl.Status:
		return verdict{undecided, fmt.Sprintf("irgl's build: %s, nvcc's: %s", irgl.Status, nvcc.Status)}
	}
	if v, decided := ownCheck(r, irgl, nvcc); decided {
		return v
	}
	if nvcc == nil || nvcc.Status == statusLimit {
		return verdict{undecided, "it has no check of its own, and nvcc's build no output"}
	}
	ours, theirs := comparable(r, irgl.text), comparable(r, nvcc.text)
	diff := compareLines(r, ours, theirs)
	if diff != "" && again != nil {
		second := comparable(r, again.text)
		if own := compareLines(r, second, theirs); own != "" {
			all := len(theirs)
			switch {
			case len(second) != all:
				theirs = nil
			case len(ours) != all:
				return verdict{fail, diff}
			default:
				ours, theirs = steady(r, ours, theirs, second)
			}
			if len(theirs) == 0 {
				return verdict{undecided, "nvcc's own runs differ: " + own}
			}
			if diff = compareLines(r, ours, theirs); diff == "" {
				return verdict{pass, fmt.Sprintf("%d of %d lines as nvcc's, whose own runs differ in the others", len(theirs), all)}
			}
		}
	}
	switch {
	case diff != "":
		return verdict{fail, diff}
	case len(ours) == 0:
		return verdict{undecided, "nothing is printed that could be compared"}
	}
	return verdict{pass, fmt.Sprintf("%d lines as nvcc's", len(ours))}
}

// steady leaves out the lines that differ between two runs of nvcc's build, such as times. All three outputs have
// equally many.
func steady(r row, ours, theirs, second []string) (a, b []string) {
	for i, l := range theirs {
		if sameLine(l, second[i], r.Tolerance) {
			a, b = append(a, ours[i]), append(b, l)
		}
	}
	return a, b
}

// complaint returns the first line that irgl's runtime or emulator has printed, or the last one.
func complaint(text string) string {
	if l := linewise(`^irgl: .*`).FindString(text); l != "" {
		return l
	}
	return lastLine(text)
}

// ownCheck judges by the program's own check. It is not decided where nvcc's build does not pass
// it either: then outputs are compared.
func ownCheck(r row, irgl, nvcc *finished) (v verdict, decided bool) {
	says := func(f *finished, pattern string) string {
		if pattern == "" || f == nil {
			return ""
		}
		return linewise(pattern).FindString(f.text)
	}
	bad, good := says(irgl, r.Fail), says(irgl, r.Pass)
	switch {
	case bad != "" && says(nvcc, r.Fail) != "":
		return v, false
	case bad != "":
		return verdict{fail, "its check: " + bad}, true
	case good != "":
		return verdict{pass, "its check: " + good}, true
	case says(nvcc, r.Pass) != "":
		return verdict{fail, "its check does not print " + says(nvcc, r.Pass)}, true
	}
	return v, false
}

// linewise compiles a pattern of a row, in which ^ and $ are the ends of lines.
func linewise(pattern string) *regexp.Regexp { return regexp.MustCompile("(?m)" + pattern) }

// timing matches lines that tell times and rates, which are not compared.
var timing = regexp.MustCompile(`(?i)time|clock|elapsed|duration|second|\b\d*\.?\d+(e[+-]?\d+)? ?\(?(n|u|m|µ|μ)?s\b|\((n|u|m|µ)?s\)|\bsecs?\b|throughput|bandwidth|flop|[kmgt]i?b(ytes)?/s|/sec|per sec|speed|performance|\bGPU device|bytes left out`)

// numbers are what is compared with a tolerance. What is around them must be equal.
var (
	numbers = regexp.MustCompile(`[-+]?(?:\d+\.?\d*|\.\d+)(?:[eE][-+]?\d+)?|[-+]?\b(?:nan|inf)\b`)
	address = regexp.MustCompile(`0x[0-9a-fA-F]{6,}`)
)

// compareLines compares two outputs line by line, and returns the first that differ.
func compareLines(r row, a, b []string) (diff string) {
	for i := range min(len(a), len(b)) {
		if !sameLine(a[i], b[i], r.Tolerance) {
			return fmt.Sprintf("%q, nvcc's %q", clip(a[i]), clip(b[i]))
		}
	}
	if len(a) != len(b) {
		return fmt.Sprintf("%d lines, nvcc's %d", len(a), len(b))
	}
	return ""
}

func clip(line string) string {
	if len(line) > 80 {
		return line[:80]
	}
	return line
}

// comparable returns the lines of an output that are compared: without times, rates and what the row ignores.
func comparable(r row, text string) (lines []string) {
	var ignore *regexp.Regexp
	if r.Ignore != "" {
		ignore = linewise(r.Ignore)
	}
	for _, l := range strings.Split(text, "\n") {
		l = strings.Join(strings.Fields(l), " ")
		if l == "" || timing.MatchString(l) || ignore != nil && ignore.MatchString(l) {
			continue
		}
		lines = append(lines, address.ReplaceAllString(l, "0x"))
	}
	return lines
}

// sameLine reports whether two lines are equal but for numbers that are near each other: within
// the tolerance, relative to the larger, or 1e-6.
func sameLine(a, b string, tolerance float64) bool {
	if a == b {
		return true
	}
	if numbers.ReplaceAllString(a, "0") != numbers.ReplaceAllString(b, "0") {
		return false
	}
	x, y := numbers.FindAllString(a, -1), numbers.FindAllString(b, -1)
	for i := range x {
		v, errV := strconv.ParseFloat(x[i], 64)
		w, errW := strconv.ParseFloat(y[i], 64)
		if errV != nil || errW != nil {
			return false
		}
		if x[i] != y[i] && !(math.Abs(v-w) <= max(1e-6, tolerance*max(math.Abs(v), math.Abs(w)))) {
			return false
		}
	}
	return true
}
