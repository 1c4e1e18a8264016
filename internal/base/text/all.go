package text

import "reflect"

// CleanAll is a copy of v in which every string, including map keys, is Clean.
func CleanAll[T any](v T) T { return Map(v, Clean) }

// Map is a copy of v with every string changed. It walks the types by reflection, so that it also
// covers fields added later.
func Map[T any](v T, change func(string) string) T {
	return mapped(reflect.ValueOf(&v).Elem(), change).Interface().(T)
}

func mapped(v reflect.Value, change func(string) string) reflect.Value {
	out := reflect.New(v.Type()).Elem()
	switch v.Kind() {
	case reflect.String:
		out.SetString(change(v.String()))
		return out
	case reflect.Struct:
		out.Set(v) // keeps unexported fields, as time.Time's
		for i := range v.NumField() {
			if out.Field(i).CanSet() {
				out.Field(i).Set(mapped(v.Field(i), change))
			}
		}
		return out
	case reflect.Slice:
		if v.IsNil() || v.Type().Elem().Kind() <= reflect.Complex128 { // numbers
			return v
		}
		out.Set(reflect.MakeSlice(v.Type(), v.Len(), v.Len()))
		for i := range v.Len() {
			out.Index(i).Set(mapped(v.Index(i), change))
		}
		return out
	case reflect.Map:
		return mappedMap(v, change)
	case reflect.Pointer:
		if !v.IsNil() {
			out.Set(reflect.New(v.Type().Elem()))
			out.Elem().Set(mapped(v.Elem(), change))
		}
		return out
	case reflect.Interface:
		if !v.IsNil() {
			out.Set(mapped(v.Elem(), change))
		}
		return out
	}
	return v
}

func mappedMap(v reflect.Value, change func(string) string) reflect.Value {
	if v.IsNil() {
		return v
	}
	out := reflect.MakeMapWithSize(v.Type(), v.Len())
	for _, k := range v.MapKeys() {
		out.SetMapIndex(mapped(k, change), mapped(v.MapIndex(k), change))
	}
	return out
}
