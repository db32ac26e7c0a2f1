package findings

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"
)

// JUnit's XML has a test suite for the program and a test case for each kernel that was launched, and one for the host code. So
// what systems of continuous integration show as history, a case by its name, is the history of a kernel, however often it
// was launched; a case has one failure, with all findings, since most systems show no more.

type junitSuites struct {
	XMLName xml.Name     `xml:"testsuites"`
	Suites  []junitSuite `xml:"testsuite"`
}

type junitSuite struct {
	Name     string      `xml:"name,attr"`
	Tests    int         `xml:"tests,attr"`
	Failures int         `xml:"failures,attr"`
	Errors   int         `xml:"errors,attr"`
	Cases    []junitCase `xml:"testcase"`
	Out      string      `xml:"system-out"`
}

type junitCase struct {
	Class   string      `xml:"classname,attr"`
	Name    string      `xml:"name,attr"`
	File    string      `xml:"file,attr,omitempty"`
	Line    int         `xml:"line,attr,omitempty"`
	Failure *junitFault `xml:"failure"`
	Error   *junitFault `xml:"error"`
}

type junitFault struct {
	Type    string `xml:"type,attr"`
	Message string `xml:"message,attr"`
	Text    string `xml:",chardata"`
}

// hostCase is the case of the host code.
const hostCase = "host code"

func writeJUnit(w io.Writer, r *Run) error {
	suite := junitSuite{Name: r.Program, Out: r.Closing()}
	at := map[string]int{}
	add := func(name string) *junitCase {
		i, known := at[name]
		if !known {
			i = len(suite.Cases)
			at[name] = i
			suite.Cases = append(suite.Cases, junitCase{Class: r.Program, Name: name})
		}
		return &suite.Cases[i]
	}
	for _, k := range r.Kernels {
		add(k.Name)
	}
	host := add(hostCase)
	if !r.Complete {
		host.Error = &junitFault{"incomplete", "the program ended by a signal, or before the end of its runtime", ""}
	}
	for i := range r.Findings {
		f := &r.Findings[i]
		rule, _ := RuleOf(f.Rule)
		name := hostCase
		if f.Kernel != "" {
			name = f.Kernel // also "k and l", of a race between two
		}
		c := add(name)
		if c.Failure == nil {
			p := f.At()
			c.File, c.Line = p.File, p.Line
			c.Failure = &junitFault{Type: rule.ID + " " + rule.Name, Message: f.Message}
		}
		c.Failure.Text += text(f)
	}
	for i := range suite.Cases {
		c := &suite.Cases[i]
		suite.Tests++
		if c.Failure != nil {
			suite.Failures++
		}
		if c.Error != nil {
			suite.Errors++
		}
	}
	if _, err := io.WriteString(w, xml.Header); err != nil {
		return err
	}
	e := xml.NewEncoder(w)
	e.Indent("", "  ")
	if err := e.Encode(junitSuites{Suites: []junitSuite{suite}}); err != nil {
		return err
	}
	_, err := io.WriteString(w, "\n")
	return err
}

// text returns a finding as the text has it.
func text(f *Finding) string {
	var b strings.Builder
	rule, _ := RuleOf(f.Rule)
	fmt.Fprintf(&b, "%s [%s]\n", f.Message, rule.ID)
	for i := range f.Sites {
		writeStack(&b, &f.Sites[i], i == 0)
	}
	return b.String()
}
