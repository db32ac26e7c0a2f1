package cudabuild

import (
	"cmp"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/ianlancetaylor/demangle"

	"irgl/internal/ptx"
	"irgl/internal/source"
)

// A deviceLink is what linking the device code of objects makes.
type deviceLink struct {
	object  string // its path; "" if there is nothing to link
	runtime bool   // one of the objects has the runtime in it
}

// linkDevice links the device code of objects and archives, and of the archives that -l names,
// and makes an object of it; runtime puts the runtime into it.
func (b *builder) linkDevice(objects []string, runtime bool) (deviceLink, error) {
	var out deviceLink
	if b.opts.DryRun {
		return out, nil
	}
	var found contents
	for _, path := range append(slices.Clone(objects), b.opts.archives()...) {
		if err := found.read(path); err != nil {
			return out, err
		}
	}
	out.runtime = found.runtime
	parts := slices.DeleteFunc(found.parts, func(p objectPart) bool { return slices.Contains(found.linked, p.id) })
	if len(parts) == 0 {
		return out, nil
	}
	for i, p := range parts {
		if strings.HasPrefix(p.file, b.dir) { // made of a source by this command
			parts[i].file = p.source
		}
	}
	linked, err := linkParts(parts, func(p objectPart) string { return p.text })
	if err != nil {
		return out, err
	}
	var other *ptx.Linked
	if b.opts.DeviceRuntime != "none" && slices.ContainsFunc(parts, func(p objectPart) bool { return p.byLibrary != "" }) {
		if other, err = linkParts(parts, func(p objectPart) string { return cmp.Or(p.byLibrary, p.text) }); err != nil {
			return out, err
		}
	}
	out.object = filepath.Join(b.dir, "device-link.o")
	return out, b.linkedObject(linked, other, parts, out.object, runtime)
}

// linkParts links a text of each part.
func linkParts(parts []objectPart, text func(objectPart) string) (*ptx.Linked, error) {
	input := make([]ptx.Part, len(parts))
	for i, p := range parts {
		m, err := ptx.Parse(source.NewFile(p.file, []byte(text(p))))
		if err != nil {
			return nil, fmt.Errorf("%s: its device code: %w", p.file, err)
		}
		input[i] = ptx.Part{Name: p.file, Module: m, Library: p.library}
	}
	linked, err := ptx.Link(input, title)
	if err != nil {
		return nil, fmt.Errorf("link device code: %w", err)
	}
	return linked, nil
}

// title returns what messages call a symbol.
func title(symbol string) string {
	name, _, _ := strings.Cut(symbol, "$")
	return demangle.Filter(name)
}

// linkedObject makes an object of the PTX that was linked of parts; other is that whose launches are by
// CUDA's device runtime, or nil.
func (b *builder) linkedObject(linked, other *ptx.Linked, parts []objectPart, object string, runtime bool) error {
	base := strings.TrimSuffix(object, ".o")
	text := ptx.Print(linked.Module)
	if err := os.WriteFile(base+".ptx", []byte(text), 0o666); err != nil {
		return err
	}
	second := ""
	if other != nil {
		second = ptx.Print(other.Module)
		if err := os.WriteFile(base+".library.ptx", []byte(second), 0o666); err != nil {
			return err
		}
	}
	var names, ids, records, refs strings.Builder
	count := 0
	for i, p := range parts {
		if !linked.Included[i] {
			continue
		}
		fmt.Fprintf(&names, ".Lirgl_id%d:\n\t.string %s\n", count, asmString(p.id))
		fmt.Fprintf(&ids, "\t.quad\t.Lirgl_id%d\n", count)
		fmt.Fprintf(&records, "\t.ascii\t%s\n", asmString("irgl-linked "+p.id+"\n"))
		if linked.Needed[i] { // the linker takes it out of its archive
			fmt.Fprintf(&refs, "\t.quad\t%s%s\n", partSymbol, p.id)
		}
		count++
	}
	if runtime {
		fmt.Fprintf(&records, "\t.ascii\t%s\n", asmString("irgl-runtime\n"))
	}
	name := b.opts.output("a", ".out")
	library := byLibrary(&names, base+".library.ptx", len(second), b.opts.archive())
	asm := "\t.section\t.rodata\n.Lirgl_ptx:\n\t.incbin\t" + asmString(base+".ptx") + "\n\t.byte\t0\n" +
		".Lirgl_name:\n\t.string " + asmString(filepath.Base(name)) + "\n" + names.String() +
		"\t.section\t.data.rel,\"aw\"\n\t.balign\t8\n.Lirgl_ids:\n" + ids.String() + refs.String() +
		fmt.Sprintf(".Lirgl_linked:\n\t.quad\t.Lirgl_name, .Lirgl_ptx, %d, .Lirgl_ids, %d, %s\n", len(text), count, library) +
		register(".Lirgl_linked", "irgl_register_linked") +
		"\t.section\t" + partSection + ",\"e\"\n" + records.String() + "\t.section\t.note.GNU-stack,\"\",@progbits\n"
	if err := os.WriteFile(base+".s", []byte(asm), 0o666); err != nil {
		return err
	}
	if !runtime {
		return b.run("-c", base+".s", "-o", object)
	}
	if err := b.run("-c", base+".s", "-o", base+"-code.o"); err != nil {
		return err
	}
	return b.run("-r", "-nostdlib", base+"-code.o", b.runtime.object, "-o", object)
}

// archives returns the archives that -l options name, in the folders of -L.
func (o *Options) archives() []string {
	var out, folders []string
	for _, arg := range o.Link {
		if dir, ok := strings.CutPrefix(arg, "-L"); ok {
			folders = append(folders, dir)
		}
	}
	for _, arg := range o.Link {
		name, ok := strings.CutPrefix(arg, "-l")
		if !ok {
			continue
		}
		for _, dir := range folders {
			if _, err := os.Stat(filepath.Join(dir, "lib"+name+".so")); err == nil {
				break // the linker takes it
			}
			path := filepath.Join(dir, "lib"+name+".a")
			if _, err := os.Stat(path); err == nil && !slices.Contains(out, path) {
				out = append(out, path)
				break
			}
		}
	}
	return out
}
