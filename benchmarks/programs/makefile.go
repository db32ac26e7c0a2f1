package main

import (
	"context"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// runTarget is the run of a row whose Makefile says what it is.
const runTarget = "make run"

// makefileRun returns the commands of the target run of the Makefile in a folder, with its
// variables expanded, as make prints them without executing them. Those that it would execute
// to build the program are left out. Commands that other targets have, too, such as cd, count
// as often as they are printed for run alone.
func makefileRun(ctx context.Context, folder string) (string, error) {
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	all, err := dryMake(ctx, folder, "run")
	if err != nil {
		return "", err
	}
	builds, err := dryMake(ctx, folder)
	if err != nil {
		return "", err
	}
	building := map[string]int{}
	for _, l := range builds {
		building[l]++
	}
	var run []string
	for _, l := range all {
		if building[l] > 0 {
			building[l]--
			continue
		}
		run = append(run, strings.TrimPrefix(l, "time "))
	}
	if len(run) == 0 {
		return "", fmt.Errorf("%s: target run executes nothing", filepath.Join(folder, "Makefile"))
	}
	return strings.Join(run, "\n"), nil
}

// dryMake returns the commands that make would execute for targets.
func dryMake(ctx context.Context, folder string, targets ...string) ([]string, error) {
	cmd := exec.CommandContext(ctx, "make", append([]string{"-n", "--no-print-directory", "LAUNCHER="}, targets...)...)
	cmd.Dir = folder
	cmd.WaitDelay = time.Second
	var stderr strings.Builder
	cmd.Stderr = &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("make -n %s: %w: %s", strings.Join(targets, " "), err, lastLine(stderr.String()))
	}
	var lines []string
	joined := strings.ReplaceAll(string(out), "\\\n", " ")
	for _, l := range strings.Split(joined, "\n") {
		l = strings.TrimSpace(l)
		if l == "" || strings.HasPrefix(l, "#") || strings.HasPrefix(l, "echo ") || strings.HasPrefix(l, "make: ") {
			continue
		}
		lines = append(lines, l)
	}
	return lines, nil
}

func lastLine(text string) string {
	lines := strings.Split(strings.TrimSpace(text), "\n")
	return lines[len(lines)-1]
}
