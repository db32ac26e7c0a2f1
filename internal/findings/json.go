package findings

import (
	"encoding/json"
	"io"

	"irgl/internal/device"
)

// Schema is the version of the JSON form. Fields are added without another number; it changes where one changes its
// meaning or is no longer there.
const Schema = 1

type jsonRun struct {
	Schema    int           `json:"schema"`
	Tool      jsonTool      `json:"tool"`
	Program   string        `json:"program"`
	Complete  bool          `json:"complete"`
	Emulation jsonEmulation `json:"emulation"`
	Kernels   []Kernel      `json:"kernels"`
	Findings  []jsonFinding `json:"findings"`
}

type jsonTool struct {
	Name    string `json:"name"`
	Version string `json:"version"`
}

type jsonEmulation struct {
	Devices         int      `json:"devices"`
	Multiprocessors int      `json:"multiprocessors"`
	Seed            uint64   `json:"seed"`
	Checked         []string `json:"checked"`
	NotChecked      []string `json:"notChecked"`
	NotEmulated     []string `json:"notEmulated"`
}

type jsonFinding struct {
	Rule        string     `json:"rule"`
	Name        string     `json:"name"`
	Level       string     `json:"level"`
	Message     string     `json:"message"`
	Kernel      string     `json:"kernel,omitempty"`
	Memory      string     `json:"memory,omitempty"`
	Element     string     `json:"element,omitempty"`
	Device      int        `json:"device"`
	Count       int        `json:"count"`
	Bytes       int64      `json:"bytes,omitempty"`
	Fingerprint string     `json:"fingerprint"`
	Sites       []jsonSite `json:"sites"`
}

type jsonSite struct {
	Role    string      `json:"role"`
	What    string      `json:"what"`
	Kernel  string      `json:"kernel,omitempty"`
	PTXLine int         `json:"ptxLine,omitempty"`
	Stack   []jsonFrame `json:"stack"`
}

type jsonFrame struct {
	Function string `json:"function,omitempty"`
	File     string `json:"file,omitempty"`
	Line     int    `json:"line,omitempty"`
	Column   int    `json:"column,omitempty"`
}

func (r *Run) emulation() jsonEmulation {
	return jsonEmulation{max(1, r.Devices), r.Multiprocessors, r.Seed, r.checks(), append([]string{}, r.unchecked()...), approximations}
}

// writeJSON writes the form of docs/report.schema.json.
func writeJSON(w io.Writer, r *Run) error {
	out := jsonRun{Schema: Schema, Tool: jsonTool{toolName, r.Version}, Program: r.Program, Complete: r.Complete,
		Emulation: r.emulation(), Kernels: append([]Kernel{}, r.Kernels...), Findings: []jsonFinding{}}
	prints := fingerprints(r)
	for i := range r.Findings {
		f := &r.Findings[i]
		rule, _ := RuleOf(f.Rule)
		j := jsonFinding{Rule: rule.ID, Name: rule.Name, Level: rule.Level, Message: f.Message, Kernel: f.Kernel, Memory: f.Memory,
			Element: f.Element, Device: f.Device, Count: max(1, f.Count), Bytes: max(0, f.size), Fingerprint: prints[i], Sites: []jsonSite{}}
		for _, s := range f.Sites {
			j.Sites = append(j.Sites, jsonSite{s.Role, s.What, s.Kernel, s.Line, jsonStack(s.Stack)})
		}
		out.Findings = append(out.Findings, j)
	}
	return encode(w, out)
}

func jsonStack(stack []device.Frame) []jsonFrame {
	out := []jsonFrame{}
	for _, f := range stack {
		out = append(out, jsonFrame{f.Function, f.Position.File, f.Position.Line, f.Position.Column})
	}
	return out
}

// toolName is what reports call what has made them.
const toolName = "irgl emulator"

// encode writes JSON for people, too.
func encode(w io.Writer, v any) error {
	e := json.NewEncoder(w)
	e.SetIndent("", "  ")
	e.SetEscapeHTML(false)
	return e.Encode(v)
}
