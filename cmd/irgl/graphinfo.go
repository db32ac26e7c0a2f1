package main

import (
	"encoding/json"
	"fmt"
	"io"

	"irgl/graph"
	"irgl/internal/source"
	"irgl/internal/tune"
)

// A graphInfo is what irgl graph info prints.
type graphInfo struct {
	Name        string  `json:"name"`
	Format      string  `json:"format,omitempty"`
	Compression string  `json:"compression,omitempty"`
	Nodes       int     `json:"nodes"`
	Edges       int64   `json:"edges"`
	FileEdges   int64   `json:"edges_in_file,omitempty"`
	FirstID     uint64  `json:"first_id"`
	LastID      uint64  `json:"last_id"`
	Unnamed     uint64  `json:"ids_without_node"` // from the first to the last
	SelfLoops   int64   `json:"self_loops"`
	Duplicates  int64   `json:"duplicates"`
	Symmetric   bool    `json:"symmetric"`
	Sorted      bool    `json:"sorted"`
	MinDegree   int64   `json:"min_degree"`
	MeanDegree  float64 `json:"mean_degree"`
	MaxDegree   int64   `json:"max_degree"`
	MaxNode     uint64  `json:"max_degree_node"`
	Isolated    int     `json:"isolated"`
	Components  int     `json:"components"`
	Largest     int     `json:"largest_component"`
	HubShare    float64 `json:"hub_share"` // these as package tune has them
	Levels      int     `json:"levels"`
	Class       string  `json:"class"`
	Weights     *struct {
		Min float64 `json:"min"`
		Max float64 `json:"max"`
		Sum float64 `json:"sum"`
	} `json:"weights"`
}

func newGraphInfo(g *graph.Graph, s graph.Stats) graphInfo {
	out := graphInfo{
		Name: g.Info.Name, Format: string(g.Info.Format), Compression: g.Info.Compression,
		Nodes: s.Nodes, Edges: s.Edges, FileEdges: g.Info.FileEdges,
		SelfLoops: s.SelfLoops, Duplicates: s.Duplicates, Symmetric: s.Symmetric, Sorted: s.Sorted,
		MinDegree: s.MinDegree, MeanDegree: s.MeanDegree, MaxDegree: s.MaxDegree,
		Isolated: s.Isolated, Components: s.Components, Largest: s.LargestComponent,
	}
	f := tune.FeaturesOf(g)
	out.HubShare, out.Levels, out.Class = f.HubShare, f.Levels, f.Class().String()
	if s.Nodes > 0 {
		out.MaxNode = g.ExternalID(s.MaxDegreeNode)
		out.FirstID, out.LastID = g.ExternalID(0), g.ExternalID(uint32(s.Nodes-1))
		out.Unnamed = out.LastID - out.FirstID + 1 - uint64(s.Nodes)
	}
	if g.HasWeights() {
		out.Weights = &struct {
			Min float64 `json:"min"`
			Max float64 `json:"max"`
			Sum float64 `json:"sum"`
		}{s.WeightMin, s.WeightMax, s.WeightSum}
	}
	return out
}

func (i graphInfo) writeJSON(w io.Writer) error { return json.NewEncoder(w).Encode(i) }

func (i graphInfo) writeText(w io.Writer) error {
	yes := map[bool]string{true: "yes", false: "no"}
	format := i.Format
	if i.Compression != "" {
		format += ", " + i.Compression
	}
	if format == "" {
		format = "generated"
	}
	ids := "none"
	if i.Nodes > 0 {
		ids = fmt.Sprintf("%d to %d", i.FirstID, i.LastID)
	}
	if i.Unnamed > 0 {
		ids += fmt.Sprintf(", of which %d name no node", i.Unnamed)
	}
	weights := "none"
	if i.Weights != nil {
		weights = fmt.Sprintf("%g to %g, sum %.15g", i.Weights.Min, i.Weights.Max, i.Weights.Sum)
	}
	_, err := fmt.Fprintf(w, `%s
format       %s
nodes        %d
node ids     %s
edges        %d (directed; %d listed)
self-loops   %d
duplicates   %d
symmetric    %s
sorted       %s
degree       %d to %d (node %d), mean %.2f
isolated     %d
components   %d, the largest of %d nodes
class        %s: %.1f %% of the edges leave the 1 %% largest nodes, %d levels to 4096 nodes
weights      %s
`, source.Visible(i.Name), format, i.Nodes, ids, i.Edges, i.FileEdges, i.SelfLoops, i.Duplicates, yes[i.Symmetric], yes[i.Sorted],
		i.MinDegree, i.MaxDegree, i.MaxNode, i.MeanDegree, i.Isolated, i.Components, i.Largest,
		i.Class, 100*i.HubShare, i.Levels, weights)
	return err
}
