package main

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
)

func TestTable(t *testing.T) {
	rows, err := loadTable("", nil)
	if err != nil {
		t.Fatal(err)
	}
	counts := map[string]int{}
	for _, r := range rows {
		counts[r.Suite.Name]++
		if r.Suite.Name == "hecbench" && r.Run != runTarget {
			t.Errorf("%s: HeCBench's Makefiles say how its programs run", r.Name)
		}
		if r.Pass == "" && r.Suite.Name == "polybench" {
			t.Errorf("%s has no check", r.Name)
		}
	}
	if counts["polybench"] != 21 || len(rows) < 82 || len(counts) != 6 {
		t.Errorf("%d programs, by suites %v", len(rows), counts)
	}
	some, err := loadTable("", regexp.MustCompile(`^polybench/[23]mm$`))
	if err != nil || len(some) != 2 {
		t.Error(some, err)
	}
	if _, err := loadTable("", regexp.MustCompile("nothing")); err == nil {
		t.Error("no program matches, and no error")
	}
}

const head = "suite s\nrepository a/b\ncommit 0123456789012345678901234567890123456789\n"

// TestTableFields: what a suite says holds for its programs unless they say otherwise, but
// for inputs, which add up.
func TestTableFields(t *testing.T) {
	rows, err := parseTable("t", head+`folder src
build make
input one
run ./a

program x
tolerance 0.5

# a comment
program y
folder other/y
input two
run ./y 1 2
files data/a data/b
`)
	if err != nil {
		t.Fatal(err)
	}
	got := fmt.Sprintf("%s|%s|%s|%q|%g", rows[0].Name, rows[0].Folder, rows[0].Run, rows[0].Input, rows[0].Tolerance)
	got += fmt.Sprintf(" %s|%s|%s|%q|%g|%v", rows[1].Name, rows[1].Folder, rows[1].Run, rows[1].Input, rows[1].Tolerance, rows[1].Files)
	want := `s/x|src/x|./a|"one"|0.5 s/y|other/y|./y 1 2|"one\ntwo"|0.001|[data/a data/b]`
	if got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
}

func TestTableErrors(t *testing.T) {
	whole := head + "build make\nrun ./a\n\n"
	for text, want := range map[string]string{
		"program x\n":                                                    "t:1: program x stands behind no suite",
		"run ./a\n":                                                      "t:1: a stanza begins with suite or program",
		whole + "program x\nbuild\n":                                     "t:8: build has no value",
		whole + "program x\nspeed 1\n":                                   "t:8: no key speed",
		whole + "program x\npass (\n":                                    "t:8: error parsing regexp",
		whole + "program x\ntolerance x\n":                               "t:8: strconv",
		whole + "program x\ntolerance 2\n":                               "program s/x: tolerance 2",
		whole + "program x\n\nprogram x\n":                               "t:9: program s/x is there twice",
		whole + "program x\nfolder ../a\n":                               "../a leaves the repository",
		whole + "program x\nfiles /etc\n":                                "/etc leaves the repository",
		whole + "program x\ncommit 1\n":                                  "t:8: commit is the suite's",
		whole + "program a/b\n":                                          "a name has letters",
		head + "run ./a\n\nprogram x\n":                                  "it needs build and run",
		"suite s\nrepository a\ncommit 1\nbuild x\nrun y\n\nprogram x\n": "repository a: want owner/name",
	} {
		if _, err := parseTable("t", text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q:\ngot  %v\nwant %s", text, err, want)
		}
	}
}

// FuzzParseTable: whatever the text, rows are well-formed or there is an error.
func FuzzParseTable(f *testing.F) {
	f.Add(programsText)
	f.Add(head + "build make\nrun ./a\n\nprogram x\ntolerance NaN\n")
	f.Fuzz(func(t *testing.T, text string) {
		rows, err := parseTable("t", text)
		if err != nil {
			return
		}
		for _, r := range rows {
			if err := r.check(); err != nil || strings.Contains(r.Folder, "..") && strings.HasPrefix(r.Folder, "..") {
				t.Errorf("%+v: %v", r, err)
			}
		}
	})
}
