package klap_test

import (
	"bytes"
	"cmp"
	"fmt"
	"regexp"
	"strings"
	"testing"

	"github.com/rogpeppe/go-internal/txtar"

	"irgl/internal/golden"
	"irgl/internal/klap"
)

var forms = []string{"basic", "aggregate:2", "aggregate:128", "overlap", "aggregate:4,overlap"}

// TestPromote has the programs of testdata/promote do in each form what they do as they are, in several schedules, with
// fewer resident blocks than a pool has, and with a pool of memory that is exhausted.
func TestPromote(t *testing.T) {
	golden.Each(t, "testdata/promote/*.txtar", func(t *testing.T, a *txtar.Archive) {
		p := parseProgram(t, t.Name(), a)
		plain, err := compiled(p.text, klap.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, direct, err := p.result(plain, 0)
		if err != nil {
			t.Fatal(err)
		}
		var table bytes.Buffer
		fmt.Fprintf(&table, "none: %s\n", direct.Counted())
		exhausted := false
		for i, form := range forms {
			if testing.Short() && i != 4 {
				continue
			}
			for _, pool := range []string{"1M", "256"} {
				var o klap.Options
				if err := o.SetPromote(form); err != nil {
					t.Fatal(err)
				}
				if err := o.SetPool(pool); err != nil {
					t.Fatal(err)
				}
				u, err := compiled(p.text, o)
				if err != nil {
					t.Fatalf("%s: %v", form, err)
				}
				for seed := range uint64(4) {
					p.multiprocessors = int(seed%2) * int(seed)
					if testing.Short() && seed != 1 {
						continue
					}
					got, r, err := p.result(u, seed)
					if err != nil {
						t.Fatalf("%s, pool %s, seed %d: %v", form, pool, seed, err)
					}
					if !bytes.Equal(got, want) {
						t.Errorf("%s, pool %s, seed %d: %s", form, pool, seed, difference(got, want))
						break
					}
					if exhausted = exhausted || r.Exhausted > 0; r.Exhausted > 0 && pool == "1M" {
						t.Errorf("%s: the pool is exhausted %d times", form, r.Exhausted)
					}
					if pool == "1M" && seed == 0 {
						fmt.Fprintf(&table, "%s: %s\n", form, r.Counted())
					}
				}
			}
		}
		if !testing.Short() {
			if !exhausted {
				t.Error("no pool is exhausted")
			}
			golden.Section(t, a, "launches", table.String())
		}
	})
}

// TestPromoteOptions reads what the command line may say, and refuses the rest.
func TestPromoteOptions(t *testing.T) {
	for text, want := range map[string]string{
		"": "true 0 false", "basic": "true 0 false", "none": "false 0 false", "overlap": "true 0 true", "aggregate:128": "true 128 false",
		"aggregate:2,overlap": "true 2 true", "overlap,aggregate:65535": "true 65535 true",
		"aggregate": "refused", "aggregate:1": "refused", "aggregate:65536": "refused", "aggregate:x": "refused", "overlap,overlap": "refused",
		"aggregate:2,aggregate:3": "refused", "basic,overlap": "refused", "all": "refused", "overlap,": "refused", "none,overlap": "refused",
	} {
		o := klap.Options{Promote: true, Aggregate: 3, Overlap: true}
		got := "refused"
		if err := o.SetPromote(text); err == nil {
			got = fmt.Sprint(o.Promote, o.Aggregate, o.Overlap)
		} else if !strings.Contains(err.Error(), "want ") {
			t.Errorf("SetPromote(%q): %v", text, err)
		}
		if got != want {
			t.Errorf("SetPromote(%q) gives %s, want %s", text, got, want)
		}
	}
}

// promoteFaults are parts of promote.cu, and what is wrong in their place.
var promoteFaults = []struct{ name, part, text string }{
	{"no release", "st.release.gpu", "st.relaxed.gpu"},
	{"no acquire", "ld.acquire.gpu", "ld.relaxed.gpu"},
	{"a narrow acquire", "ld.acquire.gpu", "ld.acquire.cta"},
	{"a lost flag", "if (!at->claimed && !known) {", "if (at->next) {\n\t\t\t} else if (!at->claimed && !known) {"},
	{"a lost end", "__klap_say(&__klap_slot_at(pool, i)->begun, 2, 0);", ""},
	{"the end of one block too few", "i < n; i++) {\n\t\t\t__klap_say", "i + 1 < n; i++) {\n\t\t\t__klap_say"},
	{"indices of the grid", "at->index = atomicAdd(&pool->taken, 1u)", "at->index = pool->n - 1 - blockIdx.x"},
	{"the slot of another", "at->next = __klap_slot_at(at->pool, at->index + 1)", "at->next = __klap_slot_at(at->pool, at->index)"},
	{"a pool that is too short", "(unsigned long)n * size + 15", "(unsigned long)(n - 1) * size + 15"},
	{"a pool that goes early", "pool->left = n + 1", "pool->left = 1"},
	{"no end of a pool", "__klap_give(1ull << 36);\n\t\t}", "}"},
	{"no barrier behind the flag", "at->released = all & 0xffffffffu;\n\t}\n\t__syncthreads();", "at->released = all & 0xffffffffu;\n\t}"},
	{"an argument that is lost on its way", "(unsigned long long)value << 32 | v", "v"},
	{"no barrier at the end", "int late) {\n\t__syncthreads();", "int late) {"},
	{"two launches for one", "at->next && atomicExch(&at->claimed, 1u) == 0", "at->next && (at->claimed = 1)"},
	{"slots that are not cleared", "s->begun = 0;\n\t\t\ts->released = 0;", ""},
}

// TestPromoteFaults plants faults in the library of promotion: some program of testdata/promote does something else
// then, has a race, a deadlock or an access that is out of bounds.
func TestPromoteFaults(t *testing.T) {
	var programs []program
	for _, name := range []string{"several", "search", "deep", "order", "entry", "word"} {
		a, err := txtar.ParseFile("testdata/promote/" + name + ".txtar")
		if err != nil {
			t.Fatal(err)
		}
		programs = append(programs, parseProgram(t, name, a))
	}
	for i, f := range promoteFaults {
		if testing.Short() && i > 2 {
			break
		}
		t.Run(f.name, func(t *testing.T) {
			restore := klap.PlantPromote(f.part, f.text)
			if restore == nil {
				t.Fatalf("promote.cu has no %q", f.part)
			}
			defer restore()
			if how := caught(t, programs); how == "" {
				t.Error("no program shows it")
			} else if testing.Verbose() {
				t.Log(how)
			}
		})
	}
}

// caught returns how some program shows that it is wrong in some form; "" for not at all.
func caught(t *testing.T, programs []program) string {
	for _, p := range programs {
		plain, err := compiled(p.text, klap.Options{})
		if err != nil {
			t.Fatal(err)
		}
		want, _, err := p.result(plain, 0)
		if err != nil {
			t.Fatal(err)
		}
		for _, form := range []string{"aggregate:4,overlap", "basic", "aggregate:128"} {
			for _, pool := range []string{"64K", "1K"} {
				var o klap.Options
				if err := cmp.Or(o.SetPromote(form), o.SetPool(pool)); err != nil {
					t.Fatal(err)
				}
				u, err := compiled(p.text, o)
				if err != nil {
					t.Fatal(err)
				}
				for seed := range uint64(3) {
					p.multiprocessors = int(seed)
					got, r, err := p.result(u, seed)
					switch {
					case err != nil:
						return fmt.Sprintf("%s, %s, seed %d: %v", p.name, form, seed, err)
					case !bytes.Equal(got, want):
						return fmt.Sprintf("%s, %s, seed %d: %s", p.name, form, seed, difference(got, want))
					case pool == "64K" && r.Exhausted > 0:
						return fmt.Sprintf("%s, %s, seed %d: the pool is exhausted", p.name, form, seed)
					}
				}
			}
		}
	}
	return ""
}

// TestPromotePTX has the flags be released and acquired at device scope, by loads in a loop of three instructions, and no
// load by the non-coherent cache of what an instance in front may have written.
func TestPromotePTX(t *testing.T) {
	a, err := txtar.ParseFile("testdata/promote/deep.txtar")
	if err != nil {
		t.Fatal(err)
	}
	text := parseProgram(t, "deep", a).text
	plain, err := compiled(text, klap.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(plain.PTXText(), "ld.global.nc") {
		t.Error("the program as it is has no load by the non-coherent cache")
	}
	for _, form := range forms {
		var o klap.Options
		if err := o.SetPromote(form); err != nil {
			t.Fatal(err)
		}
		u, err := compiled(text, o)
		if err != nil {
			t.Fatal(err)
		}
		ptx := u.PTXText()
		wait := regexp.MustCompile(`(?m)^(\$\w+):\n(\s*\.loc.*\n)*\s*ld\.acquire\.gpu\.global\.[su]64 (%rd\d+), \[%rd\d+\];\n(\s*\.loc.*\n)*\s*setp\.\w+\.[su]64 (%p\d+), (%rd\d+), 0;\n(\s*\.loc.*\n)*\s*@(%p\d+) bra (\$\w+);`)
		m := wait.FindStringSubmatch(ptx)
		if m == nil || m[1] != m[9] || m[3] != m[6] || m[5] != m[8] {
			t.Errorf("%s: no loop that waits for a flag: %q", form, m)
		}
		if !strings.Contains(ptx, "st.release.gpu.global.u64") || strings.Contains(ptx, "ld.volatile.global") {
			t.Errorf("%s: flags are not released", form)
		}
		if strings.Contains(ptx, ".nc") {
			t.Errorf("%s: a load by the non-coherent cache", form)
		}
	}
}
