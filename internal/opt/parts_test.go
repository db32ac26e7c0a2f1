package opt

import (
	"slices"
	"strings"
	"testing"

	"irgl/internal/check"
	"irgl/internal/lower"
	"irgl/internal/source"
	"irgl/internal/tree"
	"irgl/syntax"
)

const twoKernels = `Graph g { Node int a; Node int b; Racy a "it only grows"; Racy b "it only grows"; }
int count;
KERNEL Kernel K(g) {
	OUTER ForAll (i In WL) {
		n = WL.pop(i);
		BLOCK {
			INNER ForAll (e In n.edges) { if (e.dst.a > 2) { WL.push(e.dst); } }
		}
		ForAll (e In n.edges) { atomicMax(&n.b, e.dst.a); atomicAdd(&count, 1); }
	}
}
Kernel L(g) {
	ForAll (i In WL) {
		n = WL.pop(i);
		ForAll (e In n.edges) { if (e.dst.b > 2) { WL.push(e.dst); } }
	}
}
Host main(node v) { Pipe Initial [v] { Invoke K(g); Invoke L(g); } }
`

// inTwoKernels returns twoKernels with attributes at some places: "OUTER [[np(wp)]]; INNER [[batch(2)]]".
func inTwoKernels(attributes string) string {
	text := twoKernels
	for one := range strings.SplitSeq(attributes, ";") {
		at, attribute, _ := strings.Cut(strings.TrimSpace(one), " ")
		if at != "" {
			text = strings.Replace(text, at+" ", attribute+" ", 1)
		}
	}
	return strings.NewReplacer("KERNEL ", "", "OUTER ", "", "BLOCK ", "", "INNER ", "").Replace(text)
}

// TestParts checks which switches a place gets: the innermost part wins, and the text wins
// over the command line. States are of K.1, K.2 and L.1, and of the pushes in K.1 and L.1.
func TestParts(t *testing.T) {
	for _, tt := range []struct{ text, switches, want string }{
		{"", "np=wp", "shared, np=wp|shared, np=wp|shared, np=wp"},
		{"", "np=K:wp", "shared, np=wp; by --np=K:wp|shared, np=wp; by --np=K:wp|in its thread, can be shared (--np)"},
		{"", "np=fg;K:wp;K.2:tb,serial", "shared, np=wp; by --np=K:wp|shared, np=tb,serial; by --np=K:wp --np=K.2:tb,serial|shared, np=fg"},
		{"", "np=fg;K.1:none", "in its thread; by --np=K.1:none|shared, np=fg|shared, np=fg"},
		{"KERNEL [[np(wp,fg)]]", "np=tb;K:fg;K.2:tb", "shared, np=wp,fg; by [[np(wp, fg)]] at 3:3|shared, np=wp,fg; by [[np(wp, fg)]] at 3:3|shared, np=tb"},
		{"KERNEL [[np(wp)]]; OUTER [[np(tb)]]; BLOCK [[np(none)]]", "", "in its thread|shared, np=tb|in its thread, can be shared (--np)"},
		{"KERNEL [[np(wp)]]; BLOCK [[np(none)]]; INNER [[np(fg)]]", "np=tb", "shared, np=fg|shared, np=wp|shared, np=tb"},
		{"OUTER [[np(wp 64)]]", "", "shared, np=wp,serial|shared, np=wp,serial|in its thread, can be shared (--np)"},
		{"KERNEL [[np(none)]]", "np=wp", "in its thread|in its thread|shared, np=wp"},
	} {
		o, err := lower.ParseOptions(strings.ReplaceAll(tt.switches, " ", ""))
		if tt.switches == "" {
			o, err = lower.Options{}, nil
		}
		if err != nil {
			t.Fatal(err)
		}
		var loops []string
		kernelBy := ""
		for _, c := range choices(t, inTwoKernels(tt.text), Options{Lower: o, Tree: tree.Options{Verify: true}}) {
			state, by, _ := strings.Cut(c.State, "; by ")
			if c.Depth == 0 {
				kernelBy = by
			}
			if strings.HasPrefix(c.Title, "inner ForAll") {
				state, _, _ = strings.Cut(state, "; ")
				if by = strings.Join(strings.Fields(kernelBy+" "+by), " "); by != "" && strings.Contains(tt.want, "by ") {
					state += "; by " + by
				}
				loops = append(loops, state)
			}
		}
		if got := strings.Join(loops, "|"); got != tt.want {
			t.Errorf("%q %s:\ngot  %s\nwant %s", tt.text, tt.switches, got, tt.want)
		}
	}
}

// TestPartsLowered checks that a choice lowers to the same program from the text and from
// the command line, and where it says what holds anyway.
func TestPartsLowered(t *testing.T) {
	for _, tt := range []struct{ text, switches, same string }{
		{"KERNEL [[np(wp,fg)]]", "np=K:wp,fg", "np=K.1:wp,fg np=K.2:wp,fg"},
		{"KERNEL [[np(wp 64, fg)]]", "np=K:wp,fg np-wp=K:64", "np=K:fg,wp np-wp=64"},
		{"BLOCK [[np(tb)]]", "np=K.1:tb", "np=tb;K.2:none;L:none"},
		{"KERNEL [[batch(4, eager)]]", "batch=K:4 eager=K:true", "batch=4;L:1 eager"},
		{"KERNEL [[coop(block)]]", "coop=K:block", "coop=block coop=L:none"},
		{"OUTER [[coop(warp)]]; INNER [[coop(none)]]", "coop=K:warp coop=K.1:none", "coop=warp;L:none;K.1:none"},
		{"KERNEL [[np(fg)]][[deal]]", "np=K:fg deal=K:true", "np=fg;L:none deal"},
		{"KERNEL [[np(none)]]", "np=fg np=K:none", "np=L:fg"},
	} {
		text := lowered(t, inTwoKernels(tt.text), strings.ReplaceAll(tt.switches, " np=K:none", ""))
		flags := lowered(t, inTwoKernels(""), tt.switches)
		plain := lowered(t, inTwoKernels(""), "")
		if text != flags {
			t.Errorf("%s is not %s:\n%s\n\n%s", tt.text, tt.switches, text, flags)
		}
		if same := lowered(t, inTwoKernels(""), tt.same); same != flags {
			t.Errorf("%s is not %s:\n%s\n\n%s", tt.same, tt.switches, same, flags)
		}
		if flags == plain {
			t.Errorf("%s changes nothing", tt.switches)
		}
		whole := lowered(t, inTwoKernels(""), strings.NewReplacer("K:", "", "K.1:", "").Replace(strings.ReplaceAll(tt.switches, "np=fg np=K:none", "np=fg")))
		if whole == flags {
			t.Errorf("%s changes all of the program", tt.switches)
		}
	}
}

// lowered returns the lowered text of a program, without positions.
func lowered(t *testing.T, text, switches string) string {
	t.Helper()
	diags := new(source.List)
	info := check.Check(syntax.Parse(source.NewFile("a.irgl", []byte(text)), syntax.IrGL, diags), diags)
	o, err := lower.ParseOptions(switches)
	if err != nil {
		t.Fatal(err)
	}
	if err := diags.Err(); err != nil {
		t.Fatal(err)
	}
	f, _, err := Run(info, diags, Options{Lower: o, Tree: tree.Options{Verify: true}})
	if err != nil {
		t.Fatalf("%s: %v", switches, err)
	}
	return syntax.String(f)
}

// TestSwitchOf checks that each row that is limited to parts has a switch that can be, and each
// such switch a row, but for those that only say how.
func TestSwitchOf(t *testing.T) {
	used := map[string]bool{"eager": true, "np-gr": true, "np-tb": true, "np-wp": true, "np-fg": true, "backoff-tail": true}
	for _, l := range limited {
		if !slices.Contains(Passes().Names(), l.row) {
			t.Errorf("there is no row %s", l.row)
		}
		used[l.name] = true
	}
	for _, s := range lower.Switches() {
		if limited := s.Extent() != lower.OfProgram; limited != used[s.Name] {
			t.Errorf("%s can be limited: %v; a row is: %v", s.Name, limited, used[s.Name])
		}
	}
}

// TestPartsRefused checks switches for parts that a program has not.
func TestPartsRefused(t *testing.T) {
	for switches, want := range map[string]string{
		"np=k:wp":                "--np=k:wp: the program has no kernel k, only K, L",
		"batch=K.3:4 np=L.2:wp":  "--batch=K.3:4: the kernel K has 2 inner loops; --np=L.2:wp: the kernel L has 1 inner loop",
		"deal=main:true ldg=K:1": "--deal=main:true: the program has no kernel main, only K, L",
	} {
		diags := new(source.List)
		info := check.Check(syntax.Parse(source.NewFile("a.irgl", []byte(inTwoKernels(""))), syntax.IrGL, diags), diags)
		o, err := lower.ParseOptions(switches)
		if err != nil {
			t.Fatal(err)
		}
		_, err = Lower(info, diags, o)
		var got []string
		for _, d := range diags.Diags {
			message, _, _ := strings.Cut(d.Message, ", did you")
			got = append(got, message)
			if d.Code != CodePart || d.Pos.IsValid() {
				t.Errorf("%s: the code is %s, the place %v", switches, d.Code, d.Pos)
			}
		}
		if err == nil || strings.Join(got, "; ") != want {
			t.Errorf("%s: %v\ngot  %s\nwant %s", switches, err, strings.Join(got, "; "), want)
		}
	}
}
