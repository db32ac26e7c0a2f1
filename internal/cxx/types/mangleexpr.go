package types

// isConst reports whether e is a constant.
func (e *Expr) isConst() bool {
	return e.Op == "" && e.Param == nil && e.Name == "" && e.Type.IsValid()
}

// expr writes an expression that depends on parameters.
func (m *mangler) expr(e *Expr) {
	switch {
	case e == nil:
		return
	case e.Op == "" && e.Param != nil:
		m.valueParam(e.Param)
		return
	case e.Op == "" && e.Name != "":
		m.exprName(e)
		return
	case e.Op == "":
		m.value(e.Type, e.Value, false)
		return
	}
	switch e.Op {
	case "fp", "fL0p":
		m.str(e.Op)
		m.decimalSeq(e.Index)
		return
	case "fpT":
		m.str("fpT")
		return
	case "sr":
		m.str("sr")
		if e.Path == nil {
			m.typ(e.Type)
		}
		for _, s := range e.Path {
			m.name(s)
		}
		if e.Path != nil {
			m.b = append(m.b, 'E')
		}
		m.exprName(e)
		return
	case "gs":
		m.str("gs")
		m.exprName(e)
		return
	case "pp_", "mm_":
		m.str(e.Op)
		m.expr(e.Args[0])
		return
	case "sZ":
		m.str("sZ")
		m.valueParam(e.Param)
		return
	case "on":
		m.str("on")
		m.str(OperatorCode(e.Name, len(e.Args) == 1))
		return
	}
	if len(e.Op) != 2 { // not known: a vendor's operator without operands
		m.unknown = e
		m.str("v09dependent")
		return
	}
	m.str(e.Op)
	if e.Type.IsValid() {
		m.typ(e.Type)
	}
	if e.Op == "cv" && len(e.Args) != 1 {
		m.b = append(m.b, '_')
	}
	for _, x := range e.Args {
		m.expr(x)
	}
	switch e.Op {
	case "dt", "pt":
		m.exprName(e)
	case "cl", "tl", "il":
		m.b = append(m.b, 'E')
	case "cv":
		if len(e.Args) != 1 {
			m.b = append(m.b, 'E')
		}
	}
}

// exprName writes a name in an expression, with the arguments of a template.
func (m *mangler) exprName(e *Expr) {
	m.name(e.Name)
	if e.TArgs != nil {
		m.args(e.TArgs)
	}
}

// An operatorCode is how the ABI names an operator function.
type operatorCode struct{ sign, unary, binary string }

var operatorCodes = [...]operatorCode{
	{"new", "nw", "nw"}, {"new[]", "na", "na"}, {"delete", "dl", "dl"}, {"delete[]", "da", "da"}, {"~", "co", "co"}, {"+", "ps", "pl"},
	{"-", "ng", "mi"}, {"*", "de", "ml"}, {"/", "dv", "dv"}, {"%", "rm", "rm"}, {"&", "ad", "an"}, {"|", "or", "or"}, {"^", "eo", "eo"},
	{"=", "aS", "aS"}, {"+=", "pL", "pL"}, {"-=", "mI", "mI"}, {"*=", "mL", "mL"}, {"/=", "dV", "dV"}, {"%=", "rM", "rM"},
	{"&=", "aN", "aN"}, {"|=", "oR", "oR"}, {"^=", "eO", "eO"}, {"<<", "ls", "ls"}, {">>", "rs", "rs"}, {"<<=", "lS", "lS"},
	{">>=", "rS", "rS"}, {"==", "eq", "eq"}, {"!=", "ne", "ne"}, {"<", "lt", "lt"}, {">", "gt", "gt"}, {"<=", "le", "le"},
	{">=", "ge", "ge"}, {"!", "nt", "nt"}, {"&&", "aa", "aa"}, {"||", "oo", "oo"}, {"++", "pp", "pp"}, {"--", "mm", "mm"},
	{",", "cm", "cm"}, {"->*", "pm", "pm"}, {"->", "pt", "pt"}, {"()", "cl", "cl"}, {"[]", "ix", "ix"}, {"?", "qu", "qu"},
}

// OperatorCode returns the ABI's code of an operator by its sign, and "" for what is none.
func OperatorCode(sign string, unary bool) string {
	for _, o := range operatorCodes {
		if o.sign == sign {
			if unary {
				return o.unary
			}
			return o.binary
		}
	}
	return ""
}
