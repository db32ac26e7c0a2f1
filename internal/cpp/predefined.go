package cpp

import (
	"slices"
	"strconv"
	"sync"

	"irgl/internal/source"
)

// predefined are the macros that every text has. __CUDACC__ says that the text is
// compiled as CUDA, as clang says too; the versions say which CUDA's builtins there
// are. __NVCC__ would promise nvcc's pragmas and intrinsics (docs/rationale.md).
var predefined = sync.OnceValue(func() []macro {
	list := []macro{{name: "__LINE__", builtin: true}, {name: "__FILE__", builtin: true},
		{name: "_Pragma", isFunc: true, params: []string{"text"}, builtin: true}}
	for _, m := range [...][2]string{{"__CUDACC__", "1"}, {"__CUDACC_VER_MAJOR__", "13"}, {"__CUDACC_VER_MINOR__", "0"}, {"__CUDACC_VER_BUILD__", "0"},
		{"__cplusplus", "201703L"}, {"__STDC_HOSTED__", "1"}, {"CUDA_VERSION", "13000"}, {"CUDART_VERSION", "13000"}, {"__IRGL__", "1"}} {
		list = append(list, builtinMacro(m[0], m[1]))
	}
	return list
})

func builtinMacro(name, value string) macro {
	toks, _ := Scan(source.NewFile("<predefined>", []byte(value)), C)
	return macro{name: name, body: toks[:len(toks)-1], builtin: true}
}

// predefine enters the macros that every text has, and those of the options. They are
// copies, since their expansion marks them.
func (c *preprocessor) predefine() {
	list := slices.Clone(predefined())
	if c.opts.Arch > 0 {
		arch := strconv.Itoa(c.opts.Arch)
		list = append(list, builtinMacro("__CUDA_ARCH__", arch), builtinMacro("__CUDA_ARCH_LIST__", arch))
	}
	for _, d := range c.opts.Defines {
		list = append(list, builtinMacro(d.Name, d.Value))
	}
	for i := range list {
		c.macros[list[i].name] = &list[i]
	}
}
