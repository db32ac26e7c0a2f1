package main

import (
	"fmt"
	"os"

	"github.com/spf13/cobra"

	"irgl/internal/engine"
	"irgl/internal/findings"
)

// A reporter makes the reports of irgl run --report; nil for none.
type reporter struct{ r *findings.Recorder }

// newReporter claims the files of the reports.
func newReporter(cmd *cobra.Command, program, list string, seed uint64) (*reporter, error) {
	if list == "" {
		return nil, nil
	}
	if _, err := findings.ParseTargets(list); err != nil {
		return nil, &usageError{cmd.CommandPath(), err}
	}
	if err := replaceReports(list); err != nil {
		return nil, err
	}
	l := findings.NewLog(findings.About{Program: program, Version: engine.Version(), Seed: seed, Checked: true})
	r, notes, err := findings.NewRecorder(l, list, os.Getpid())
	for _, n := range notes {
		fmt.Fprintf(cmd.ErrOrStderr(), "irgl: %s\n", n)
	}
	return &reporter{r}, err
}

// report writes the reports of a run, which may have failed.
func (r *reporter) report(cmd *cobra.Command, x *engine.Executable, failed error) error {
	if r == nil {
		return nil
	}
	x.Report(r.r.Log, failed)
	lines, err := r.r.Finish()
	for _, l := range lines {
		fmt.Fprintf(cmd.ErrOrStderr(), "irgl: %s\n", l)
	}
	return err
}

// replaceReports removes the files that reports replace: those of a run of one program belong to it.
func replaceReports(list string) error {
	targets, err := findings.ParseTargets(list)
	for _, t := range targets {
		if err == nil {
			err = t.Replace()
		}
	}
	return err
}
