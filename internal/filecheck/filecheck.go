package filecheck

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// A kind is what a directive demands.
type kind uint8

const (
	check kind = iota
	next
	not
	count
)

type directive struct {
	kind    kind
	n       int // of count
	line    int // in the directives, from 1
	text    string
	pattern *regexp.Regexp
}

var syntax = regexp.MustCompile(`^\s*(?:(?://|;|#)\s*)?(CHECK|CHECK-NEXT|CHECK-NOT|COUNT [0-9]+):\s*(.*?)\s*$`)

// parse reads directives.
func parse(directives string) ([]directive, error) {
	var out []directive
	i := 0
	for line := range strings.Lines(directives) {
		i++
		m := syntax.FindStringSubmatch(strings.TrimSuffix(line, "\n"))
		if m == nil {
			if word, _, found := strings.Cut(strings.TrimSpace(line), ":"); found && (strings.HasPrefix(word, "CHECK") || strings.HasPrefix(word, "COUNT")) {
				return nil, fmt.Errorf("line %d: there is no directive %q", i, word)
			}
			continue
		}
		d := directive{line: i, text: m[1] + ": " + m[2]}
		switch word, n, _ := strings.Cut(m[1], " "); word {
		case "CHECK-NEXT":
			d.kind = next
		case "CHECK-NOT":
			d.kind = not
		case "COUNT":
			d.kind = count
			d.n, _ = strconv.Atoi(n) // digits, by syntax
		}
		var err error
		if d.pattern, err = pattern(m[2]); err != nil {
			return nil, fmt.Errorf("line %d: %s: %w", i, d.text, err)
		}
		out = append(out, d)
	}
	if len(out) == 0 {
		return nil, errors.New("there is no directive")
	}
	return out, nil
}

var blanks = regexp.MustCompile(`\s+`)

// pattern returns the regular expression of a directive's pattern.
func pattern(s string) (*regexp.Regexp, error) {
	if s == "" {
		return nil, errors.New("the pattern is empty")
	}
	var b strings.Builder
	for s != "" {
		literal, rest, found := strings.Cut(s, "{{")
		for i, word := range blanks.Split(literal, -1) {
			if i > 0 {
				b.WriteString(`\s+`)
			}
			b.WriteString(regexp.QuoteMeta(word))
		}
		if !found {
			break
		}
		expr, after, closed := strings.Cut(rest, "}}")
		if !closed {
			return nil, errors.New("{{ is not closed")
		}
		b.WriteString("(?:" + expr + ")")
		s = after
	}
	return regexp.Compile(b.String())
}

// Check reports what the directives demand of the text and it has not: the
// directive, with the place in the text where its search began.
func Check(text, directives string) error {
	list, err := parse(directives)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimSuffix(text, "\n"), "\n")
	at := -1               // the line matched last
	var absent []directive // CHECK-NOT since then
	none := func(from, to int) error {
		for _, d := range absent {
			for i := from; i < to; i++ {
				if d.pattern.MatchString(lines[i]) {
					return fmt.Errorf("line %d: %s: the text has it, at its line %d: %s", d.line, d.text, i+1, lines[i])
				}
			}
		}
		absent = nil
		return nil
	}
	for _, d := range list {
		switch d.kind {
		case count:
			n := 0
			for _, l := range lines {
				if d.pattern.MatchString(l) {
					n++
				}
			}
			if n != d.n {
				return fmt.Errorf("line %d: %s: the text has %d", d.line, d.text, n)
			}
		case not:
			absent = append(absent, d)
		case next:
			if len(absent) > 0 { // it could not fail
				return fmt.Errorf("line %d: %s: no line is between a CHECK-NEXT and the match before it", absent[0].line, absent[0].text)
			}
			if at+1 >= len(lines) || !d.pattern.MatchString(lines[at+1]) {
				return fmt.Errorf("line %d: %s: the next line is not that%s", d.line, d.text, excerpt(lines, at+1))
			}
			at++
		default:
			found := at + 1
			for found < len(lines) && !d.pattern.MatchString(lines[found]) {
				found++
			}
			if found == len(lines) {
				return fmt.Errorf("line %d: %s: no line has it%s", d.line, d.text, excerpt(lines, at+1))
			}
			if err := none(at+1, found); err != nil {
				return err
			}
			at = found
		}
	}
	return none(at+1, len(lines))
}

// excerpt shows where a search began.
func excerpt(lines []string, from int) string {
	if from >= len(lines) {
		return ", after the end of the text"
	}
	var b strings.Builder
	fmt.Fprintf(&b, ", from line %d of the text on:", from+1)
	for i := from; i < min(from+8, len(lines)); i++ {
		b.WriteString("\n  | " + lines[i])
	}
	return b.String()
}
