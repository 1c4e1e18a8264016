package accesslog

import "github.com/tidwall/gjson"

const mostLeaves, mostDeep = 512, 8

// leaves are the values of the sample's objects by the keys that lead to them. Lists are passed through: their
// items have the same keys.
func leaves(lines [][]byte) []column {
	var cols []column
	at := map[string]int{}
	for l, line := range lines {
		var walk func(v gjson.Result, path []string, id string)
		walk = func(v gjson.Result, path []string, id string) {
			list := v.IsArray()
			v.ForEach(func(key, value gjson.Result) bool {
				in, inID := path, id
				if !list {
					in, inID = append(path[:len(path):len(path)], key.Str), id+"\x00"+jsonName(key.Str)
				}
				if value.IsObject() || value.IsArray() {
					if len(path) < mostDeep {
						walk(value, in, inID)
					}
					return true
				}
				i, known := at[inID]
				if !known && len(cols) < mostLeaves {
					i, at[inID] = len(cols), len(cols)
					cols = append(cols, column{path: in, values: make([]string, len(lines))})
					known = true
				}
				if known && value.Type != gjson.Null {
					cols[i].values[l], cols[i].list = value.String(), list
				}
				return true
			})
		}
		walk(gjson.ParseBytes(line), nil, "")
	}
	return cols
}

// reads makes the reader read a field under the keys that lead to it.
func (b *branch) reads(path []string, f field, lists bool) {
	name := jsonName(path[0])
	if len(path) == 1 && !lists {
		b.names[name] = f
		return
	}
	sub := b.subs[name]
	if sub == nil {
		sub = &branch{names: map[string]field{}, subs: map[string]*branch{}}
		if b.subs == nil {
			b.subs = map[string]*branch{}
		}
		b.subs[name] = sub
	}
	if len(path) == 1 {
		sub.names[""] = f // a list of strings
		return
	}
	sub.reads(path[1:], f, lists)
}
