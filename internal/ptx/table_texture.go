package ptx

import "strconv"

// ReadsTextures reports whether one of the statements is an instruction on a texture or surface.
func ReadsTextures(body []Stmt) bool {
	for _, s := range body {
		switch s := s.(type) {
		case *Scope:
			if ReadsTextures(s.Body) {
				return true
			}
		case *Inst:
			switch s.Op {
			case "tex", "tld4", "txq", "suld", "sust", "suq":
				return true
			}
		}
	}
	return false
}

// textureRows are the instructions on textures and surfaces that are objects: the address in a register, and
// in the same brackets the coordinates. Of those in three dimensions, of cubes and of layers in two the
// fourth coordinate does not count.
func textureRows() []formRow {
	rows := []formRow{
		{"txq", "width|height|depth|normalized_coords|num_mipmap_levels b32", "=b32 Mg"},
		{"suq", "width|height|depth b32", "=b32 Mg"},
		{"tld4", "r|g|b|a 2d v4 T=u32|s32|f32 f32", "=v4:T M2"},
	}
	const types = " v4 T=u32|s32|f32 "
	for _, g := range []struct {
		name     string
		n, grads int // coordinates, and values of a gradient
	}{{"1d", 1, 1}, {"2d", 2, 2}, {"3d", 4, 4}, {"a1d", 2, 1}, {"a2d", 4, 2}, {"cube", 4, 4}, {"acube", 4, 4}} {
		at := " M" + strconv.Itoa(g.n)
		grad := " v" + strconv.Itoa(g.grads) + ":f32"
		rows = append(rows, formRow{"tex", g.name + types + "f32", "=v4:T" + at}, formRow{"tex", "level " + g.name + types + "f32", "=v4:T" + at + " f32"},
			formRow{"tex", "grad " + g.name + types + "f32", "=v4:T" + at + grad + grad})
		if g.name != "cube" && g.name != "acube" {
			rows = append(rows, formRow{"tex", g.name + types + "s32", "=v4:T" + at}, formRow{"tex", "level " + g.name + types + "s32", "=v4:T" + at + " s32"})
		}
	}
	for _, g := range []struct {
		name string
		n    int
	}{{"1d", 1}, {"2d", 2}, {"3d", 4}, {"a1d", 2}, {"a2d", 4}} {
		at := " M" + strconv.Itoa(g.n)
		for n, vec := range map[int]string{1: "", 2: "v2 ", 4: "v4 "} {
			types := "T=b8|b16|b32|b64"
			if n == 4 {
				types = "T=b8|b16|b32"
			}
			v := "v" + strconv.Itoa(n) + ":T"
			rows = append(rows, formRow{"suld", "b " + g.name + " " + vec + types + " trap|clamp|zero", "=" + v + at},
				formRow{"sust", "b " + g.name + " " + vec + types + " trap|clamp|zero", at[1:] + " " + v})
		}
	}
	return rows
}
