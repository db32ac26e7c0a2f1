package klapbench

import (
	_ "embed"

	"irgl/internal/klap/suite"
)

// costName is the name of the program that measures what a launch costs.
const costName = "launches"

//go:embed cost.cu
var costText string

// costs are the launches whose cost is measured: those of many threads side by side, and a chain of tail launches.
var costs = []Choice{plain(suite.Forget), plain(suite.Tail)}
