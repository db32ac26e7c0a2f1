package simt

import "testing"

func TestCXXName(t *testing.T) {
	for symbol, want := range map[string]string{
		"norms":                          "norms",
		"_Z4racePi":                      "race(int*)",
		"_ZN2ns1tIiEEvPT_":               "ns::t<int>(int*)",
		"_Z4racePi$s":                    "s",
		"_Z4racePi_agg":                  "race(int*) (aggregated)",
		"_Z4racePi_coarse_agg":           "race(int*) (coarsened) (aggregated)",
		"_Z4racePi_agg$ba6af12ceb69333c": "race(int*) (aggregated)",
		"_ZL5table":                      "table",
		"_ZZ3reciE1c":                    "rec(int)::c",
		"_ZN12_GLOBAL__N_12anE":          "(anonymous namespace)::an",
		"_Zwrong":                        "_Zwrong",
	} {
		if got := CXXName(symbol); got != want {
			t.Errorf("%s is %s, want %s", symbol, got, want)
		}
	}
}
