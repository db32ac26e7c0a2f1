package main

import (
	_ "embed"
	"fmt"
	"os"
	"path"
	"regexp"
	"strconv"
	"strings"
)

// programsText is the table of programs, in the format that [parseTable] reads.
//
//go:embed programs.txt
var programsText string

// A suite is a public repository of CUDA programs at one commit.
type suite struct {
	Name       string `json:"name"`
	Repository string `json:"repository"` // owner/name
	Commit     string `json:"commit"`
}

// folder is the suite's folder below that of all sources.
func (s suite) folder() string { return path.Base(s.Repository) }

// A row is a program of the table. Build, Input, Run and Small are texts for sh,
// executed in the program's folder.
type row struct {
	Suite     suite    `json:"suite"`
	Name      string   `json:"name"`   // the suite's name and the program's: polybench/2mm
	Folder    string   `json:"folder"` // in the repository
	Build     string   `json:"build"`  // nvcc is the compiler under test
	Input     string   `json:"input,omitempty"`
	Run       string   `json:"run"`             // "make run": what the target run of the Makefile says
	Small     string   `json:"small,omitempty"` // the run for the emulator
	Files     []string `json:"files,omitempty"` // inputs outside of the folder, from the repository's root
	Results   []string `json:"results,omitempty"`
	Pass      string   `json:"pass,omitempty"`   // what a right answer prints, by the program's own check
	Fail      string   `json:"fail,omitempty"`   // what a wrong one prints
	Ignore    string   `json:"ignore,omitempty"` // lines that are not compared with those of nvcc's build
	Tolerance float64  `json:"tolerance"`        // of a number, relative to the larger
	Kernels   []string `json:"kernels,omitempty"`
}

// parseTable reads a table: stanzas separated by empty lines, each of lines of a key and
// a value. A stanza that begins with the key suite names a repository and says what its
// programs have unless they say otherwise; others begin with the key program. Lines of
// input are executed one after the other, the suite's first. Comments are lines that begin with #. Errors begin with file and line.
func parseTable(file, text string) ([]row, error) {
	var rows []row
	var defaults row
	var cur *row
	known := map[string]bool{}
	for i, line := range strings.Split(text, "\n") {
		at := fmt.Sprintf("%s:%d", file, i+1)
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "#") {
			continue
		}
		if line == "" {
			cur = nil
			continue
		}
		key, value, _ := strings.Cut(line, " ")
		value = strings.TrimSpace(value)
		switch {
		case value == "":
			return nil, fmt.Errorf("%s: %s has no value", at, key)
		case key == "suite":
			defaults = row{Suite: suite{Name: value}, Tolerance: 1e-3}
			cur = &defaults
		case key == "program":
			if defaults.Suite.Repository == "" || defaults.Suite.Commit == "" {
				return nil, fmt.Errorf("%s: program %s stands behind no suite with a repository and a commit", at, value)
			}
			next := defaults
			next.Name = defaults.Suite.Name + "/" + value
			if next.Folder = path.Join(next.Folder, value); known[next.Name] {
				return nil, fmt.Errorf("%s: program %s is there twice", at, next.Name)
			}
			known[next.Name] = true
			rows = append(rows, next)
			cur = &rows[len(rows)-1]
		case cur == nil:
			return nil, fmt.Errorf("%s: a stanza begins with suite or program, not %s", at, key)
		default:
			if err := cur.set(key, value); err != nil {
				return nil, fmt.Errorf("%s: %w", at, err)
			}
		}
	}
	for _, r := range rows {
		if err := r.check(); err != nil {
			return nil, fmt.Errorf("%s: program %s: %w", file, r.Name, err)
		}
	}
	return rows, nil
}

// set sets the field that a key names.
func (r *row) set(key, value string) (err error) {
	texts := map[string]*string{
		"folder": &r.Folder, "build": &r.Build, "run": &r.Run, "small": &r.Small,
		"repository": &r.Suite.Repository, "commit": &r.Suite.Commit,
	}
	patterns := map[string]*string{"pass": &r.Pass, "fail": &r.Fail, "ignore": &r.Ignore}
	lists := map[string]*[]string{"files": &r.Files, "results": &r.Results, "kernels": &r.Kernels}
	switch {
	case (key == "repository" || key == "commit") && r.Name != "":
		return fmt.Errorf("%s is the suite's", key)
	case key == "input":
		r.Input = strings.TrimSpace(r.Input + "\n" + value)
	case texts[key] != nil:
		*texts[key] = value
	case patterns[key] != nil:
		_, err = regexp.Compile(value)
		*patterns[key] = value
	case lists[key] != nil:
		*lists[key] = strings.Fields(value)
	case key == "tolerance":
		r.Tolerance, err = strconv.ParseFloat(value, 64)
	default:
		err = fmt.Errorf("no key %s", key)
	}
	return err
}

var (
	safeName   = regexp.MustCompile(`^[a-z]+/[\w.+-]+$`)
	repoName   = regexp.MustCompile(`^[\w.-]+/[\w.-]+$`)
	commitName = regexp.MustCompile(`^[0-9a-f]{40}$`)
)

// check reports what a row lacks.
func (r row) check() error {
	switch {
	case !safeName.MatchString(r.Name):
		return fmt.Errorf("a name has letters, digits and . + - _")
	case !repoName.MatchString(r.Suite.Repository):
		return fmt.Errorf("repository %s: want owner/name", r.Suite.Repository)
	case !commitName.MatchString(r.Suite.Commit):
		return fmt.Errorf("commit %s: want 40 hexadecimal digits", r.Suite.Commit)
	case r.Build == "" || r.Run == "":
		return fmt.Errorf("it needs build and run")
	case !(r.Tolerance >= 0 && r.Tolerance < 1):
		return fmt.Errorf("tolerance %g: want 0 or more and less than 1", r.Tolerance)
	}
	for _, p := range append([]string{r.Folder}, append(r.Files, r.Results...)...) {
		if path.IsAbs(p) || p != path.Clean(p) || strings.HasPrefix(p, "..") {
			return fmt.Errorf("%s leaves the repository", p)
		}
	}
	return nil
}

// loadTable returns the programs of the built-in table, or of those of a file, whose
// names match.
func loadTable(file string, only *regexp.Regexp) ([]row, error) {
	name, text := "programs.txt", programsText
	if file != "" {
		have, err := os.ReadFile(file)
		if err != nil {
			return nil, err
		}
		name, text = file, string(have)
	}
	all, err := parseTable(name, text)
	var rows []row
	for _, r := range all {
		if only == nil || only.MatchString(r.Name) {
			rows = append(rows, r)
		}
	}
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%s: no program matches", name)
	}
	return rows, err
}
