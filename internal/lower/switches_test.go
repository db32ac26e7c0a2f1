package lower

import (
	"strings"
	"testing"
)

// TestSwitches checks that options read back as they are written, and what is
// refused.
func TestSwitches(t *testing.T) {
	for _, text := range []string{
		"",
		"outline=auto",
		"outline=0,2 outline-threads=128 outline-blocks=1 scope=block:64 unroll=2 batch=4 eager=true coop=block np=tb,serial np-tb=512 np-wp=16 np-fg=2 bounds=true ahead=true backoff=4 block=64",
		"backoff=list",
		"backoff=1",
		"backoff=blocked-4 backoff=K:16 backoff-tail=64 backoff-tail=K:0",
		"batch=K:4 eager=K.12:false coop=block coop=_k2:none np=wp,fg np=K:none np=K.2:tb np=L:gr,fg np-gr=L:7 deal=K:false backoff=K:list ldg=K:true",
		"scope=cluster:2048",
		"scope=cluster:100:16",
		"scope=block:2147483647 np=gr,tb,wp,fg,serial np-gr=2147483647 np-wp=2147483647", // as in attributes
	} {
		o, err := ParseOptions(text)
		if err != nil || o.String() != text {
			t.Errorf("%q: %q, %v", text, o, err)
		}
	}
	if o, err := ParseOptions(" outline=none scope=grid coop=none batch=1 eager  backoff=auto backoff-tail=0 block=256 np=none"); err != nil || o.String() != "eager=true" {
		t.Errorf("%q, %v", o, err)
	}
	for text, want := range map[string]string{
		"np=L:wp;fg;K.2:fg,tb np=K:tb np=K:none batch=2;K:4;1 outline=2,0": "outline=0,2 batch=K:4 np=fg np=K:none np=K.2:tb,fg np=L:wp",
		"eager=true;K:true deal=K:1":                                       "eager=true eager=K:true deal=K:true",
	} {
		if o, err := ParseOptions(text); err != nil || o.String() != want {
			t.Errorf("%q: %q, %v, want %q", text, o, err, want)
		}
	}
	for text, want := range map[string]string{
		"np=K:":                  `there is no policy ""`,
		"np=:wp":                 `"" is no name of a kernel`,
		"np=K-2:wp":              `"K-2" is no name of a kernel`,
		"np=K.0:wp":              `"0" is no number of a loop: they are counted from 1`,
		"np=K.01:wp":             `"01" is no number of a loop`,
		"np=K.1.2:wp":            `"1.2" is no number of a loop`,
		"np=wp;":                 `there is no policy ""`,
		"deal=K.1:true":          "it is for whole kernels, and cannot be limited to a loop: write K:true",
		"outline=K:auto":         "it is for the whole program, and cannot be limited to K",
		"block=K:128":            "it is for the whole program",
		"outline=1,1":            "node 1 is listed twice",
		"bach=4":                 `there is no switch "bach" (there are outline, `,
		"batch=4 coop=all":       `coop=all: there is no level "all"`,
		"np=tb,,fg":              `there is no policy ""`,
		"np=":                    `there is no policy ""`,
		"np=none,fg":             `there is no policy "none"`,
		"np=fg,tb,fg":            "the policy fg is listed twice",
		"batch=0":                "1 to 32 iterations",
		"unroll=0":               "by 1 to 16 rounds",
		"block=33":               "a multiple of 32",
		"outline-blocks=x":       `"x" is not a number`,
		"eager=2":                `"2" is neither true nor false`,
		"np-fg=-1":               "the size of a policy is from 1 to 2147483647",
		"np-wp=2147483648":       "the size of a policy is from 1 to 2147483647",
		"outline-blocks=33":      "a multiprocessor holds 1 to 32 blocks",
		"outline-threads=16":     "a block has 32 to 1024 threads",
		"scope=block:2147483648": "the length of a list is from 1 to 2147483647",
		"scope=block":            `"block" is neither grid nor block:N`,
		"scope=cluster:8:":       `a cluster has 2, 4, 8 or, on some devices, 16 blocks, not ""`,
		"scope=cluster:x":        `"cluster:x" is neither grid nor block:N or cluster:N`,
		"scope=clusters:8":       `"clusters:8" is neither grid nor block:N`,
		"scope=block:0":          "the length of a list is from 1 to 2147483647",
		"unroll=17":              "1 to 16 rounds",
		"backoff=0":              "neither auto, list, blocked-N nor a number from 1 to 1024",
		"backoff=blocked-0":      "neither auto, list, blocked-N nor",
		"backoff=blocked":        "neither auto, list, blocked-N nor",
		"backoff-tail=-1":        "the length of a list is from 1 to 2147483647",
	} {
		if _, err := ParseOptions(text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
