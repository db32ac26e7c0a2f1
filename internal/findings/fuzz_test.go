package findings

import (
	"bytes"
	"encoding/json"
	"encoding/xml"
	"os"
	"strings"
	"testing"
	"unicode/utf8"

	"irgl/internal/device"
)

// fuzzed makes a run of bytes: texts of programs, and of what is in them, go into every field of a report.
type fuzzed struct{ data []byte }

// number takes a number below n.
func (f *fuzzed) number(n int) int {
	if len(f.data) == 0 {
		return 0
	}
	c := f.data[0]
	f.data = f.data[1:]
	return int(c) % n
}

// text takes a text, whatever its bytes.
func (f *fuzzed) text() string {
	n := min(f.number(24), len(f.data))
	s := string(f.data[:n])
	f.data = f.data[n:]
	return s
}

func (f *fuzzed) frame() device.Frame {
	return device.Frame{Function: f.text(), Position: device.Position{File: f.text(), Line: f.number(4), Column: f.number(4)}}
}

func (f *fuzzed) run() *Run {
	r := &Run{About: About{Program: f.text(), Version: f.text(), Devices: f.number(3), Multiprocessors: f.number(3), Checked: f.number(2) == 0}, Complete: f.number(2) == 0}
	for range f.number(3) {
		r.Kernels = append(r.Kernels, Kernel{f.text(), uint64(f.number(9)), uint64(f.number(9))})
	}
	roles := []string{roleAccess, roleOther, roleBarrier, roleLaunched, roleAllocated, roleCall}
	for range f.number(4) {
		found := Finding{Rule: rules[f.number(len(rules))].Name, Message: f.text(), Kernel: f.text(), Memory: f.text(), Element: f.text(), Count: f.number(5) - 1, Device: f.number(3)}
		for range f.number(4) {
			s := Site{Role: roles[f.number(len(roles))], What: f.text(), Kernel: f.text(), Line: f.number(9)}
			for range f.number(4) {
				s.Stack = append(s.Stack, f.frame())
			}
			found.Sites = append(found.Sites, s)
		}
		r.Findings = append(r.Findings, found)
	}
	return r
}

// FuzzReports: whatever the names and texts in a run, every form of report can be written, twice the same; JSON and SARIF can be read and
// keep to their schemas, JUnit's XML can be read, and each has all findings.
func FuzzReports(f *testing.F) {
	for _, s := range []string{"", "\x03a&b\x05<v1>", strings.Repeat("\x05]]>\x00\xff\xfe\x07%p \"'\n", 20), strings.Repeat("\x02\x03../%2e\x01\x1b\xed\xa0\x80", 30), strings.Repeat("\x07C:\\a b#?\x03\x01\x02", 25)} {
		f.Add([]byte(s))
	}
	text, err := os.ReadFile("../../docs/report.schema.json")
	if err != nil {
		f.Fatal(err)
	}
	var schema map[string]any
	if err := json.Unmarshal(text, &schema); err != nil {
		f.Fatal(err)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		r := (&fuzzed{data}).run()
		written := map[string][]byte{}
		for _, form := range formats {
			var b, again bytes.Buffer
			if err := form.write(&b, r); err != nil {
				t.Fatalf("%s: %v", form.name, err)
			}
			if err := form.write(&again, r); err != nil || !bytes.Equal(b.Bytes(), again.Bytes()) {
				t.Fatalf("%s differs from one time to the next", form.name)
			}
			written[form.name] = b.Bytes()
		}
		var value map[string]any
		if err := json.Unmarshal(written["json"], &value); err != nil {
			t.Fatalf("JSON: %v", err)
		}
		for _, e := range (&validator{schema}).validate("", schema, value) {
			t.Error(e)
		}
		if n := len(value["findings"].([]any)); n != len(r.Findings) {
			t.Errorf("JSON has %d findings, want %d", n, len(r.Findings))
		}
		checkSARIF(t, written["sarif"], r)
		checkJUnit(t, written["junit"], r)
		for i := range r.Findings {
			if !strings.Contains(string(written["text"]), r.Findings[i].Text()) {
				t.Errorf("the text lacks %q", r.Findings[i].Text())
			}
		}
	})
}

func checkSARIF(t *testing.T, text []byte, r *Run) {
	t.Helper()
	var log sarifLog
	if err := json.Unmarshal(text, &log); err != nil {
		t.Fatalf("SARIF: %v", err)
	}
	run := log.Runs[0]
	if len(run.Results) != len(r.Findings) {
		t.Fatalf("SARIF has %d results, want %d", len(run.Results), len(r.Findings))
	}
	seen := map[string]bool{}
	for _, res := range run.Results {
		if res.RuleIndex < 0 || res.RuleIndex >= len(run.Tool.Driver.Rules) || run.Tool.Driver.Rules[res.RuleIndex].ID != res.RuleID {
			t.Errorf("result %+v names no rule", res)
		}
		if p := res.PartialFingerprints["irglFault/v1"]; p == "" || seen[p] {
			t.Errorf("the fingerprint %q is not of one result", p)
		} else {
			seen[p] = true
		}
		for _, l := range append(res.Locations, res.RelatedLocations...) {
			if l.Physical != nil && (l.Physical.Region.StartLine < 1 || !utf8.ValidString(l.Physical.Artifact.URI)) {
				t.Errorf("location %+v", *l.Physical)
			}
		}
	}
}

func checkJUnit(t *testing.T, text []byte, r *Run) {
	t.Helper()
	var s junitSuites
	if err := xml.Unmarshal(text, &s); err != nil {
		t.Fatalf("JUnit's XML: %v\n%q", err, text)
	}
	failed := 0
	for _, c := range s.Suites[0].Cases {
		if c.Failure != nil {
			failed++
		}
	}
	if failed != s.Suites[0].Failures || len(s.Suites[0].Cases) != s.Suites[0].Tests || len(r.Findings) > 0 && failed == 0 {
		t.Errorf("%d failures of %d cases; %+v", failed, len(s.Suites[0].Cases), s.Suites[0])
	}
}
