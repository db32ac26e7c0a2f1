package compile

import (
	"encoding/json"
	"testing"

	"irgl/internal/lower"
)

// TestSwitches: texts of the same choice are the same value, as keys and in JSON.
func TestSwitches(t *testing.T) {
	a, err := ParseSwitches("np=fg,wp   outline=auto batch=1")
	if err != nil || a != MustSwitches("outline=auto np=wp,fg") || a.String() != "outline=auto np=wp,fg" {
		t.Errorf("%q, %v", a, err)
	}
	if b := SwitchesOf(lower.Options{Index64: true, Batch: 4}); b != MustSwitches("batch=4") || b.Options().Index64 {
		t.Errorf("%q: %+v", b, b.Options())
	}
	if none := (Switches{}); none.String() != "" || none.OrNone() != "none" || none != MustSwitches("coop=none") {
		t.Errorf("no switches are %q, %s", none, none.OrNone())
	}
	text, err := json.Marshal(map[Switches][]Switches{a: {a, {}}})
	var back map[Switches][]Switches
	if err == nil {
		err = json.Unmarshal(text, &back)
	}
	if err != nil || string(text) != `{"outline=auto np=wp,fg":["outline=auto np=wp,fg",""]}` || len(back[a]) != 2 || back[a][0] != a {
		t.Errorf("%s, %v, %v", text, back, err)
	}
	if err := json.Unmarshal([]byte(`"warp-drive=9"`), &a); err == nil || a.String() != "" {
		t.Errorf("an unknown switch is %q, %v", a, err)
	}
	if _, err := ParseSwitches("bach=4"); err == nil {
		t.Error("bach=4 can be read")
	}
}
