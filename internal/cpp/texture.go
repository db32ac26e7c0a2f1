package cpp

// IsTextureReference reports whether the token i, the name texture, is CUDA's template of texture
// references: an argument list follows, and no class, qualifier or member of the name does.
// A program may have a class texture of its own, which is no template, or one in a namespace.
func IsTextureReference(tokens []Token, i int) bool {
	if i+1 >= len(tokens) || tokens[i+1].Word != Less {
		return false
	}
	if i == 0 {
		return true
	}
	switch before := &tokens[i-1]; before.Word {
	case ColonColon, Dot, Arrow:
		return false
	default:
		return before.Text() != "class" && before.Text() != "struct"
	}
}
