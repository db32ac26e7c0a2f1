package findings

import (
	"cmp"
	"context"
	"errors"
)

// A Recorder writes the reports of a log to their targets.
type Recorder struct {
	*Log
	targets []*Target
	written int // findings in the files
}

// NewRecorder claims the files of the targets that a list names ([ParseTargets]), and writes reports without findings to them, so
// that what is wrong with a file is known before the run. The notes are for people. An empty list is of no target.
func NewRecorder(l *Log, list string, process int) (r *Recorder, notes []string, err error) {
	r = &Recorder{Log: l}
	if r.targets, err = ParseTargets(list); err != nil {
		return nil, nil, err
	}
	for _, t := range r.targets {
		note, err := t.Claim(cmp.Or(l.run.Program, "program"), process)
		if err != nil {
			return nil, nil, err
		}
		if note != "" {
			notes = append(notes, note)
		}
	}
	return r, notes, r.write()
}

// Reports reports whether there is a target.
func (r *Recorder) Reports() bool { return len(r.targets) > 0 }

// Update writes the files again if there are findings that they do not have.
func (r *Recorder) Update() error {
	if len(r.targets) == 0 || len(r.Run().Findings) == r.written {
		return nil
	}
	return r.write()
}

// Finish writes the files for the last time, and returns the lines for standard error: what no device has told, and, for a text
// without a file, the closing line.
func (r *Recorder) Finish() (lines []string, err error) {
	said := false
	for _, t := range r.targets {
		said = said || t.Format == "text" && t.Pattern == ""
	}
	lines = r.Untold(said)
	if said {
		lines = append(lines, r.Run().Closing())
	}
	return lines, r.write()
}

// write writes the files. A text without one is in the lines of Finish.
func (r *Recorder) write() error {
	run := r.Run()
	r.written = len(run.Findings)
	var err error
	for _, t := range r.targets {
		if t.Pattern != "" {
			err = errors.Join(err, t.Write(context.Background(), run))
		}
	}
	return err
}
