package syntax

import "reflect"

// Equal reports whether two trees are the same but for their positions and
// comments. Brackets count: (a) is not a.
func Equal(a, b Node) bool {
	if !equalValues(reflect.ValueOf(a), reflect.ValueOf(b)) {
		return false
	}
	f, ok1 := a.(*File)
	g, ok2 := b.(*File)
	return !ok1 || !ok2 || equalAttributes(f, g)
}

var (
	spanType    = reflect.TypeFor[Span]()
	commentType = reflect.TypeFor[[]*Comment]()
	fileType    = reflect.TypeFor[File]()

	attributesType = reflect.TypeFor[map[Node][]*Attribute]()
)

// equalValues compares two parts of trees. A nil and an empty list are equal.
func equalValues(a, b reflect.Value) bool {
	if !a.IsValid() || !b.IsValid() {
		return a.IsValid() == b.IsValid()
	}
	if a.Type() != b.Type() {
		return false
	}
	switch a.Kind() {
	case reflect.Pointer, reflect.Interface:
		if a.IsNil() || b.IsNil() {
			return a.IsNil() == b.IsNil()
		}
		return equalValues(a.Elem(), b.Elem())
	case reflect.Slice:
		if a.Len() != b.Len() {
			return false
		}
		for i := range a.Len() {
			if !equalValues(a.Index(i), b.Index(i)) {
				return false
			}
		}
		return true
	case reflect.Struct:
		for i := range a.NumField() {
			field := a.Type().Field(i)
			if field.Type == spanType || field.Type == commentType || field.Type == attributesType || a.Type() == fileType && field.Name == "Name" {
				continue
			}
			if !equalValues(a.Field(i), b.Field(i)) {
				return false
			}
		}
		return true
	}
	return a.Interface() == b.Interface()
}
