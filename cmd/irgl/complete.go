package main

import (
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"irgl/graph"
	"irgl/internal/engine"
)

// completePrograms offers the bundled programs, and files that hold programs.
func completePrograms(_ *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	if len(args) > 0 {
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
	if isFile(toComplete) {
		return []string{"irgl", "cu"}, cobra.ShellCompDirectiveFilterFileExt
	}
	return withPrefix(engine.Programs(), toComplete), cobra.ShellCompDirectiveDefault
}

func withPrefix(list []string, prefix string) []string {
	return slices.DeleteFunc(slices.Clone(list), func(s string) bool { return !strings.HasPrefix(s, prefix) })
}

// completeRun completes irgl run, which parses its flags itself: args are all
// words before the one to complete.
func (f *runFlags) completeRun(cmd *cobra.Command, args []string, toComplete string) ([]string, cobra.ShellCompDirective) {
	flags := cmd.Flags()
	own := map[string]bool{} // cobra offers these itself
	flags.VisitAll(func(f *pflag.Flag) { own[f.Name] = true })
	if name := programArg(flags, args); name != "" && name != "-" {
		// A program that is not there or not right adds no flags.
		if c, err := choose(cmd, name, flagArg(args, "program")); err == nil {
			_, _ = c.addParams(flags)
		}
	} else if len(args) == 0 || !takesValue(flags, args[len(args)-1]) {
		if !strings.HasPrefix(toComplete, "-") {
			return completePrograms(cmd, nil, toComplete)
		}
	}
	if len(args) > 0 && takesValue(flags, args[len(args)-1]) {
		switch strings.TrimLeft(args[len(args)-1], "-") {
		case "device":
			return withPrefix(engine.DeviceNames(), toComplete), cobra.ShellCompDirectiveNoFileComp
		case "program":
			return withPrefix(engine.Solvers(programArg(flags, args)), toComplete), cobra.ShellCompDirectiveNoFileComp
		case "format":
			var names []string
			for _, f := range graph.Formats() {
				names = append(names, string(f))
			}
			return withPrefix(names, toComplete), cobra.ShellCompDirectiveNoFileComp
		}
		return nil, cobra.ShellCompDirectiveDefault
	}
	var out []string
	flags.VisitAll(func(f *pflag.Flag) {
		if strings.HasPrefix("--"+f.Name, toComplete) && !own[f.Name] {
			out = append(out, "--"+f.Name+"\t"+f.Usage)
		}
	})
	return out, cobra.ShellCompDirectiveNoFileComp
}

// takesValue reports whether the word is a flag whose value is the next word.
func takesValue(flags *pflag.FlagSet, word string) bool {
	if !strings.HasPrefix(word, "--") || strings.Contains(word, "=") {
		return false
	}
	f := flags.Lookup(word[2:])
	return f != nil && f.NoOptDefVal == ""
}
