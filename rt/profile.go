package rt

import (
	"bufio"
	"errors"
	"math"
	"time"
)

// A Collect says what a run records of itself.
type Collect uint8

const (
	CollectNothing  Collect = iota
	CollectKernels          // Profile.Kernels
	CollectLaunches         // Profile.Launches, too
)

// A Profile is what a run recorded. Times are in milliseconds; those of starts
// count from the beginning of the run.
type Profile struct {
	Kernels  []KernelProfile // of the last attempt, in order of their first launches
	Launches []LaunchProfile // of all attempts
	Dropped  int64           // launches that were too many for the list
	Restarts []float64       // when the run began again
	Time     float64         // of the whole run
}

// A KernelProfile is the sum over the launches of a kernel.
type KernelProfile struct {
	Name     string
	Launches int64
	Time     float64
	Work
}

// Work is how many items were popped from the worklist, pushed, and retried.
type Work struct{ Items, Pushes, Retries int64 }

// A LaunchProfile is one launch of the kernel of that name.
type LaunchProfile struct {
	Name        string
	Start, Time float64
	Iteration   int64 // rounds that were counted before it
	Work
}

// maxLaunches is how many launches a profile lists.
const maxLaunches = 1 << 20

// A profiler makes a Profile.
type profiler struct {
	collect Collect
	began   time.Time
	index   map[string]int // of kernels
	out     Profile
	now     LaunchProfile // under way
	before  Work          // of lists to which earlier launches have added
}

func newProfiler(c Collect) *profiler {
	if c == CollectNothing {
		return nil
	}
	return &profiler{collect: c, began: time.Now(), index: map[string]int{}}
}

func (p *profiler) clock() float64 { return float64(time.Since(p.began).Nanoseconds()) / 1e6 }

// added returns how many items are in the lists to which kernels add.
func (r *Run) added() Work {
	var x Work
	for _, w := range r.workers {
		x.Pushes += int64(len(w.full)*blockItems + w.pending())
		x.Retries += int64(len(w.retried))
	}
	return x
}

func (p *profiler) begin(r *Run, wl *WL) {
	p.before = r.added()
	p.now = LaunchProfile{Name: r.kernel, Iteration: r.result.Iterations, Start: p.clock()}
	if wl != nil {
		p.now.Items = int64(wl.size)
	}
}

func (p *profiler) end(r *Run) {
	l := p.now
	l.Time = p.clock() - l.Start
	after := r.added()
	l.Pushes, l.Retries = after.Pushes-p.before.Pushes, after.Retries-p.before.Retries
	if p.collect >= CollectLaunches {
		if len(p.out.Launches) < maxLaunches {
			p.out.Launches = append(p.out.Launches, l)
		} else {
			p.out.Dropped++
		}
	}
	i, ok := p.index[l.Name]
	if !ok {
		i = len(p.out.Kernels)
		p.index[l.Name] = i
		p.out.Kernels = append(p.out.Kernels, KernelProfile{Name: l.Name})
	}
	k := &p.out.Kernels[i]
	k.Launches++
	k.Time += l.Time
	k.Items += l.Items
	k.Pushes += l.Pushes
	k.Retries += l.Retries
}

// restart begins the sums again.
func (p *profiler) restart() {
	if p != nil {
		p.out.Kernels, p.index = nil, map[string]int{}
		p.out.Restarts = append(p.out.Restarts, p.clock())
	}
}

func (p *profiler) profile() *Profile {
	if p == nil {
		return nil
	}
	p.out.Time = p.clock()
	return &p.out
}

// putProfile writes how many kernels, launches and restarts there are, how many
// launches were dropped, and the time of the run; then each of them as an array
// with its name. Times among integers are there as their bits.
func putProfile(b *bufio.Writer, p *Profile) {
	bits := func(f float64) int64 { return int64(math.Float64bits(f)) }
	putInts(b, int64(len(p.Kernels)), int64(len(p.Launches)), p.Dropped, bits(p.Time))
	for _, k := range p.Kernels {
		putArray(b, k.Name, "", Int64, []int64{k.Launches, bits(k.Time), k.Items, k.Pushes, k.Retries})
	}
	for _, l := range p.Launches {
		putArray(b, l.Name, "", Int64, []int64{bits(l.Start), bits(l.Time), l.Iteration, l.Items, l.Pushes, l.Retries})
	}
	putArray(b, "", "", Float64, p.Restarts)
}

// profile reads what putProfile wrote.
func (d *decoder) profile() *Profile {
	time := func(bits int64) float64 { return math.Float64frombits(uint64(bits)) }
	kernels, launches := d.int(), d.int()
	p := &Profile{Dropped: d.int(), Time: time(d.int())}
	for i := int64(0); i < kernels && d.err == nil; i++ {
		if name, v := d.named(5); d.err == nil {
			p.Kernels = append(p.Kernels, KernelProfile{name, v[0], time(v[1]), Work{v[2], v[3], v[4]}})
		}
	}
	for i := int64(0); i < launches && d.err == nil; i++ {
		if name, v := d.named(6); d.err == nil {
			p.Launches = append(p.Launches, LaunchProfile{name, time(v[0]), time(v[1]), v[2], Work{v[3], v[4], v[5]}})
		}
	}
	_, _, _, restarts := d.array()
	at, ok := restarts.([]float64)
	if !ok && d.err == nil {
		d.err = errors.New("not a profile")
	}
	if len(at) > 0 {
		p.Restarts = at
	}
	return p
}

// named reads an array of n integers with a name.
func (d *decoder) named(n int) (string, []int64) {
	name, _, _, data := d.array()
	v, ok := data.([]int64)
	if d.err == nil && (!ok || len(v) != n) {
		d.err = errors.New("not a profile")
	}
	return name, v
}
