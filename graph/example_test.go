package graph_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"strings"

	"irgl/graph"
)

// The nodes of an edge list are the numbers that appear in it.
func ExampleRead() {
	text := `# FromNodeId ToNodeId
30 1412
30 3
1412 3
`
	g, err := graph.Read(context.Background(), "votes.txt", strings.NewReader(text))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Info.Format, g.NumNodes(), "nodes", g.NumEdges(), "arcs")
	v, _ := g.Lookup(30)
	for _, to := range g.Neighbors(v) {
		fmt.Println("30 ->", g.ExternalID(to))
	}
	// Output:
	// snap 3 nodes 3 arcs
	// 30 -> 1412
	// 30 -> 3
}

// Errors name the file, the line and the reason.
func ExampleRead_error() {
	text := "c a small road network\np sp 3 2\na 1 2 12\na 2 4 7\n"
	_, err := graph.Read(context.Background(), "road.gr", strings.NewReader(text))
	fmt.Println(err)
	// Output:
	// road.gr:4: node 4 is not in 1..3
}

func ExampleGenerate() {
	g, err := graph.Generate(context.Background(), "rmat:10:8:seed=7")
	if err != nil {
		log.Fatal(err)
	}
	s, err := g.Stats(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(g.Info.Name, s.Nodes, s.Edges, "largest degree", s.MaxDegree, "components", s.Components)
	// Output:
	// rmat:10:8:seed=7 1024 6677 largest degree 232 components 216
}

// A weighted graph made symmetric: the smaller weight of the two arcs between
// nodes 0 and 1 counts.
func ExampleGraph_Symmetrize() {
	g, err := graph.FromEdges(3, []uint32{0, 1, 1}, []uint32{1, 0, 2}, []int32{5, 3, 9})
	if err != nil {
		log.Fatal(err)
	}
	sym, err := g.Symmetrize(context.Background())
	if err != nil {
		log.Fatal(err)
	}
	if err := graph.WriteTo(context.Background(), os.Stdout, sym, graph.DIMACS); err != nil {
		log.Fatal(err)
	}
	// Output:
	// p sp 3 4
	// a 1 2 3
	// a 2 1 3
	// a 2 3 9
	// a 3 2 9
}
