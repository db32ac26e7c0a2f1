package simt

import (
	"fmt"
	"math/bits"

	"irgl/internal/device"
)

// A cluster is blocks that are resident together and have a barrier of their own
// (PTX ISA, barrier.cluster). A kernel without clusters has one block in each.
//
// The barrier has two halves: a thread arrives, and later waits until all threads
// of the cluster that have not ended have arrived. It arrives again only after it
// has waited, so two barriers never overlap, and one number says where all are.
type cluster struct {
	l      *launch
	index  uint32
	blocks []*block // by rank
	phase  uint32   // barriers that are complete

	// For the race detector: what threads that have arrived release, and what
	// threads that wait acquire.
	know, released *knowledge
}

// clusterLanes are the lanes of a warp between the halves of a barrier: arrived at
// one that is not complete, or at one that is.
type clusterLanes struct{ arrived, open uint32 }

// leave forgets lanes that have ended.
func (c *clusterLanes) leave(m uint32) {
	c.arrived &^= m
	c.open &^= m
}

// maxCluster is the most blocks of a cluster, as on compute capability 9.0.
const maxCluster = 16

// setCluster takes the arguments of .reqnctapercluster.
func (k *kernel) setCluster(name string, args []int64) error {
	size, blocks := [3]uint32{1, 1, 1}, int64(1)
	for i, n := range args {
		if i >= len(size) || n < 1 || n > maxCluster || blocks*n > maxCluster {
			return fmt.Errorf("kernel %s: a cluster of %v blocks: it can have %d", name, args, maxCluster)
		}
		size[i] = uint32(n)
		blocks *= n
	}
	k.cluster = device.Dim3{X: size[0], Y: size[1], Z: size[2]}
	return nil
}

// clusters is the grid in clusters.
func (l *launch) clusters() device.Dim3 {
	c := l.k.cluster
	return device.Dim3{X: l.grid.X / c.X, Y: l.grid.Y / c.Y, Z: l.grid.Z / c.Z}
}

// blockOf returns the block of a rank in a cluster, clusterOf the cluster of a
// block.
func (l *launch) blockOf(cluster, rank uint32) uint32 {
	if l.per == 1 {
		return cluster
	}
	// A grid is cut into boxes of blocks; both count x first.
	at, in := coordsIn(l.clusters(), cluster), coordsIn(l.k.cluster, rank)
	c := l.k.cluster
	return at[0]*c.X + in[0] + l.grid.X*(at[1]*c.Y+in[1]+l.grid.Y*(at[2]*c.Z+in[2]))
}

func (l *launch) clusterOf(block uint32) uint32 {
	if l.per == 1 {
		return block
	}
	at, c, n := l.coords(block), l.k.cluster, l.clusters()
	return at[0]/c.X + n.X*(at[1]/c.Y+n.Y*(at[2]/c.Z))
}

// clusterSpecial returns a special register about the block's cluster.
func (b *block) clusterSpecial(name string) uint32 {
	c, at := b.l.k.cluster, b.ctaid
	in := [3]uint32{at[0] % c.X, at[1] % c.Y, at[2] % c.Z}
	axis := int(name[len(name)-1] - 'x')
	switch name[:len(name)-2] {
	case "%cluster_ctaid":
		return in[axis]
	case "%cluster_nctaid":
		return size(c)[axis]
	case "%clusterid":
		return at[axis] / size(c)[axis]
	case "%nclusterid":
		return size(b.l.clusters())[axis]
	}
	if name == "%cluster_nctarank" {
		return uint32(b.l.per)
	}
	return in[0] + c.X*(in[1]+c.Y*in[2])
}

func size(d device.Dim3) [3]uint32 { return [3]uint32{d.X, d.Y, d.Z} }

// coordsIn returns the place of number i in a box.
func coordsIn(box device.Dim3, i uint32) [3]uint32 {
	return [3]uint32{i % box.X, i / box.X % box.Y, i / box.X / box.Y}
}

// clusterBarrier executes half a barrier for all lanes of sp.
func (w *warp) clusterBarrier(sp *split, in *inst) {
	m := sp.mask
	if in.aligned && m != w.alive {
		w.divergentBarrier(in, m)
		return
	}
	if in.sub == barClusterWait {
		if absent := m &^ (w.met.arrived | w.met.open); absent != 0 {
			w.misused(in, wrongBarrier, "%s waits at the cluster's barrier and has not arrived there", w.thread(lowest(absent)))
			return
		}
		if m&^w.met.open != 0 { // the last to arrive lets it go on: see check
			sp.state = atCluster
			return
		}
		w.passCluster(sp)
		return
	}
	if twice := m & (w.met.arrived | w.met.open); twice != 0 {
		w.misused(in, wrongBarrier, "%s arrives at the cluster's barrier again and has not waited there", w.thread(lowest(twice)))
		return
	}
	w.races().arriveCluster(w, m, in.sub == barClusterRelaxed)
	w.met.arrived |= m
	sp.pc++
	w.b.group.check()
}

// passCluster lets lanes go on that wait at a barrier which is complete.
func (w *warp) passCluster(sp *split) {
	w.races().passCluster(w, sp.mask)
	w.met.open &^= sp.mask
	sp.state = ready
	sp.pc++
}

// check completes the barrier at which all have arrived; it is called when threads
// have, or have ended.
func (c *cluster) check() {
	arrived := 0
	for _, b := range c.blocks {
		for _, w := range b.warps {
			if w.alive&^w.met.arrived != 0 {
				return
			}
			arrived += bits.OnesCount32(w.met.arrived)
		}
	}
	if arrived == 0 { // no thread is left, or between two barriers
		return
	}
	c.l.counters.Barriers += uint64(len(c.blocks))
	c.l.progress()
	c.l.races.completeCluster(c)
	c.phase++
	for _, b := range c.blocks {
		for _, w := range b.warps {
			// Lanes that do other work in between find it complete when they wait.
			w.met = clusterLanes{open: w.met.arrived}
			for _, sp := range w.splits {
				if sp.state == atCluster {
					w.passCluster(sp)
				}
			}
			w.mergeReady()
		}
	}
}

// arrivals returns how many of the cluster's barriers a lane has arrived at.
func (c *cluster) arrivals(w *warp, lane int) uint32 {
	return c.phase + w.met.arrived>>lane&1
}

// arriveCluster gives a cluster what its lanes release. What they did themselves goes
// without saying if all arrivals release: then it is what threads of the cluster did
// before they arrived. In a kernel where some do not, one that does is a fence and
// one that does not, which then publishes what its thread knew at its last fence.
func (r *raceState) arriveCluster(w *warp, m uint32, relaxed bool) {
	if r == nil {
		return
	}
	c := w.b.group
	if !c.l.k.relaxes {
		c.know = merged(c.know, w.b.know)
	}
	for ; m != 0; m &= m - 1 {
		lane := lowest(m)
		if c.l.k.relaxes && !relaxed {
			r.fence(w, lane, scopeCluster)
		}
		switch s := w.sync[lane]; {
		case s == nil:
		case c.l.k.relaxes:
			c.know = merged(c.know, s.release[scopeCluster])
		default:
			c.know = merged(c.know, s.know)
		}
	}
}

// completeCluster makes what was released what is acquired.
func (r *raceState) completeCluster(c *cluster) {
	if r == nil {
		return
	}
	// One number stands for what thousands of threads did, in place of their clocks.
	if !c.l.k.relaxes {
		c.know = merged(c.know, &knowledge{clusters: leaf(c.number(nil, scopeCluster), c.phase+1)})
	}
	c.released, c.know = r.prune(c.know), nil
}

// passCluster has lanes acquire what was released.
func (r *raceState) passCluster(w *warp, m uint32) {
	if r == nil || w.b.group.released == nil {
		return
	}
	for ; m != 0; m &= m - 1 {
		s := w.threadSync(lowest(m))
		s.know = merged(s.know, w.b.group.released)
	}
}
