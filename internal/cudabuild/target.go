package cudabuild

import (
	"fmt"
	"strconv"
	"strings"
)

// The oldest architecture that there is PTX for, which is taken for older ones, and the newest.
const oldest, newest = 75, 121

// architectures are those that --list-gpu-arch lists.
var architectures = [...]int{oldest, 80, 86, 87, 88, 89, 90, 100, 103, 110, 120, newest}

// arch is -arch: sm_90, compute_90, native, all, all-major.
func (o *Options) arch(v string) error {
	switch v {
	case "native", "all", "all-major":
		return nil // PTX is compiled for the device when the program begins
	}
	return o.target("-arch="+v, v)
}

// gencode is -gencode arch=compute_90,code=sm_90. Of several, the least is taken: its PTX
// is for all.
func (o *Options) gencode(v string) error {
	arch := ""
	for part := range strings.SplitSeq(v, ",") {
		if a, ok := strings.CutPrefix(part, "arch="); ok {
			arch = a
		}
	}
	if arch == "" {
		return usage("-gencode %s: arch=compute_NN,code=sm_NN is expected", v)
	}
	return o.target("-gencode "+v, arch)
}

// target takes an architecture by its name, unless an older one has been given.
func (o *Options) target(option, name string) error {
	digits := strings.TrimPrefix(strings.TrimPrefix(name, "sm_"), "compute_")
	suffix := strings.TrimLeft(digits, "0123456789")
	n, err := strconv.Atoi(strings.TrimSuffix(digits, suffix))
	if err != nil || digits == name || len(suffix) > 1 || n < 10 || n > newest {
		return usage("%s: there is no architecture %s; sm_75, sm_80, sm_90 are some", option, name)
	}
	if n < oldest {
		o.Notes = append(o.Notes, fmt.Sprintf("%s: PTX is made for sm_%d, the oldest that CUDA 13 has", option, oldest))
		n, suffix = oldest, ""
	}
	if o.Target != "" {
		if before, _ := strconv.Atoi(strings.TrimRight(strings.TrimPrefix(o.Target, "sm_"), "af")); before <= n {
			return nil
		}
	}
	o.Target = "sm_" + strconv.Itoa(n) + suffix
	return nil
}

// std is -std. Older versions than 17 are taken for it, as what follows from them is kept.
func (o *Options) std(v string) error {
	switch strings.Replace(v, "gnu++", "c++", 1) {
	case "c++03", "c++98": // their compilers do not take the runtime's headers
		o.Notes = append(o.Notes, "-std="+v+": host code is compiled as C++11, which the CUDA runtime's headers need, and device code as C++17")
		v = strings.NewReplacer("98", "11", "03", "11").Replace(v)
	case "c++11", "c++0x", "c++14", "c++1y":
		o.Notes = append(o.Notes, "-std="+v+": device code is compiled as C++17")
	case "c++17", "c++1z", "c++20", "c++2a", "c++23", "c++2b":
	default:
		return usage("-std=%s: c++11, c++14, c++17, c++20 and c++23 are known", v)
	}
	o.Std = v
	return nil
}

// define is -D NAME or -D NAME=VALUE.
func (o *Options) define(v string) error {
	d := defined(v)
	if d.Name == "" {
		return usage("-D %s: a name is expected", v)
	}
	o.Defines = append(o.Defines, d)
	return nil
}

// library is -lNAME. The runtime is ours and linked always; the functions of NVTX are in its header.
func (o *Options) library(v string) error {
	switch v {
	case "cudart", "cudart_static", "cudadevrt", "cuda", "nvToolsExt":
		return nil
	}
	o.Link = append(o.Link, "-l"+v)
	return nil
}
