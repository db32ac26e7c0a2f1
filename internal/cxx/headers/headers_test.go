package headers

import (
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"irgl/internal/builtin"
	"irgl/internal/cpp"
	"irgl/internal/cxx/ast"
	"irgl/internal/cxx/parse"
	"irgl/internal/golden"
	"irgl/internal/source"
)

const license = "// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception\n"

// each calls f for every header.
func each(t *testing.T, f func(name, text string)) {
	t.Helper()
	err := fs.WalkDir(FS(), ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		text, err := fs.ReadFile(FS(), name)
		f(name, string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
}

// TestLicense checks that every header says under which license it becomes a part of
// users' programs.
func TestLicense(t *testing.T) {
	n := 0
	each(t, func(name, text string) {
		n++
		if !strings.HasPrefix(text, license) {
			t.Errorf("%s does not begin with its license", name)
		}
	})
	if n < 20 {
		t.Errorf("only %d headers", n)
	}
}

// letters are the types of package builtin's notation as C++ writes them.
var letters = map[byte]string{
	'v': "void", 'b': "bool", 'c': "char", 'i': "int", 'u': "unsigned int", 'l': "long", 'm': "unsigned long",
	'L': "long long", 'U': "unsigned long long", 'f': "float", 'd': "double", 'a': "signed char", 'h': "unsigned char",
	's': "short", 't': "unsigned short", 'D': "dim3", 'K': "uint3",
}

// cxxType returns a type of the notation, and what follows it.
func cxxType(s string) (string, string) {
	switch s[0] {
	case '{':
		name, rest, _ := strings.Cut(s[1:], "}")
		return name, rest
	case '*':
		t, rest := cxxType(s[1:])
		return strings.TrimSuffix(t, "*") + map[bool]string{true: "**", false: " *"}[strings.HasSuffix(t, "*")], rest
	case '#':
		t, rest := cxxType(s[1:])
		return "const " + t + " *", rest
	}
	return letters[s[0]], s[1:]
}

// prototype returns a form of the table as a declaration in C++; "" if it has a type that
// device code does not have.
func prototype(name, form, where string) string {
	result, rest := cxxType(form)
	var params []string
	for p := range strings.SplitSeq(strings.Trim(rest, "()"), ",") {
		switch p {
		case "":
		case "...":
			params = append(params, p)
		default:
			t, _ := cxxType(p)
			if strings.HasPrefix(t, " ") || t == "" {
				return ""
			}
			params = append(params, t)
		}
	}
	sep := " "
	if strings.HasSuffix(result, "*") {
		sep = ""
	}
	return fmt.Sprintf("%s %s%s%s(%s) __attribute__((irgl_builtin(%q)));\n", where, result, sep, name, strings.Join(params, ", "), name)
}

// own are the builtins that the prelude declares itself, since C++ knows more of them.
var own = map[string]bool{"assert": true, "dim3": true, "true": true, "false": true}

// TestBuiltins checks that irgl/builtins.h declares the builtins of device code.
func TestBuiltins(t *testing.T) {
	var b strings.Builder
	b.WriteString(license + "// The builtins of device code. Written from the table of package builtin by its test.\n#pragma once\n\n")
	for name := range builtin.Names() {
		r := builtin.Lookup(name)
		if !r.Device || r.IrGLOnly || own[name] {
			continue
		}
		where := "__device__"
		if r.Host {
			where = "__host__ __device__"
		}
		switch {
		case r.Kind == builtin.Var:
			of, _ := cxxType(r.Of)
			fmt.Fprintf(&b, "extern const __device__ %s %s __attribute__((irgl_builtin(%q)));\n", of, name, name)
		case r.Kind == builtin.Func && r.Rule == builtin.CtorCall && len(r.Forms) == 0:
			b.WriteString(maker(name))
		case r.Kind == builtin.Func:
			for _, form := range slices.Concat(r.Forms, r.CUDAForms) {
				if p := prototype(name, form, where); r.Rule != builtin.AtomicCall || isAtomic(name, p) {
					b.WriteString(p)
				}
			}
		case r.Kind == builtin.Const && strings.HasPrefix(name, "__"):
			fmt.Fprintf(&b, "enum { %s = %s };\n", name, r.Value)
		}
	}
	golden.File(t, filepath.Join("include", "irgl", "builtins.h"), b.String())
}

// atomics are the types that CUDA overloads atomic functions for: those of C take long and others, too.
var atomics = map[string][]string{
	"Add": {"int", "unsigned int", "unsigned long long", "float", "double", "float2", "float4"}, "Sub": {"int", "unsigned int"},
	"Exch": {"int", "unsigned int", "unsigned long long", "float"}, "CAS": {"int", "unsigned int", "unsigned long long", "unsigned short"},
	"Min": integers, "Max": integers, "And": integers, "Or": integers, "Xor": integers, "Inc": {"unsigned int"}, "Dec": {"unsigned int"},
}

var integers = []string{"int", "unsigned int", "long long", "unsigned long long"}

// isAtomic reports whether CUDA has an atomic function with a prototype.
func isAtomic(name, prototype string) bool {
	base, _, _ := strings.Cut(strings.TrimPrefix(name, "atomic"), "_")
	result, _, _ := strings.Cut(strings.TrimPrefix(prototype, "__device__ "), " "+name)
	return slices.Contains(atomics[base], result)
}

// maker returns the declaration of a function that makes a vector.
func maker(name string) string {
	vector := strings.TrimPrefix(name, "make_")
	n := int(vector[len(vector)-1] - '0')
	elem := map[string]string{"uchar": "unsigned char", "char": "signed char", "ushort": "unsigned short", "uint": "unsigned int",
		"ulong": "unsigned long", "longlong": "long long", "ulonglong": "unsigned long long"}[vector[:len(vector)-1]]
	if elem == "" {
		elem = vector[:len(vector)-1]
	}
	params := strings.TrimSuffix(strings.Repeat(elem+", ", n), ", ")
	return fmt.Sprintf("__host__ __device__ %s %s(%s) __attribute__((irgl_builtin(%q)));\n", vector, name, params, name)
}

// clangTraits are the traits that g++ has in its library alone.
const clangTraits = "integral floating_point arithmetic array function pointer lvalue_reference rvalue_reference member_object_pointer " +
	"member_function_pointer fundamental scalar object compound reference member_pointer const volatile signed unsigned " +
	"destructible trivially_destructible nothrow_destructible convertible"

// TestGxx has g++ read all headers, with CUDA's qualifiers defined away and namespace std
// under another name.
func TestGxx(t *testing.T) {
	gxx, err := exec.LookPath("g++")
	if err != nil || testing.Short() {
		t.Skip("needs g++")
	}
	library := exec.Command(gxx, "-std=c++17", "-E", "-P", "-x", "c++", "-")
	library.Stdin = strings.NewReader("#include <type_traits>\n")
	out, err := library.Output()
	if err != nil {
		t.Fatal(err)
	}
	main := string(out)
	for trait := range strings.FieldsSeq(clangTraits) {
		main += "template <typename... T> constexpr bool shim_" + trait + " = std::is_" + trait + "<T...>::value;\n" +
			"#define __is_" + trait + "(...) (shim_" + trait + "<__VA_ARGS__>)\n"
	}
	main += "#define __align__(x) __attribute__((aligned(x)))\n#define __device__\n#define __shared__ static\n#define __host__\n#define irgl_builtin(x) unused\n" +
		"#define std irgl_std\n#include <" + Prelude + ">\n"
	for _, name := range demanded(SoftwareTextures) {
		main += strings.Replace("#include <"+name+">\n", "<"+SoftwareTextures.header()+">", "TEXTURES", 1)
	}
	dir := t.TempDir()
	each(t, func(name, text string) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		switch {
		case name == SoftwareTextures.header(), name == HardwareTextures.header(): // one of them
		case strings.HasPrefix(name, "irgl/host/"): // those stand in for the host's own
		case strings.HasSuffix(name, "16_functions.h"): // of device code alone: <cuda_fp16.h> and <cuda_bf16.h> include them
		default:
			main += "#include <" + name + ">\n"
		}
	})
	main += uses
	for _, run := range []struct {
		arch     string
		textures Textures
	}{{"-U__CUDA_ARCH__", SoftwareTextures}, {"-D__CUDA_ARCH__=750", SoftwareTextures}, {"-D__CUDA_ARCH__=900", HardwareTextures}} {
		arch, textures := run.arch, "-DTEXTURES=<"+run.textures.header()+">"
		cmd := exec.Command(gxx, "-std=c++17", "-fsyntax-only", "-fno-builtin", "-nostdinc", "-nostdinc++", "-w", "-fpermissive", arch, textures, "-I", dir, "-x", "c++", "-")
		cmd.Stdin = strings.NewReader(main)
		if out, err := cmd.CombinedOutput(); err != nil {
			lines := strings.SplitAfterN(string(out), "\n", 30)
			t.Errorf("g++ %s: %v\n%s", arch, err, strings.Join(lines[:min(29, len(lines))], ""))
		}
	}
}

// uses are uses of the headers' templates.
const uses = `
static_assert(std::is_same_v<std::common_type_t<int, float, double>, double>);
static_assert(std::is_same_v<std::make_unsigned_t<const int>, const unsigned int>);
static_assert(std::is_same_v<std::decay_t<const int (&)[3]>, const int *>);
static_assert(std::is_same_v<std::make_index_sequence<5>, std::index_sequence<0, 1, 2, 3, 4>>);
static_assert(std::numeric_limits<int>::max() == 2147483647 && std::numeric_limits<float>::lowest() < 0);
static_assert(std::get<1>(std::make_tuple(1, 2.5, 3)) == 2.5);
static_assert(std::tuple_size_v<std::tuple<int, char>> == 2 && std::rank_v<int[2][3]> == 2 && std::extent_v<int[2][3], 1> == 3);
static_assert(std::apply([](int a, int b) { return a + b; }, std::make_pair(1, 2)) == 3);
static_assert(std::max(1, 7) == 7 && std::min(2, 1) == 1 && std::clamp(9, 1, 5) == 5);
static_assert(std::is_invocable_v<std::plus<>, int, int> && !std::is_invocable_v<int>);
static_assert(std::conjunction_v<std::is_integral<int>, std::is_signed<int>>);
enum class small : short { a };
static_assert(std::is_same_v<std::underlying_type_t<small>, short> && std::is_enum_v<small>);
void groups(float *p, __half2 h, __nv_bfloat16 b) {
	namespace cg = cooperative_groups;
	cg::thread_block block = cg::this_thread_block();
	auto tile = cg::tiled_partition<32>(block);
	auto part = cg::tiled_partition<8>(tile);
	cg::coalesced_group active = cg::coalesced_threads();
	*p = cg::reduce(tile, *p, cg::plus<float>()) + cg::reduce(active, 1, cg::greater<int>()) + part.shfl_down(*p, 1);
	*p += cg::inclusive_scan(part, *p) + cg::exclusive_scan(active, 1) + cg::labeled_partition(tile, 3).size() + cg::binary_partition(tile, true).meta_group_rank();
	cg::thread_group any = cg::tiled_partition(block, 4);
	cg::sync(any);
	cg::sync(block);
	cg::this_grid().sync();
	cg::memcpy_async(block, p, p + 1, 4ul);
	cg::wait(block);
	h = tile.shfl(h, 1) + __hfma2(h, h, __float2half2_rn(*p));
	b += __float2bfloat16(*p) * __nv_bfloat16(2);
	*p = __low2float(h) + (float)hexp(b) + __half2int_rn(__low2half(h)) + (h.x < h.y);
}
int structured() {
	auto [a, b] = std::make_pair(1, 2);
	std::array<int, 3> list{1, 2, 3};
	int sum = 0;
	for (int x : list) sum += x;
	std::pair<int, float> p(1, 2.0f), q = p;
	std::swap(p, q);
	std::tie(sum, a) = std::make_tuple(3, 4);
	return a + b + sum + std::less<int>()(1, 2) + (p == q) + std::abs(-1) + (int)pow(2, 3) + (int)sqrt(4) + (int)std::pow(2.0f, 3) + max(1, 2u) + blockDim.x;
}
`

// TestParse checks that our own parser reads every header, bodies included, without an error.
func TestParse(t *testing.T) {
	text := "#include <" + Prelude + ">\n"
	for _, name := range demanded(SoftwareTextures) {
		text += "#include <" + name + ">\n"
	}
	each(t, func(name, _ string) { text += "#include <" + name + ">\n" })
	var diags source.List
	pre := cpp.Preprocess(source.NewFile("main.cu", []byte(text)), cpp.Options{Dialect: cpp.CXX, Arch: 900, Includer: &cpp.Folders{Embedded: FS()}}, &diags)
	u := parse.Parse(pre, &diags, parse.Options{ReportHost: true})
	bodies(u.Decls)
	if err := diags.Err(); err != nil {
		t.Error(err)
	}
}

// bodies reads the bodies of functions.
func bodies(list []ast.Decl) {
	for _, d := range list {
		switch d := d.(type) {
		case *ast.NamespaceDecl:
			bodies(d.Decls)
		case *ast.TemplateDecl:
			bodies([]ast.Decl{d.Decl})
		case *ast.ClassDecl:
			bodies(d.Members)
		case *ast.FuncDecl:
			if d.Body != nil {
				d.Body.Tree()
			}
		}
	}
}

// TestHalfFunctions checks that irgl/fp16_functions.h and irgl/bf16_functions.h, which are read by name, are
// irgl/half_functions.h as device code sees it.
func TestHalfFunctions(t *testing.T) {
	for _, kind := range []string{"fp16", "bf16"} {
		var diags source.List
		main := source.NewFile("main.cu", []byte("#include <cuda_"+kind+".h>\n"))
		pre := cpp.Preprocess(main, cpp.Options{Dialect: cpp.CXX, Arch: 900, Defines: []cpp.Define{{Name: "IRGL_WHOLE"}}, Includer: &cpp.Folders{Embedded: FS()}}, &diags)
		if err := diags.Err(); err != nil {
			t.Fatal(err)
		}
		var b strings.Builder
		b.WriteString(license + "// The functions on the types of <cuda_" + kind + ".h> in device code. Written from half_functions.h by a test.\n#pragma once\n\n")
		depth := 0
		for i := range pre.Tokens {
			tok := &pre.Tokens[i]
			if tok.File() == nil || tok.File().Name != "irgl/half_functions.h" {
				continue
			}
			if !strings.HasSuffix(b.String(), "\n") && !tok.Glued() {
				b.WriteByte(' ')
			}
			b.WriteString(tok.Text())
			switch tok.Word {
			case cpp.LBrace:
				depth++
			case cpp.RBrace:
				if depth--; depth == 0 && pre.Tokens[i+1].Word != cpp.Semi {
					b.WriteByte('\n')
				}
			}
		}
		golden.File(t, filepath.Join("include", "irgl", kind+"_functions.h"), b.String())
	}
}

// TestDemand checks that a name brings what its declarations name, and no more.
func TestDemand(t *testing.T) {
	for _, test := range []struct {
		include, names string
		want           []string
		most           int
	}{
		{"", "threadIdx float4 nosuch sqrt cudaSuccess std",
			[]string{"struct uint3 ", "float4 { float x", "double sqrt(double)", "using ::sqrt;", "__irgl_when<true, T>", "} cudaError_t;"}, 15},
		{"#include <type_traits>\n", "is_enum", []string{"namespace std {", "struct integral_constant {", "struct is_enum : "}, 24},
		{"#include <type_traits>\n", "none", []string{"namespace std {", "}"}, 4},
		{"#include <cuda_fp16.h>\n", "hexp", []string{"__half hexp(__half a)", "operator+(const __half &a"}, 125},
	} {
		var diags source.List
		pre := cpp.Preprocess(source.NewFile("main.cu", []byte(test.include)), cpp.Options{Dialect: cpp.CXX, Arch: 900, Rest: Rest, Includer: &cpp.Folders{Embedded: FS()}}, &diags)
		pre.Tokens = pre.Tokens[len(pre.Tokens)-1:] // what is inserted alone
		for i := range pre.Rests {
			pre.Rests[i].At = 0
		}
		d := NewDemand(pre, SoftwareTextures, false, nil)
		for name := range strings.FieldsSeq(test.names) {
			d.Name(name)
		}
		d.Insert(pre)
		var text strings.Builder
		for i := range pre.Tokens {
			tok := &pre.Tokens[i]
			switch {
			case tok.StartsLine():
				text.WriteByte('\n')
			case !tok.Glued():
				text.WriteByte(' ')
			}
			text.WriteString(tok.Text())
		}
		for _, want := range test.want {
			if !strings.Contains(text.String(), want) {
				t.Errorf("%s: no %s in\n%s", test.names, want, text.String())
			}
		}
		if n := strings.Count(text.String(), "\n"); n > test.most {
			t.Errorf("%s: %d lines:\n%s", test.names, n, text.String())
		}
	}
}

// TestDeclares checks the names under which declarations are found: those that the parser finds.
func TestDeclares(t *testing.T) {
	for _, index := range []func() *library{index, unitIndex} {
		for _, item := range index().items {
			if text := index().text(&item); len(declares(text)) == 0 {
				t.Errorf("declares nothing: %s", text)
			}
		}
	}
	var diags source.List
	main := source.NewFile("main.cu", []byte("#include <mma.h>\n#include <cub/cub.cuh>\n#include <functional>\n#include <algorithm>\n"))
	pre := cpp.Preprocess(main, cpp.Options{Dialect: cpp.CXX, Arch: 900, Includer: &cpp.Folders{Embedded: FS()}}, &diags)
	found := map[source.Pos]string{}
	declarations(found, parse.Parse(pre, &diags, parse.Options{}).Decls)
	n := 0
	for _, inc := range pre.Includes {
		from, ok := Rest(inc.File)
		if !ok {
			continue
		}
		l := newLibrary()
		l.read(inc.File, from, nil)
		for i := range l.items {
			item := l.text(&l.items[i])
			if strings.HasPrefix(item, "namespace ") || item[0] == '}' {
				continue
			}
			n++
			want := found[source.Pos{File: inc.File, Offset: l.items[i].From}]
			if got := strings.Join(declares(item), " "); got != want {
				t.Errorf("%s: %q, want %q: %s", inc.Name, got, want, item)
			}
		}
	}
	if n < 700 {
		t.Errorf("%d declarations are read by name", n)
	}
}

// declarations finds the names of declarations by where they begin; of operators it finds none.
func declarations(found map[source.Pos]string, list []ast.Decl) {
	for _, d := range list {
		at := d.Pos()
		if t, ok := d.(*ast.TemplateDecl); ok {
			d = t.Decl
		}
		switch d := d.(type) {
		case *ast.NamespaceDecl:
			declarations(found, d.Decls)
		case *ast.ClassDecl:
			found[at] = d.Name.Last.Ident
		case *ast.FuncDecl:
			found[at] = d.Name.Last.Ident
		case *ast.VarDecl:
			found[at] = d.Name.Last.Ident
		case *ast.AliasDecl:
			found[at] = d.Name.Name
		}
	}
}
