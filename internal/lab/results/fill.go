package results

import (
	"reflect"
	"strings"
	"time"

	"h2lab/internal/base/text"
)

// filled is a copy of v in which every nil slice and map is an empty one, so that JSON has [] and
// {} where the schemas require array and object. It walks the types by reflection, so it also
// covers fields added later. It keeps nil pointers and interfaces: there nil means "unknown". It
// cuts texts to the longest that the schemas allow, so that a client program's output can't make
// the file unreadable.
func filled[T any](v T) T {
	return fill(reflect.ValueOf(v)).Interface().(T)
}

var timeType = reflect.TypeFor[time.Time]()

func fill(v reflect.Value) reflect.Value {
	switch {
	case v.Type() == timeType: // its fields are internal
		return v
	case v.Kind() == reflect.Struct:
		out := reflect.New(v.Type()).Elem()
		for i := range v.NumField() {
			out.Field(i).Set(fill(v.Field(i)))
		}
		return out
	case v.Kind() == reflect.Slice:
		out := reflect.MakeSlice(v.Type(), v.Len(), v.Len())
		for i := range v.Len() {
			out.Index(i).Set(fill(v.Index(i)))
		}
		return out
	case v.Kind() == reflect.Map:
		out := reflect.MakeMapWithSize(v.Type(), v.Len())
		for _, k := range v.MapKeys() {
			out.SetMapIndex(k, fill(v.MapIndex(k)))
		}
		return out
	case v.Kind() == reflect.String:
		out := reflect.New(v.Type()).Elem()
		out.SetString(text.Clip(strings.ToValidUTF8(v.String(), "\ufffd"), longestText))
		return out
	default:
		return v
	}
}

// longestText is the schemas' maximum, in characters.
const longestText = 65536
