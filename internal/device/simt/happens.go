package simt

// This file keeps what threads know of each other's accesses through
// release-acquire chains: vector clocks, kept sparse, in trees that share what they
// have in common. So it may be many threads that release.

// knowledge is a vector clock in parts. Of block b the accesses before its barrier
// number blocks[b].epoch are known, and those of one of its threads before its fence
// number blocks[b].threads[t].tep; of cluster c what its threads did before they
// arrived at the cluster's barrier number clusters[c]. A nil knowledge knows nothing.
//
// Besides, all tasks that tasks counts are known from beginning to end: those that
// came before the launch of a thread that has released.
type knowledge struct {
	tasks    clock
	blocks   *tree[blockClock]
	clusters *tree[uint32]
	pruned   int // its size when it was pruned last
}

// A blockClock is what is known of a block: accesses before a barrier, and beyond that
// those of threads that have released since.
type blockClock struct {
	epoch   uint32
	threads *tree[threadClock] // by their numbers in the block; none of an earlier epoch
}

// A threadClock is a thread's own clock: fences, and the barrier count of its
// block at that time, by which entries become superfluous.
type threadClock struct{ tep, bep uint32 }

// covers reports whether k knows an access of a thread of l.
func (k *knowledge) covers(l *launch, thread uint64, a *access) bool {
	if k == nil {
		return false
	}
	if t := &l.item.task; k.tasks.at(t.stream.id) >= t.number {
		return true
	}
	block := l.blockOfThread(thread)
	if k.clusters != nil {
		if n, _ := k.clusters.get(l.span.firstBlock + uint64(l.clusterOf(block))); n > a.cep {
			return true
		}
	}
	known, _ := k.blocks.get(l.span.firstBlock + uint64(block))
	if known.epoch > a.bep {
		return true
	}
	c, _ := known.threads.get((thread - l.span.first) % uint64(l.tpb))
	return c.tep > a.tep
}

// merged returns the union of a and b; it is one of them if that holds the other. They
// are never changed after they were made.
func merged(a, b *knowledge) *knowledge {
	switch {
	case a == nil || a == b:
		return b
	case b == nil:
		return a
	}
	k := &knowledge{blocks: union(a.blocks, b.blocks, joinBlocks), clusters: union(a.clusters, b.clusters, joinEpochs), pruned: max(a.pruned, b.pruned)}
	switch {
	case k.blocks == a.blocks && k.clusters == a.clusters && b.tasks.within(a.tasks):
		return a
	case k.blocks == b.blocks && k.clusters == b.clusters && a.tasks.within(b.tasks):
		return b
	}
	k.tasks = joined(a.tasks, b.tasks)
	return k
}

func joinEpochs(a, b uint32) uint32 { return max(a, b) }

func joinThreads(a, b threadClock) threadClock {
	if b.tep > a.tep {
		return b
	}
	return a
}

func joinBlocks(a, b blockClock) blockClock {
	epoch := max(a.epoch, b.epoch)
	return blockClock{epoch, union(a.since(epoch), b.since(epoch), joinThreads)}
}

// since returns the clocks of threads that a barrier has not made superfluous.
func (c blockClock) since(epoch uint32) *tree[threadClock] {
	if c.epoch == epoch {
		return c.threads
	}
	return c.threads.filter(func(_ uint64, t threadClock) bool { return t.bep >= epoch })
}

// threadSync is the state of one thread that has fenced or acquired.
type threadSync struct {
	tep     uint32             // fences so far
	know    *knowledge         // acquired, and fenced
	pending [scopes]*knowledge // read by strong reads, not fenced yet
	release [scopes]*knowledge // what strong writes publish: known at the last fence
	from    [scopes]*syncLoc   // last place acquired from
	version [scopes]uint32     // and its version then
}

// A syncKey names a place that threads of a group synchronise by: those of one
// block, cluster or device, or all of them.
type syncKey struct {
	buf   *buffer
	off   uint64
	scope scope
	group uint64
}

// A syncLoc is such a place.
type syncLoc struct {
	know    *knowledge
	version uint32
}

func (w *warp) threadSync(lane int) *threadSync {
	if w.sync[lane] == nil {
		w.sync[lane], w.synced = &threadSync{}, true
	}
	return w.sync[lane]
}

// fence makes what a lane has read part of what it knows, and all that it
// knows and did part of what its later strong writes publish, within a scope.
func (r *raceState) fence(w *warp, lane int, within scope) {
	s := w.threadSync(lane)
	s.acquire(within)
	s.tep++
	release := r.prune(merged(merged(s.know, w.b.know), s.own(w, lane)))
	for _, level := range w.l.levels {
		if level <= within {
			s.release[level] = release
		}
	}
}

// acquire makes what was read from threads within a scope part of what is known.
func (s *threadSync) acquire(within scope) {
	for level := range s.pending[:within+1] {
		s.know = merged(s.know, s.pending[level])
		s.pending[level] = nil
	}
}

// prune returns k without what its tasks say anyhow, and without launches that have
// left the epoch, if it has become large since that was done last.
func (r *raceState) prune(k *knowledge) *knowledge {
	if k == nil || k.blocks.len()+k.clusters.len() <= 2*k.pruned+pruneFrom {
		return k
	}
	wanted := func(block uint64) bool {
		l := r.launchOfBlock(block)
		return l != nil && k.tasks.at(l.item.task.stream.id) < l.item.task.number
	}
	out := &knowledge{tasks: k.tasks}
	out.blocks = k.blocks.filter(func(block uint64, _ blockClock) bool { return wanted(block) })
	out.clusters = k.clusters.filter(func(cluster uint64, _ uint32) bool { return wanted(cluster) })
	out.pruned = out.blocks.len() + out.clusters.len()
	return out
}

// pruneFrom is the size from which a knowledge is pruned.
const pruneFrom = 1 << 12

// strong follows a strong access: a read takes over what the place carries, a
// write publishes what the thread knew at its last fence. Both do so within their
// scope: what is published for a block no other block takes over.
func (r *raceState) strong(w *warp, in *inst, lane int, loc *location, write bool) {
	if in.release {
		r.fence(w, lane, in.scope)
	}
	isRead := !write || in.f3 != nil // an atomic does both
	if isRead && len(r.locs) > 0 {
		r.read(w, in, lane, loc)
	}
	if in.acquire {
		w.threadSync(lane).acquire(in.scope)
	}
	s := w.sync[lane]
	if !write || s == nil {
		return
	}
	for _, level := range w.l.levels {
		if level > in.scope || s.release[level] == nil {
			continue
		}
		key := syncKey{loc.buf, loc.off, level, w.b.group.number(w.b, level)}
		p := r.locs[key]
		if p == nil {
			p = &syncLoc{}
			r.locs[key] = p
		}
		if k := merged(p.know, s.release[level]); k != p.know {
			p.know = r.prune(k)
			p.version++
		}
	}
}

// read takes over what a place carries.
func (r *raceState) read(w *warp, in *inst, lane int, loc *location) {
	for _, level := range w.l.levels {
		if level > in.scope {
			return
		}
		p := r.locs[syncKey{loc.buf, loc.off, level, w.b.group.number(w.b, level)}]
		if p == nil || p.know == nil {
			continue
		}
		s := w.threadSync(lane)
		if s.from[level] != p || s.version[level] != p.version {
			s.pending[level] = merged(s.pending[level], p.know)
			s.from[level], s.version[level] = p, p.version
		}
	}
}

// arriveBarrier gives a block what its lanes have acquired; completeBarrier
// is called when its threads go on. What a lane has read but not fenced stays
// its own: the barrier orders accesses for the block's threads only, and need
// not drop what they have in their cache of what other blocks wrote.
func (r *raceState) arriveBarrier(w *warp, m uint32) {
	if r == nil {
		return
	}
	for ; m != 0; m &= m - 1 {
		s := w.sync[lowest(m)]
		if s == nil || s.know == nil {
			continue
		}
		w.b.know = merged(w.b.know, s.know)
		s.know = nil
	}
}

// completeBarrier drops what the barrier has made superfluous.
func (r *raceState) completeBarrier(b *block) {
	if r == nil || b.know == nil {
		return
	}
	b.know = r.prune(b.know)
}
