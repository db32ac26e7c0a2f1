package difftest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// WriteCorpus writes into dir, for each of the seeds below n, what is needed to
// compare a program elsewhere: NAME.cu, our NAME.ptx with all passes on,
// NAME.in and NAME.want with the memory before and after the launch, and one
// line "NAME grid block bytes-of-each-buffer..." in the file index. The
// parameters of the kernel are a pointer to each buffer, in order; a struct of
// 40 bytes; and 4 bytes: the last two are the end of NAME.in and have no part in
// NAME.want. Compile NAME.cu with nvcc -fmad=false.
func WriteCorpus(dir string, n int) error {
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return err
	}
	v := Variants()[1]
	var index bytes.Buffer
	for seed := range n {
		p := Generate(uint64(seed))
		text, err := p.PTX(v.Options)
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		want, err := runPTX(p, text, v.Device)
		if err != nil {
			return fmt.Errorf("seed %d: %w", seed, err)
		}
		fmt.Fprintf(&index, "%s %d %d", p.Name, p.Grid, p.Block)
		var in []byte
		for i, b := range p.Image() {
			in = append(in, b.Data...)
			if i < nBuffers {
				fmt.Fprintf(&index, " %d", len(b.Data))
			}
		}
		index.WriteByte('\n')
		for _, f := range []struct {
			ext  string
			data []byte
		}{{".cu", []byte(p.Text())}, {".ptx", []byte(text)}, {".in", in}, {".want", want}} {
			if err := os.WriteFile(filepath.Join(dir, p.Name+f.ext), f.data, 0o666); err != nil {
				return err
			}
		}
	}
	return os.WriteFile(filepath.Join(dir, "index"), index.Bytes(), 0o666)
}

// NVCC returns the PTX that the nvcc at path makes of the programs, as one
// module, for a target such as "sm_90". It does not fuse multiplications and
// additions, as our compiler does not.
func NVCC(path, target string, programs []*Program) (string, error) {
	dir, err := os.MkdirTemp("", "difftest")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(dir)
	var text strings.Builder
	text.WriteString(helpers)
	for _, p := range programs {
		text.WriteString(p.body())
	}
	cu, out := filepath.Join(dir, "k.cu"), filepath.Join(dir, "k.ptx")
	if err := os.WriteFile(cu, []byte(text.String()), 0o666); err != nil {
		return "", err
	}
	if msg, err := exec.Command(path, "-w", "-fmad=false", "-arch="+target, "-ptx", cu, "-o", out).CombinedOutput(); err != nil {
		return "", fmt.Errorf("nvcc: %w\n%s", err, msg)
	}
	ptx, err := os.ReadFile(out)
	return string(ptx), err
}

// Assembles reports whether nvcc's assembler takes a PTX text. CUDA 13.0's
// crashes on some of nvcc's own output, and the driver has the same assembler
// inside: what crashes it would take the process with it.
func Assembles(nvcc, target, ptx string) (bool, error) {
	dir, err := os.MkdirTemp("", "difftest")
	if err != nil {
		return false, err
	}
	defer os.RemoveAll(dir)
	in := filepath.Join(dir, "k.ptx")
	if err := os.WriteFile(in, []byte(ptx), 0o666); err != nil {
		return false, err
	}
	return exec.Command(nvcc, "-arch="+target, "-cubin", in, "-o", filepath.Join(dir, "k.cubin")).Run() == nil, nil
}
