package ptxgen

import (
	"fmt"
	"strconv"
	"strings"

	"irgl/internal/source"
	"irgl/internal/ssa"
)

// This file has features that not all targets support: clusters of blocks (PTX
// ISA, sections 2.2.2 and 9.7.13: .reqnctapercluster, barrier.cluster),
// introduced with sm_90 and PTX 7.8, and reductions of a warp, with sm_80.

const (
	clusterTarget  = 90
	clusterVersion = 708
	relaxedVersion = 800 // supports .relaxed arrivals
)

// number returns the resolved target as a number, and the version as 100 times
// the major number plus the minor one.
func (o Options) number() (target, version int) {
	target, _ = strconv.Atoi(strings.Trim(o.Target, "sm_af"))
	return target, versionNumber(o.Version)
}

// versionNumber returns a version of PTX as 100 times the major number plus the minor one.
func versionNumber(version string) int {
	major, minor, _ := strings.Cut(version, ".")
	high, _ := strconv.Atoi(major)
	low, _ := strconv.Atoi(minor)
	return 100*high + low
}

// Refuse reports the features in m that devices of the target lack, at their
// first position in the source. [Generate] requires a module in which it found
// none.
func Refuse(m *ssa.Module, o Options, diags *source.List) {
	chosen := o.Version != ""
	o, err := o.resolve()
	target, version := o.number()
	if err == nil {
		refuseAsm(m, o, chosen, diags)
	}
	if err != nil || target >= clusterTarget && version >= clusterVersion {
		return
	}
	for _, f := range m.Funcs {
		pos, found := f.Pos, f.Cluster != [3]int{}
		for _, b := range f.Blocks {
			for _, v := range b.Values {
				if !found && ofClusters(v) {
					pos, found = v.Pos, true
				}
			}
		}
		if found {
			diags.Errorf(pos, pos, codeTarget, "clusters of blocks need sm_90 and PTX 7.8; this is made for %s and PTX %s", o.Target, o.Version).Hint =
				"choose --target=sm_90 and a device that has it, or do without clusters: for loops that are outlined [[scope(block, N)]], --scope=block:N or grid"
			return
		}
	}
}

// refuseAsm reports the first inline PTX in each function that the target lacks, or a version that was chosen: another
// is raised to what it needs.
func refuseAsm(m *ssa.Module, o Options, chosen bool, diags *source.List) {
	for _, f := range m.Funcs {
		refuseAsmIn(f, o, chosen, diags)
	}
}

func refuseAsmIn(f *ssa.Func, o Options, chosen bool, diags *source.List) {
	for _, b := range f.Blocks {
		for _, v := range b.Values {
			a, ok := v.Asm()
			if !ok {
				continue
			}
			n, version := asmNeed(a), o.Version
			if !chosen {
				version = strconv.FormatFloat(n.Version, 'f', 1, 64)
			}
			switch {
			case n.Met(version, o.Target):
				continue
			case strings.Contains(a.Template, "redux.sync."):
				diags.Errorf(v.Pos, v.Pos, codeTarget, "__reduce_add_sync and its like need sm_80; this is made for %s", o.Target).Hint =
					"choose --target=sm_80, or reduce with __shfl_xor_sync"
			default:
				diags.Errorf(v.Pos, v.Pos, codeTarget, "inline PTX needs %s; this is made for %s and PTX %s", n, o.Target, o.Version).Hint =
					fmt.Sprintf("choose --target=sm_%d, or test __CUDA_ARCH__ >= %d0", n.Target, n.Target)
			}
			return
		}
	}
}

// ofClusters reports whether v exists on devices with clusters only.
func ofClusters(v *ssa.Value) bool {
	switch v.Op {
	case ssa.OpClusterBarrier:
		return true
	case ssa.OpFence:
		fence, _ := v.Sym.(ssa.Fence)
		return fence.Scope == ssa.ScopeCluster
	case ssa.OpSpecial:
		r := v.Sym.String()
		return strings.HasPrefix(r, "cluster") || strings.HasPrefix(r, "ncluster")
	}
	return false
}

// clusterStep returns the instruction for an arrival or wait. Without a suffix for
// its order an arrival releases and a wait acquires; before PTX 8.0 there is no
// .relaxed, and a relaxed arrival is emitted as a release.
func (g *fgen) clusterStep(step ssa.ClusterStep) string {
	switch _, version := g.opts.number(); {
	case step == ssa.ClusterWait:
		return "wait"
	case step == ssa.ClusterArriveRelaxed && version >= relaxedVersion:
		return "arrive.relaxed"
	}
	return "arrive"
}
