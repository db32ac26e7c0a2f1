package filecheck_test

import (
	"strings"
	"testing"

	"irgl/internal/filecheck"
)

func TestCheck(t *testing.T) {
	const text = "entry a\n\tld.u32 %r1, [%rd2];\n\tadd.s32 %r1,  %r1, 1;\n\tret;\nentry b\n\tbar.sync 0;\n\tret;\n"
	for _, test := range []struct{ directives, want string }{
		{"CHECK: entry a\nCHECK-NEXT: ld.u32 %r{{[0-9]+}}, [%rd2];\nCHECK: add.s32 %r1, %r1, 1;", ""},
		{"// CHECK: entry b\n; CHECK-NEXT: bar.sync\na comment", ""},
		{"COUNT 2: ret;\nCOUNT 0: st.\nCHECK: entry b\nCHECK: ret", ""},
		{"CHECK: entry a\nCHECK-NOT: bar.sync\nCHECK: entry b\nCHECK-NOT: ld.", ""},
		{"CHECK: entry b\nCHECK: ld.u32", "line 2: CHECK: ld.u32: no line has it, from line 6 of the text on:\n  | \tbar.sync 0;\n  | \tret;"},
		{"CHECK: entry a\nCHECK-NEXT: add", "line 2: CHECK-NEXT: add: the next line is not that"},
		{"CHECK: ret\nCHECK: ret\nCHECK-NEXT: ret", "after the end of the text"},
		{"CHECK: entry a\nCHECK-NOT: ld.\nCHECK: ret", "line 2: CHECK-NOT: ld.: the text has it, at its line 2"},
		{"CHECK: entry a\nCHECK-NOT: bar\nCOUNT 2: ret\nCHECK-NEXT: ld", "line 2: CHECK-NOT: bar: no line is between"},
		{"CHECK-NOT: bar", "the text has it, at its line 6"},
		{"COUNT 1: ret", "line 1: COUNT 1: ret: the text has 2"},
		{"CHECK: ld{u32", "no line has it"},
		{"CHECK: a{{(}}", "line 1: CHECK: a{{(}}: error parsing regexp"},
		{"CHECK: a{{b", "{{ is not closed"},
		{"CHECK:", "the pattern is empty"},
		{"CHECK-SAME: ret", `line 1: there is no directive "CHECK-SAME"`},
		{"nothing", "there is no directive"},
	} {
		err := filecheck.Check(text, test.directives)
		got := ""
		if err != nil {
			got = err.Error()
		}
		if (got == "") != (test.want == "") || !strings.Contains(got, test.want) {
			t.Errorf("%q:\ngot  %s\nwant %s", test.directives, got, test.want)
		}
	}
}
