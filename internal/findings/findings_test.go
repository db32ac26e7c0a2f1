package findings

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/device"
	"irgl/internal/golden"
)

// sample is a run with a race, which has two sites and a launch, and a leak with a host's stack.
func sample(file string) *Run {
	at := func(function string, line int) device.Frame {
		return device.Frame{Function: function, Position: device.Position{File: file, Line: line, Column: 3}}
	}
	race := OfReport(device.Report{Kind: device.Race, Kernel: "k(int*)", Buffer: "cudaMalloc #1", Place: "cudaMalloc #1+4", Message: "thread 1 of block 0 reads, thread 0 writes <here>", Count: 3,
		Sites: []device.Site{
			{What: "thread 1 of block 0 reads", Kernel: "k(int*)", At: at("k(int*)", 2), Line: 21},
			{What: "thread 0 of block 0 writes", Kernel: "k(int*)", At: at("put(int*)", 3), Calls: []device.Frame{at("k(int*)", 2)}, Line: 23},
			{Role: "launched", What: "k(int*)", At: at("main", 5)},
		}}, 0)
	leak := Finding{Rule: Leak, Message: "leak: 8 bytes of cudaMalloc #1 are not freed", Memory: "cudaMalloc #1", Count: 1, size: 8,
		Sites: []Site{{Role: roleAllocated, What: "cudaMalloc #1", Stack: []device.Frame{at("make()", 4), at("main", 5)}}}}
	return &Run{About: About{Program: "p", Version: "v1", Devices: 1, Multiprocessors: 4, Checked: true, Leaks: true}, Complete: true,
		Kernels: []Kernel{{"k(int*)", 2, 40}}, Findings: []Finding{race, leak}}
}

// TestFormats compares the forms for people and for continuous integration with testdata/formats.txtar.
func TestFormats(t *testing.T) {
	var a txtar.Archive
	a.Comment = []byte("A race and a leak as text, JUnit's XML, and JSON, the latter without the first finding.\n")
	for _, f := range formats {
		r := sample("p.cu")
		if f.name == "sarif" {
			continue
		}
		if f.name == "json" {
			r.Findings = r.Findings[1:]
		}
		var b, again bytes.Buffer
		if err := f.write(&b, r); err != nil {
			t.Fatal(err)
		}
		if f.write(&again, r); !bytes.Equal(b.Bytes(), again.Bytes()) {
			t.Errorf("%s differs from one time to the next", f.name)
		}
		a.Files = append(a.Files, txtar.File{Name: f.name, Data: b.Bytes()})
	}
	slices.Reverse(a.Files)
	golden.File(t, "testdata/formats.txtar", string(txtar.Format(&a)))
}

// TestSARIF checks what services that read SARIF rely on.
func TestSARIF(t *testing.T) {
	var b bytes.Buffer
	if err := writeSARIF(&b, sample("/src/dir/p q.cu")); err != nil {
		t.Fatal(err)
	}
	var log sarifLog
	if err := json.Unmarshal(b.Bytes(), &log); err != nil {
		t.Fatal(err)
	}
	run := log.Runs[0]
	if log.Version != "2.1.0" || len(run.Tool.Driver.Rules) != len(rules) || !run.Invocations[0].ExecutionSuccessful {
		t.Errorf("version %s, %d rules", log.Version, len(run.Tool.Driver.Rules))
	}
	for _, r := range run.Results {
		if run.Tool.Driver.Rules[r.RuleIndex].ID != r.RuleID {
			t.Errorf("rule %s has index %d, which is %s", r.RuleID, r.RuleIndex, run.Tool.Driver.Rules[r.RuleIndex].ID)
		}
		if len(r.Locations) != 1 || r.Locations[0].Physical.Artifact.URI != "file:///src/dir/p%20q.cu" || r.PartialFingerprints["irglFault/v1"] == "" {
			t.Errorf("%+v", r)
		}
		for i, l := range r.RelatedLocations {
			if *l.ID != i+1 || l.Message.Text == "" {
				t.Errorf("related location %d: %+v", i, l)
			}
		}
	}
	race, leak := run.Results[0], run.Results[1]
	if race.Locations[0].Physical.Region.StartLine != 2 || len(race.RelatedLocations) != 2 || race.RelatedLocations[0].Physical.Region.StartLine != 3 || race.OccurrenceCount != 3 {
		t.Errorf("the race: %+v", race)
	}
	if leak.Level != "warning" || len(leak.Stacks) != 1 || len(leak.Stacks[0].Frames) != 2 {
		t.Errorf("the leak: %+v", leak)
	}
}

// TestSchemas validates JSON against docs/report.schema.json, and, where SARIF_SCHEMA names the file of the published
// schema, SARIF against that.
func TestSchemas(t *testing.T) {
	for _, tt := range []struct {
		path  string
		write func(b *bytes.Buffer, r *Run) error
	}{
		{"../../docs/report.schema.json", func(b *bytes.Buffer, r *Run) error { return writeJSON(b, r) }},
		{os.Getenv("SARIF_SCHEMA"), func(b *bytes.Buffer, r *Run) error { return writeSARIF(b, r) }},
	} {
		if tt.path == "" {
			t.Log("SARIF_SCHEMA does not name the schema of SARIF")
			continue
		}
		text, err := os.ReadFile(tt.path)
		if err != nil {
			t.Fatal(err)
		}
		var schema, value map[string]any
		if err := json.Unmarshal(text, &schema); err != nil {
			t.Fatal(err)
		}
		for _, r := range []*Run{sample("p.cu"), sample("/p.cu"), {About: About{Program: "p"}}} {
			var b bytes.Buffer
			if err := tt.write(&b, r); err != nil {
				t.Fatal(err)
			}
			if err := json.Unmarshal(b.Bytes(), &value); err != nil {
				t.Fatal(err)
			}
			for _, e := range (&validator{schema}).validate("", schema, value) {
				t.Error(e)
			}
			delete(value, "$schema")
			delete(value, "version")
			delete(value, "schema")
			value["more"] = 1
			if len((&validator{schema}).validate("", schema, value)) < 2 {
				t.Errorf("%s takes a report without its version, and with a field more", tt.path)
			}
			value = nil
		}
	}
}

// TestJUnit checks that the XML can be read, and that each kernel is a case.
func TestJUnit(t *testing.T) {
	r := sample("p.cu")
	r.Kernels = append(r.Kernels, Kernel{"other()", 1, 1})
	r.Complete = false
	var b bytes.Buffer
	if err := writeJUnit(&b, r); err != nil {
		t.Fatal(err)
	}
	var s junitSuites
	if err := xml.Unmarshal(b.Bytes(), &s); err != nil {
		t.Fatal(err)
	}
	suite := s.Suites[0]
	var names []string
	for _, c := range suite.Cases {
		names = append(names, fmt.Sprint(c.Name, " ", c.Failure != nil, " ", c.Error != nil))
	}
	if want := []string{"k(int*) true false", "other() false false", "host code true true"}; !slices.Equal(names, want) || suite.Tests != 3 || suite.Failures != 2 || suite.Errors != 1 {
		t.Errorf("%q, want %q; %+v", names, want, suite)
	}
}

// TestFingerprints checks that lines above a fault do not change what identifies it, and that other faults are others.
func TestFingerprints(t *testing.T) {
	file := filepath.Join(t.TempDir(), "p.cu")
	write := func(text string) {
		if err := os.WriteFile(file, []byte(text), 0o666); err != nil {
			t.Fatal(err)
		}
	}
	write("one\ntwo\nthree\nfour\nfive\n")
	before := fingerprints(sample(file))
	write("new\none\n two\nthree\nfour\nfive\n")
	r := sample(file)
	for i := range r.Findings {
		for j := range r.Findings[i].Sites {
			for k := range r.Findings[i].Sites[j].Stack {
				r.Findings[i].Sites[j].Stack[k].Position.Line++
			}
		}
	}
	if after := fingerprints(r); !slices.Equal(before, after) {
		t.Errorf("%q, then %q", before, after)
	}
	r.Findings = append(r.Findings, r.Findings[0])
	r.Findings[1].Rule = DeviceLeak
	if after := fingerprints(r); after[1] == before[1] || after[2] == after[0] {
		t.Errorf("%q, then %q", before, after)
	}
}

// TestRules checks that identifiers and names are each of one rule, that device's kinds have rules, and the page of the rules.
func TestRules(t *testing.T) {
	ids, names := map[string]bool{}, map[string]bool{}
	var b strings.Builder
	fmt.Fprintf(&b, "# Rules of the emulator's reports\n\nWhat [reports of the emulator](testing-without-a-gpu.md#reports) call a fault. Identifiers and names are stable: rules are added, and none is used again for something else. "+
		"This page is generated from package findings.\n\n| rule | name | level | what it is | what to do |\n|---|---|---|---|---|\n")
	for _, r := range rules {
		if ids[r.ID] || names[r.Name] || r.Short == "" || r.Help == "" || r.Level != levelError && r.Level != levelWarning {
			t.Errorf("rule %+v", r)
		}
		ids[r.ID], names[r.Name] = true, true
		fmt.Fprintf(&b, "| %s | `%s` | %s | %s | %s |\n", r.ID, r.Name, r.Level, r.Short, r.Help)
	}
	for _, kind := range []string{device.Race, device.OutOfBounds, device.Uninitialised, device.DivergentBarrier, device.DivergentBranch, device.Misaligned, device.Undeclared, device.BadFree} {
		if OfReport(device.Report{Kind: kind}, 0).Rule != kind {
			t.Errorf("kind %s has no rule", kind)
		}
	}
	if f := OfReport(device.Report{Kind: "new"}, 0); f.Rule != KernelFault {
		t.Errorf("a kind without a rule is of rule %s", f.Rule)
	}
	golden.File(t, "../../docs/findings.md", b.String())
}
