package main

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// This file lays out the flags in --help: in groups, one column for the flag with the
// name and so the kind of its value, one for what it does, and each default once.

// usage writes how a command is called, its commands and its flags. It is no template:
// with package text/template the linker keeps every method of every type.
func usage(cmd *cobra.Command) error {
	w := cmd.OutOrStderr()
	fmt.Fprint(w, "Usage:")
	if cmd.Runnable() {
		fmt.Fprintf(w, "\n  %s", cmd.UseLine())
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n  %s COMMAND", cmd.CommandPath())
	}
	if cmd.HasExample() {
		fmt.Fprintf(w, "\n\nExamples:\n%s", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprint(w, "\n\nCommands:")
		for _, c := range cmd.Commands() {
			if c.IsAvailableCommand() || c.Name() == "help" {
				fmt.Fprintf(w, "\n  %-*s %s", c.NamePadding(), c.Name(), c.Short)
			}
		}
	}
	if cmd.HasAvailableLocalFlags() {
		fmt.Fprintf(w, "\n\n%s", flagHelp(cmd.LocalFlags()))
	}
	if cmd.HasAvailableSubCommands() {
		fmt.Fprintf(w, "\n\n'%s COMMAND --help' explains a command.", cmd.CommandPath())
	}
	fmt.Fprintln(w)
	return nil
}

// groupKey is the annotation that holds the name of a flag's group.
const groupKey = "irgl_group"

// The groups of flags, in the order in which help has them. A program's own come first.
const (
	groupProgram  = "Parameters"
	groupInput    = "Input"
	groupOutput   = "Output"
	groupDevice   = "Device"
	groupSwitches = "Optimisation"
	groupDebug    = "Diagnosis"
)

var groups = []string{groupProgram, groupInput, groupOutput, groupDevice, groupSwitches, groupDebug}

// grouped puts the flags that add adds into a group.
func grouped(flags *pflag.FlagSet, group string, add func()) {
	old := map[string]bool{}
	flags.VisitAll(func(f *pflag.Flag) { old[f.Name] = true })
	add()
	flags.VisitAll(func(f *pflag.Flag) {
		if !old[f.Name] && f.Annotations[groupKey] == nil {
			_ = flags.SetAnnotation(f.Name, groupKey, []string{group}) // it is there
		}
	})
}

// helpWidth is the width of help's lines.
const helpWidth = 100

// flagHelp returns the help text of flags.
func flagHelp(flags *pflag.FlagSet) string {
	rows := map[string][][2]string{}
	widest := 0
	flags.VisitAll(func(f *pflag.Flag) {
		if f.Hidden {
			return
		}
		group := ""
		if g := f.Annotations[groupKey]; g != nil {
			group = g[0]
		}
		left, right := flagLine(f)
		rows[group] = append(rows[group], [2]string{left, right})
		widest = max(widest, len(left))
	})
	widest = min(widest, helpWidth/3)
	var b strings.Builder
	for _, group := range append(slices.Clone(groups), "") {
		if rows[group] == nil {
			continue
		}
		title := group
		if group == "" {
			title = "Flags"
			if len(rows) > 1 {
				title = "Other flags"
			}
		}
		if b.Len() > 0 {
			b.WriteByte('\n')
		}
		fmt.Fprintf(&b, "%s:\n", title)
		for _, row := range rows[group] {
			writeFlag(&b, row[0], row[1], widest)
		}
	}
	return strings.TrimRight(b.String(), "\n")
}

// flagLine returns the two columns for a flag: "-o, --output FILE" and what it does.
func flagLine(f *pflag.Flag) (left, right string) {
	value, usage := pflag.UnquoteUsage(f)
	left = "    --" + f.Name
	if f.Shorthand != "" {
		left = "-" + f.Shorthand + ", --" + f.Name
	}
	switch {
	case f.NoOptDefVal == "true": // on by its name alone
	case value != "":
		if text, list := strings.CutSuffix(usage, value+",..."); list { // its name ends the text
			usage, value = text+value, value+",..."
		}
		left += " " + value
		usage = strings.TrimSuffix(strings.TrimSuffix(usage, " ("+strings.TrimSuffix(value, ",...")+")"), ": "+strings.TrimSuffix(value, ",..."))
	}
	switch f.DefValue {
	case "", "0", "0s", "false", "[]":
	default:
		if !strings.Contains(usage, "default") {
			usage += " (default " + f.DefValue + ")"
		}
	}
	return left, usage
}

// writeFlag writes a row, the right column in lines of at most helpWidth columns.
func writeFlag(b *strings.Builder, left, right string, widest int) {
	fmt.Fprintf(b, "  %-*s", widest, left)
	margin := 2 + widest + 2
	at := 2 + max(widest, len(left))
	if at >= margin { // the right column begins on the next line
		b.WriteByte('\n')
		at = 0
	}
	first := true
	for word := range strings.FieldsSeq(right) {
		if !first && at+1+len(word) > helpWidth {
			b.WriteByte('\n')
			at, first = 0, true
		}
		if first {
			fmt.Fprintf(b, "%*s", margin-at, "")
			at, first = margin, false
		} else {
			b.WriteByte(' ')
			at++
		}
		b.WriteString(word)
		at += len(word)
	}
	b.WriteByte('\n')
}

// unnamed says what the empty value of a flag would name, by the placeholder of its
// value.
var unnamed = map[string]string{"FILE": "file", "DIR": "folder", "ARCH": "architecture"}

// named refuses flags whose value is a name, and empty: a script's variable was not
// set, and without a name nothing would be written.
func named(cmd *cobra.Command) error {
	var errs []error
	cmd.Flags().Visit(func(f *pflag.Flag) {
		kind, _ := pflag.UnquoteUsage(f)
		if what := unnamed[kind]; what != "" && f.Value.String() == "" && f.Name != "tuning" {
			errs = append(errs, usagef(cmd, "--%s: the name of the %s is empty", f.Name, what))
		}
	})
	return errors.Join(errs[:min(1, len(errs))]...)
}
