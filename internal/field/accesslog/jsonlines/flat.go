package jsonlines

import (
	"encoding/json"
	"slices"

	"github.com/tidwall/gjson"
)

// writers are the attributes of a resource that tell servers apart, the most exact first (OpenTelemetry's semantic
// conventions, and Envoy's access logger).
var writers = []string{"k8s.pod.name", "service.instance.id", "container.name", "node_name", "host.name"}

// flat writes OpenTelemetry's list of attributes as an object, with the body, the time and the name of what wrote the
// record. Another object stays as it is.
func flat(record, resource []byte) []byte {
	attributes := gjson.GetBytes(record, "attributes")
	if !attributes.IsArray() || !attributes.Get("0.key").Exists() {
		return record
	}
	out := keyed(attributes)
	for key, value := range map[string]any{"body": plain(gjson.GetBytes(record, "body")),
		"time": gjson.GetBytes(record, "timeUnixNano").String()} {
		if out[key] == nil {
			out[key] = value
		}
	}
	of := keyed(gjson.GetBytes(resource, "attributes"))
	if i := slices.IndexFunc(writers, func(w string) bool { return of[w] != nil }); i >= 0 {
		out["hostname"] = of[writers[i]]
	}
	line, err := json.Marshal(out)
	if err != nil {
		return record
	}
	return line
}

// keyed is a list of keys with values as an object.
func keyed(list gjson.Result) map[string]any {
	out := map[string]any{}
	list.ForEach(func(_, item gjson.Result) bool {
		out[item.Get("key").Str] = plain(item.Get("value"))
		return true
	})
	return out
}

// plain is a value without its type: {"stringValue":"x"} is x. A list within it becomes nothing.
func plain(value gjson.Result) (out any) {
	value.ForEach(func(key, v gjson.Result) bool {
		switch key.Str {
		case "kvlistValue":
			out = keyed(v.Get("values"))
		case "arrayValue", "bytesValue":
		default:
			out = v.Value()
		}
		return false
	})
	return out
}

// paired is Loki's list of a time and a line as an object, with the labels of its stream.
func paired(list, labels []byte) []byte {
	pair := gjson.ParseBytes(list).Array()
	if len(pair) < 2 {
		return list
	}
	out := map[string]any{"timestamp": pair[0].String(), "line": pair[1].String()}
	if gjson.ValidBytes(labels) {
		out["labels"] = json.RawMessage(labels)
	}
	line, err := json.Marshal(out)
	if err != nil {
		return list
	}
	return line
}
