package difftest

import (
	"bytes"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// shim is the C text that makes a program for the CPU of a kernel.
//
//go:embed shim.c.txt
var shim string

// GCC runs programs through the C compiler at path and returns the memory of
// each afterwards. They are translated as one text. Every thread is a coroutine
// which runs until the next operation that the whole block takes part in.
func GCC(path string, programs []*Program) ([][]byte, error) {
	out, _, err := gcc(path, programs, "-fwrapv")
	return out, err
}

// Undefined returns what the C compiler's own checks report of the programs
// while they run: overflow of signed sums, shifts and conversions out of range,
// indexes out of bounds. Empty is what [Generate] promises.
func Undefined(path string, programs []*Program) (string, error) {
	_, messages, err := gcc(path, programs, "-fsanitize=undefined,float-cast-overflow", "-fno-sanitize=alignment")
	return messages, err
}

// gcc returns the memory of each program after it ran, and what was printed on
// standard error.
func gcc(path string, programs []*Program, flags ...string) ([][]byte, string, error) {
	dir, err := os.MkdirTemp("", "difftest")
	if err != nil {
		return nil, "", err
	}
	defer os.RemoveAll(dir)
	var text strings.Builder
	text.WriteString(shim)
	text.WriteString(helpers)
	var input bytes.Buffer
	for _, p := range programs {
		text.WriteString(p.body())
		fmt.Fprintf(&text, "static void run_%s(void) {\n\t%s(", p.Name, p.Name)
		at := 0
		for i, b := range p.Image() {
			switch input.Write(b.Data); {
			case i < nBuffers:
				fmt.Fprintf(&text, "(void *)(memory + %d), ", at)
			case i == nBuffers:
				fmt.Fprintf(&text, "*(struct arg *)(memory + %d), ", at)
			default:
				fmt.Fprintf(&text, "*(int *)(memory + %d));\n}\n", at)
			}
			at += (len(b.Data) + 7) &^ 7
			input.Write(make([]byte, -len(b.Data)&7))
		}
	}
	text.WriteString("int main(void) {\n")
	for _, p := range programs {
		size := 0
		for _, b := range p.Image() {
			size += (len(b.Data) + 7) &^ 7
		}
		fmt.Fprintf(&text, "\tlaunch(run_%s, %d, %d, %d);\n", p.Name, p.Grid, p.Block, size)
	}
	text.WriteString("}\n")
	exe := filepath.Join(dir, "a.out")
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Minute)
	defer cancel()
	args := append([]string{"-O1", "-w", "-fno-strict-aliasing", "-ffp-contract=off", "-frounding-math"}, flags...)
	cmd := exec.CommandContext(ctx, path, append(args, "-x", "c", "-", "-o", exe, "-lm")...)
	cmd.Stdin = strings.NewReader(text.String())
	if msg, err := cmd.CombinedOutput(); err != nil {
		return nil, "", fmt.Errorf("gcc: %w\n%s", err, msg)
	}
	cmd = exec.CommandContext(ctx, exe)
	cmd.Stdin = &input
	var messages bytes.Buffer
	cmd.Stderr = &messages
	all, err := cmd.Output()
	if err != nil {
		return nil, "", fmt.Errorf("the C program: %w\n%s", err, &messages)
	}
	var out [][]byte
	for _, p := range programs {
		var memory []byte
		for i, b := range p.Image() {
			n, padded := len(b.Data), (len(b.Data)+7)&^7
			if len(all) < padded {
				return nil, "", errors.New("the C program wrote too little")
			}
			if i < nBuffers {
				memory = append(memory, all[:n]...)
			}
			all = all[padded:]
		}
		out = append(out, memory)
	}
	return out, messages.String(), nil
}
