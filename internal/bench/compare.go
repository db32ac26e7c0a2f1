package bench

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"irgl/internal/measured"
	"irgl/internal/table"
)

// CompareOptions steer [Compare].
type CompareOptions struct {
	Title    string
	Commands []Command
	Vars     []Var
	Figures  []string // see [Compare]
	Ratio    string   // "A / B": two of the commands; "" for none
	Repeat   int
	Progress func(done, all int, name string) // may be nil
}

// A Command is what [Compare] measures: words in which {NAME} is the value of a variable.
type Command struct {
	Name  string
	Words []string
}

// A Var is a variable of commands, and its values.
type Var struct {
	Name   string
	Values []string
}

// Figures of a process itself, in ms.
const (
	FigureElapsed   = "elapsed"
	FigureProcessor = "processor" // all threads and children
)

// Compare runs commands by turns, for each combination of the values of variables, and
// returns a row for each, with the medians of figures. A figure is one of a process, or the path of
// a number in the JSON object that a command prints, such as time_ms.device; a path through
// an array is the sum over its elements. The first command that fails ends it.
func Compare(ctx context.Context, o CompareOptions) (*measured.Block, error) {
	b := new(measured.Block)
	b.Add("title", o.Title)
	for _, v := range o.Vars {
		b.Table.Columns = append(b.Table.Columns, v.Name)
	}
	across := ""
	if len(o.Vars) > 0 {
		across = o.Vars[len(o.Vars)-1].Name
	}
	if len(o.Commands) > 1 {
		across = "command"
		b.Table.Columns = append(b.Table.Columns, across)
	}
	b.Table.Columns = append(b.Table.Columns, o.Figures...)
	if across != "" {
		b.Add("pivot", across+" "+strings.Join(o.Figures, " "))
	}
	if o.Ratio != "" {
		b.Add("ratio", o.Ratio)
	}
	runs := "one run"
	if o.Repeat > 1 {
		runs = fmt.Sprintf("medians of %d runs by turns", o.Repeat)
	}
	b.Add("note", strings.Join(o.Figures, " / ")+": "+runs+".")
	dir, err := os.MkdirTemp("", "irgl-compare-*")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(dir)
	all := combinations(o.Vars)
	for i, values := range all {
		if o.Progress != nil {
			o.Progress(i, len(all), strings.Join(values, " "))
		}
		medians, err := o.byTurns(ctx, dir, values)
		if err != nil {
			return nil, err
		}
		for k, c := range o.Commands {
			row := slices.Clone(values)
			if len(o.Commands) > 1 {
				row = append(row, c.Name)
			}
			for _, v := range medians[k] {
				row = append(row, short(v))
			}
			b.Table.Add(row...)
		}
	}
	return b, nil
}

// combinations returns all choices of a value for each variable.
func combinations(vars []Var) [][]string {
	out := [][]string{nil}
	for _, v := range vars {
		var longer [][]string
		for _, prefix := range out {
			for _, value := range v.Values {
				longer = append(longer, append(slices.Clone(prefix), value))
			}
		}
		out = longer
	}
	return out
}

// byTurns runs the commands with values of the variables, and returns the medians of the
// figures of each.
func (o *CompareOptions) byTurns(ctx context.Context, dir string, values []string) ([][]float64, error) {
	runs := make([][][]float64, len(o.Commands)) // by command and figure
	for range o.Repeat {
		for k, c := range o.Commands {
			words := slices.Clone(c.Words)
			for i, v := range o.Vars {
				for w := range words {
					words[w] = strings.ReplaceAll(words[w], "{"+v.Name+"}", values[i])
				}
			}
			figures, err := o.figures(ctx, dir, words)
			if err != nil {
				return nil, fmt.Errorf("%s: %w", strings.Join(words, " "), err)
			}
			if runs[k] == nil {
				runs[k] = make([][]float64, len(figures))
			}
			for f, v := range figures {
				runs[k][f] = append(runs[k][f], v)
			}
		}
	}
	medians := make([][]float64, len(runs))
	for k := range runs {
		for _, list := range runs[k] {
			medians[k] = append(medians[k], table.Median(list))
		}
	}
	return medians, nil
}

// figures runs a command once. Its output goes to files: with a pipe, the time of a
// short process would include that of the goroutine that reads it.
func (o *CompareOptions) figures(ctx context.Context, dir string, words []string) ([]float64, error) {
	var files [2]*os.File
	for i, name := range []string{"stdout", "stderr"} {
		f, err := os.Create(filepath.Join(dir, name))
		if err != nil {
			return nil, err
		}
		defer f.Close()
		files[i] = f
	}
	cmd := exec.CommandContext(ctx, words[0], words[1:]...)
	cmd.Stdout, cmd.Stderr = files[0], files[1]
	start := time.Now()
	err := cmd.Run()
	cost := Cost{Wall: time.Since(start)}
	if err != nil {
		said, _ := os.ReadFile(files[1].Name())
		return nil, errors.Join(fmt.Errorf("%w\n%s", err, strings.TrimSpace(string(said))), context.Cause(ctx))
	}
	cost.CPU = cmd.ProcessState.UserTime() + cmd.ProcessState.SystemTime()
	var printed any
	var out []float64
	for _, name := range o.Figures {
		switch name {
		case FigureElapsed:
			out = append(out, milliseconds(cost.Wall))
			continue
		case FigureProcessor:
			out = append(out, milliseconds(cost.CPU))
			continue
		}
		if printed == nil {
			text, err := os.ReadFile(files[0].Name())
			if err != nil {
				return nil, err
			}
			if err := json.Unmarshal(text, &printed); err != nil {
				return nil, fmt.Errorf("the figure %s is one of the JSON that a command prints: %w", name, err)
			}
		}
		v, err := at(printed, strings.Split(name, "."))
		if err != nil {
			return nil, fmt.Errorf("the figure %s: %w", name, err)
		}
		out = append(out, v)
	}
	return out, nil
}

// at returns the number at a path; the sum, where the path passes through arrays.
func at(v any, path []string) (float64, error) {
	switch v := v.(type) {
	case []any:
		sum := 0.0
		for _, e := range v {
			n, err := at(e, path)
			if err != nil {
				return 0, err
			}
			sum += n
		}
		return sum, nil
	case map[string]any:
		if len(path) == 0 {
			return 0, errors.New("it is an object")
		}
		next, ok := v[path[0]]
		if !ok {
			return 0, fmt.Errorf("the output has no %q", path[0])
		}
		return at(next, path[1:])
	case float64:
		if len(path) == 0 {
			return v, nil
		}
	}
	return 0, errors.New("it is not a number")
}

// short prints an integer as it is, and other numbers with four significant digits.
func short(v float64) string {
	if v == math.Trunc(v) && math.Abs(v) < 1e15 {
		return strconv.FormatFloat(v, 'f', 0, 64)
	}
	digits := max(0, 3-int(math.Floor(math.Log10(math.Abs(v)))))
	return strconv.FormatFloat(v, 'f', digits, 64)
}
