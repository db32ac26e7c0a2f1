package check
import ("testing";"os";"strings")
func TestZZ(t *testing.T) {
	for _, p := range strings.Fields(os.Getenv("ZZ")) {
		b, _ := os.ReadFile(p)
		info, d := checkText(p, b)
		for _, x := range d.Diags { var sb strings.Builder; x.Render(&sb); t.Log(sb.String()) }
		t.Log(Dump(info))
	}
}
