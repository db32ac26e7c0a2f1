package findings

import (
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
)

// A validator checks a value against the part of JSON Schema that the schemas of reports use.
type validator struct{ root map[string]any }

// validate returns what is wrong with a value at a path.
func (v *validator) validate(path string, schema map[string]any, value any) (wrong []string) {
	if ref, ok := schema["$ref"].(string); ok {
		at := any(v.root)
		for _, key := range strings.Split(strings.TrimPrefix(ref, "#/"), "/") {
			at = at.(map[string]any)[key]
		}
		return v.validate(path, at.(map[string]any), value)
	}
	say := func(format string, args ...any) { wrong = append(wrong, path+": "+fmt.Sprintf(format, args...)) }
	if enum, ok := schema["enum"].([]any); ok && !slices.ContainsFunc(enum, func(e any) bool { return reflect.DeepEqual(e, value) }) {
		say("%v is not one of %v", value, enum)
	}
	if want, ok := schema["const"]; ok && !reflect.DeepEqual(want, value) {
		say("%v is not %v", value, want)
	}
	if want, ok := schema["type"].(string); ok && !isType(want, value) {
		say("%v is not of type %s", value, want)
		return wrong
	}
	if least, ok := schema["minimum"].(float64); ok {
		if n, number := value.(float64); number && n < least {
			say("%v is below %v", n, least)
		}
	}
	switch value := value.(type) {
	case map[string]any:
		wrong = append(wrong, v.object(path, schema, value)...)
	case []any:
		if least, ok := schema["minItems"].(float64); ok && float64(len(value)) < least {
			say("%d items", len(value))
		}
		if items, ok := schema["items"].(map[string]any); ok {
			for i, x := range value {
				wrong = append(wrong, v.validate(fmt.Sprintf("%s[%d]", path, i), items, x)...)
			}
		}
	}
	return wrong
}

// object checks the fields of an object.
func (v *validator) object(path string, schema, value map[string]any) (wrong []string) {
	required, _ := schema["required"].([]any)
	for _, r := range required {
		if _, ok := value[r.(string)]; !ok {
			wrong = append(wrong, fmt.Sprintf("%s: %s is missing", path, r))
		}
	}
	properties, _ := schema["properties"].(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(value)) {
		if p, ok := properties[name].(map[string]any); ok {
			wrong = append(wrong, v.validate(path+"."+name, p, value[name])...)
		} else if schema["additionalProperties"] == false {
			wrong = append(wrong, fmt.Sprintf("%s: %s is not in the schema", path, name))
		}
	}
	return wrong
}

func isType(want string, value any) bool {
	switch value := value.(type) {
	case map[string]any:
		return want == "object"
	case []any:
		return want == "array"
	case string:
		return want == "string"
	case bool:
		return want == "boolean"
	case float64:
		return want == "number" || want == "integer" && value == float64(int64(value))
	}
	return false
}
