package types

// classify sets what the language says of a complete class, from what it declares, its
// bases and its fields.
func classify(c *Class) {
	d := c.Declares
	c.HasUserConstruct = d&UserConstructor != 0
	c.Aggregate = !c.Virtual && d&UserConstructor == 0
	c.TrivialDestroy = d&UserDestructor == 0
	c.TrivialCopy = !c.Virtual && d&(UserCopy|UserCopyAssign|UserMoveAssign|UserDestructor) == 0
	c.TrivialDefault = !c.Virtual && d&(UserDefault|DefaultInit) == 0 && (d&AnyConstructor == 0 || d&DefaultedDefault != 0)
	literal := !c.Union || len(c.Fields) == 0
	for _, b := range c.Bases {
		c.Aggregate = c.Aggregate && b.Access == Public
		c.TrivialDestroy = c.TrivialDestroy && b.Class.TrivialDestroy
		c.TrivialCopy = c.TrivialCopy && b.Class.TrivialCopy
		c.TrivialDefault = c.TrivialDefault && b.Class.TrivialDefault
		literal = literal && b.Class.Literal
	}
	for _, f := range c.Fields {
		if f.Width >= 0 && f.Name == "" {
			continue
		}
		c.Aggregate = c.Aggregate && f.Access == Public
		x := f.Type.Element()
		if x.IsClass() {
			c.TrivialDestroy = c.TrivialDestroy && x.Class.TrivialDestroy
			c.TrivialCopy = c.TrivialCopy && x.Class.TrivialCopy
			c.TrivialDefault = c.TrivialDefault && x.Class.TrivialDefault
		} else if x.IsRef() {
			c.TrivialDefault = false
		}
		fits := IsLiteral(x) && x.CV&Volatile == 0
		if c.Union {
			literal = literal || fits
		} else {
			literal = literal && fits
		}
	}
	c.StandardLayout = isStandardLayout(c)
	c.Literal = literal && c.TrivialDestroy && (c.Aggregate || d&ConstexprConstructor != 0 || c.Lambda != 0)
}

// IsLiteral reports whether objects of type x may be constants.
func IsLiteral(x Type) bool {
	x = x.Element()
	return !x.IsClass() || x.Class.Literal
}

// isStandardLayout reports whether a class has the layout of a C struct: fields of one
// access, all in one class of the hierarchy, and no base of the first field's type.
func isStandardLayout(c *Class) bool {
	if c.Virtual {
		return false
	}
	holders := 0
	if hasFields(c) {
		holders++
	}
	for i, b := range c.Bases {
		if !b.Class.StandardLayout {
			return false
		}
		if !b.Class.Empty {
			holders++
		}
		for _, other := range c.Bases[:i] {
			if sharesBase(b.Class, other.Class) {
				return false
			}
		}
	}
	if holders > 1 {
		return false
	}
	for _, f := range c.Fields {
		x := f.Type.Element()
		if f.Access != c.Fields[0].Access || x.IsRef() || x.IsClass() && !x.Class.StandardLayout {
			return false
		}
	}
	if len(c.Fields) == 0 || c.Union {
		return true
	}
	for _, b := range c.Bases {
		if startsWith(c.Fields[0].Type, b.Class) {
			return false
		}
	}
	return true
}

func hasFields(c *Class) bool {
	for _, f := range c.Fields {
		if f.Width != 0 {
			return true
		}
	}
	return false
}

// sharesBase reports whether two classes have a class in common: themselves or a base.
func sharesBase(a, b *Class) bool {
	if a == b || Derives(b, a) {
		return true
	}
	for _, x := range a.Bases {
		if sharesBase(x.Class, b) {
			return true
		}
	}
	return false
}

// startsWith reports whether an object of type x has at its beginning one of class c,
// or of a base of it.
func startsWith(x Type, c *Class) bool {
	x = x.Element()
	return x.IsClass() && classStartsWith(x.Class, c)
}

func classStartsWith(x, c *Class) bool {
	if x == c || Derives(c, x) {
		return true
	}
	for i, f := range x.Fields {
		if (i == 0 || x.Union) && startsWith(f.Type, c) {
			return true
		}
	}
	for _, b := range x.Bases {
		if classStartsWith(b.Class, c) {
			return true
		}
	}
	return false
}

// Derives reports whether base is a direct or indirect base of c.
func Derives(c, base *Class) bool {
	for _, b := range c.Bases {
		if b.Class == base || Derives(b.Class, base) {
			return true
		}
	}
	return false
}

// BaseOffset returns the offset of a base in a class, which may be the class itself. Of a base
// that occurs more than once it is the first's.
func BaseOffset(c, base *Class) (int64, bool) {
	if c == base {
		return 0, true
	}
	for _, b := range c.Bases {
		if off, ok := BaseOffset(b.Class, base); ok {
			return b.Offset + off, true
		}
	}
	return 0, false
}
