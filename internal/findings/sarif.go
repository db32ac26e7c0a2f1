package findings

import (
	"io"
	"net/url"
	"os"
	"path/filepath"
	"strings"

	"irgl/internal/device"
)

// The form of SARIF 2.1.0 (OASIS), as far as reports use it.

type sarifLog struct {
	Schema  string     `json:"$schema"`
	Version string     `json:"version"`
	Runs    []sarifRun `json:"runs"`
}

type sarifRun struct {
	Tool        sarifTool         `json:"tool"`
	Automation  sarifAutomation   `json:"automationDetails"`
	Invocations []sarifInvocation `json:"invocations"`
	Results     []sarifResult     `json:"results"`
	ColumnKind  string            `json:"columnKind"`
	Properties  map[string]any    `json:"properties"`
}

// A sarifAutomation tells the runs of several programs apart, which a service gets together.
type sarifAutomation struct {
	ID string `json:"id"`
}

type sarifTool struct {
	Driver sarifDriver `json:"driver"`
}

type sarifDriver struct {
	Name    string      `json:"name"`
	Version string      `json:"version,omitempty"`
	Rules   []sarifRule `json:"rules"`
}

type sarifRule struct {
	ID                   string             `json:"id"`
	Name                 string             `json:"name"`
	ShortDescription     sarifText          `json:"shortDescription"`
	Help                 sarifText          `json:"help"`
	DefaultConfiguration sarifConfiguration `json:"defaultConfiguration"`
}

type sarifConfiguration struct {
	Level string `json:"level"`
}

type sarifText struct {
	Text string `json:"text"`
}

type sarifInvocation struct {
	ExecutionSuccessful bool        `json:"executionSuccessful"`
	Notifications       []sarifNote `json:"toolExecutionNotifications"`
}

type sarifNote struct {
	Level   string    `json:"level"`
	Message sarifText `json:"message"`
}

type sarifResult struct {
	RuleID              string            `json:"ruleId"`
	RuleIndex           int               `json:"ruleIndex"`
	Level               string            `json:"level"`
	Message             sarifText         `json:"message"`
	Locations           []sarifLocation   `json:"locations,omitempty"`
	RelatedLocations    []sarifLocation   `json:"relatedLocations,omitempty"`
	Stacks              []sarifStack      `json:"stacks,omitempty"`
	OccurrenceCount     int               `json:"occurrenceCount"`
	PartialFingerprints map[string]string `json:"partialFingerprints"`
	Properties          map[string]any    `json:"properties,omitempty"`
}

type sarifLocation struct {
	ID       *int           `json:"id,omitempty"`
	Message  *sarifText     `json:"message,omitempty"`
	Physical *sarifPhysical `json:"physicalLocation,omitempty"`
	Logical  []sarifLogical `json:"logicalLocations,omitempty"`
}

type sarifPhysical struct {
	Artifact sarifArtifact `json:"artifactLocation"`
	Region   sarifRegion   `json:"region"`
}

type sarifArtifact struct {
	URI string `json:"uri"`
}

type sarifRegion struct {
	StartLine   int `json:"startLine"`
	StartColumn int `json:"startColumn,omitempty"`
}

type sarifLogical struct {
	Name string `json:"name"`
	Kind string `json:"kind"`
}

type sarifStack struct {
	Message sarifText    `json:"message"`
	Frames  []sarifFrame `json:"frames"`
}

type sarifFrame struct {
	Location sarifLocation `json:"location"`
}

// sarifSchema is where the schema is published.
const sarifSchema = "https://docs.oasis-open.org/sarif/sarif/v2.1.0/errata01/os/schemas/sarif-schema-2.1.0.json"

// writeSARIF writes a log of one run. The location of a result is where the fault is; the others, the second access of a race and the
// allocation, are related locations.
func writeSARIF(w io.Writer, r *Run) error {
	run := sarifRun{ColumnKind: "unicodeCodePoints", Results: []sarifResult{}, Properties: map[string]any{"program": r.Program, "emulation": r.emulation(), "kernels": append([]Kernel{}, r.Kernels...)}}
	run.Automation.ID = "irgl/" + r.Program + "/"
	run.Tool.Driver = sarifDriver{Name: toolName, Version: r.Version}
	for _, rule := range rules {
		run.Tool.Driver.Rules = append(run.Tool.Driver.Rules, sarifRule{rule.ID, rule.Name, sarifText{rule.Short}, sarifText{rule.Help}, sarifConfiguration{rule.Level}})
	}
	run.Invocations = []sarifInvocation{{r.Complete, []sarifNote{{"note", sarifText{r.Closing()}}}}}
	prints := fingerprints(r)
	root, _ := os.Getwd()
	for i := range r.Findings {
		f := &r.Findings[i]
		rule, _ := RuleOf(f.Rule)
		out := sarifResult{RuleID: rule.ID, RuleIndex: ruleIndex(f.Rule), Level: rule.Level, Message: sarifText{f.Message}, OccurrenceCount: max(1, f.Count),
			PartialFingerprints: map[string]string{"irglFault/v1": prints[i]}, Properties: map[string]any{"device": f.Device}}
		if f.Memory != "" {
			out.Properties["memory"] = f.Memory
		}
		for j := range f.Sites {
			out.place(&f.Sites[j], root)
		}
		run.Results = append(run.Results, out)
	}
	return encode(w, sarifLog{sarifSchema, "2.1.0", []sarifRun{run}})
}

// place adds a site: the first with a position is the location.
func (r *sarifResult) place(s *Site, root string) {
	at := sarifLocation{Physical: physical(s.Position(), root), Logical: logical(s)}
	if len(s.Stack) > 1 {
		stack := sarifStack{Message: sarifText{s.Role}}
		for _, f := range s.Stack {
			l := sarifLocation{Physical: physical(f.Position, root)}
			if f.Function != "" {
				l.Logical = []sarifLogical{{f.Function, "function"}}
			}
			stack.Frames = append(stack.Frames, sarifFrame{l})
		}
		r.Stacks = append(r.Stacks, stack)
	}
	if len(r.Locations) == 0 && at.Physical != nil {
		r.Locations = []sarifLocation{at}
		return
	}
	if at.Physical == nil && at.Logical == nil {
		return
	}
	id := len(r.RelatedLocations) + 1
	at.ID, at.Message = &id, &sarifText{s.Role + ": " + s.What}
	r.RelatedLocations = append(r.RelatedLocations, at)
}

// logical names the kernel or the function of a site.
func logical(s *Site) []sarifLogical {
	name := s.Kernel
	if name == "" && len(s.Stack) > 0 {
		name = s.Stack[0].Function
	}
	if name == "" {
		return nil
	}
	return []sarifLogical{{name, "function"}}
}

// physical returns a place in a file, nil for one that is not known. Files below the folder that the program runs in are
// named from there, as services that show reports beside the source want it.
func physical(p device.Position, root string) *sarifPhysical {
	if p.File == "" {
		return nil
	}
	return &sarifPhysical{sarifArtifact{fileURI(p.File, root)}, sarifRegion{max(1, p.Line), p.Column}}
}

func fileURI(file, root string) string {
	if filepath.IsAbs(file) && root != "" {
		if rel, err := filepath.Rel(root, file); err == nil && !strings.HasPrefix(rel, "..") {
			file = rel
		}
	}
	u := url.URL{Path: filepath.ToSlash(file)}
	if filepath.IsAbs(file) {
		u.Scheme = "file"
		return u.String()
	}
	return u.EscapedPath()
}
