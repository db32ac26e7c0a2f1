package sema

import (
	"os"
	"regexp"
	"strings"
	"testing"

	"irgl/internal/source"
)

// TestCodes analyses the program that documents each code: the code must be among the
// diagnostics, and the first error of the program.
func TestCodes(t *testing.T) {
	text, err := os.ReadFile("codes.go")
	if err != nil {
		t.Fatal(err)
	}
	code := regexp.MustCompile(`(code\w+) source.Code = "(\w+)"`)
	example := ""
	for _, line := range strings.Split(string(text), "\n") {
		line = strings.TrimSpace(line)
		if x, ok := strings.CutPrefix(line, "//\t"); ok {
			example = x
			continue
		}
		m := code.FindStringSubmatch(line)
		if m == nil {
			continue
		}
		if example != "" {
			t.Run(m[2], func(t *testing.T) { wantCode(t, example, source.Code(m[2])) })
		}
		example = ""
	}
}

func wantCode(t *testing.T, text string, code source.Code) {
	t.Helper()
	_, diags := checkText("example.cu", []byte(text), Options{Warnings: warnExtra})
	for _, d := range diags.Diags {
		if d.Code == code {
			return
		}
	}
	t.Errorf("%s\nhas not produced %s: %v", text, code, diags.Err())
}
