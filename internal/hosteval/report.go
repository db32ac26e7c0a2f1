package hosteval

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"

	"irgl/internal/findings"
)

// startLog begins the log of what the emulator finds, and claims the files of its reports.
func (m *machine) startLog() error {
	list := m.run.Report
	if m.run.Device != "simt" {
		list = "" // nothing looks for faults
	}
	name := "program"
	if len(m.run.Args) > 0 {
		name = cmp.Or(filepath.Base(m.run.Args[0]), name)
	}
	r, notes, err := findings.NewRecorder(findings.NewLog(findings.About{Program: name, Version: m.run.Version}), list, os.Getpid())
	if err != nil {
		return err
	}
	for _, n := range notes {
		m.errorf("irgl: %s\n", n)
	}
	m.log = r
	return nil
}

// updateLog writes the files of the reports, if there is something new. An error is that of endLog, too.
func (m *machine) updateLog() { _ = m.log.Update() }

// endLog writes the reports, and prints what only they say.
func (m *machine) endLog() error {
	lines, err := m.log.Finish()
	for _, l := range lines {
		m.errorf("irgl: %s\n", l)
	}
	if m.log.Leaked() && m.status == 0 {
		m.status = statusError
	}
	return err
}

// made notes a stream or an event.
func (m *machine) made(c *call, function string, handle uint64) {
	m.number++
	m.log.Made(0, handle, fmt.Sprintf("%s #%d", function, m.number), c.Stack())
}
