package accesslog

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"h2lab/internal/base/labtest"
	"h2lab/internal/field/cure"
)

// several are records as collectors write several of them.
var several = []struct {
	name   string
	as     func(request) string
	server string
	of     int // records at once
	// before, between and after stand around the records.
	before, between, after string
}{
	{"one array", asJSON, cure.Nginx, 1 << 20, "[\n  ", ",\n  ", "\n]\n"},
	{"without a newline", asJSON, cure.Nginx, 1 << 20, "", "", ""},
	{"on several lines each", indented, cure.Nginx, 1, "", "", "\n"},
	{"Azure's records", written(`{"time":"ISO","category":"FrontDoorAccessLog","properties":{"requestUri":"https://a:443PATH",` +
		`"clientIp":"ADDR","clientPort":"PORT","httpStatusCode":"200"}}`), cure.Unknown, 7, `{"records":[`, ",", "]}\n"},
	{"CloudWatch's subscription", inJSON(`{"id":"1","timestamp":MILLIS,"message":LINE}`)(asCombined), cure.Nginx, 5,
		`{"messageType":"DATA_MESSAGE","logStream":"web-1","logEvents":[`, ",", "]}"},
	{"OpenTelemetry's attributes", asOTLP, cure.Envoy, 25, `{"resourceLogs":[{"resource":{"attributes":[{"key":"node_name",` +
		`"value":{"stringValue":"envoy-1"}}]},"scopeLogs":[{"scope":{},"logRecords":[`, ",", "]}]}]}\n"},
	{"one record of OpenTelemetry's", asOTLP, cure.Envoy, 1, `{"resourceLogs":[{"scopeLogs":[{"logRecords":[`, ",", "]}]}]}\n"},
	{"Loki's push", func(r request) string { return fmt.Sprintf(`["%d",%q]`, r.at.UnixNano(), asCombined(r)) }, cure.Nginx, 12,
		`{"streams":[{"stream":{"app":"web","pod":"web-1"},"values":[`, ",", "]}]}\n"},
	{"Elasticsearch's answer", func(r request) string { return `{"_id":"x","_source":` + asJSON(r) + "}" }, cure.Nginx, 1 << 20,
		`{"took":1,"hits":{"total":{"value":9},"hits":[`, ",", "]}}"},
}

func indented(r request) string {
	var line any
	if err := json.Unmarshal([]byte(asJSON(r)), &line); err != nil {
		panic(err)
	}
	out, err := json.MarshalIndent(line, "", "  ")
	if err != nil {
		panic(err)
	}
	return string(out)
}

func asOTLP(r request) string {
	return written(`{"timeUnixNano":"NANOS","body":{"stringValue":"a request"},"attributes":[` +
		`{"key":"path","value":{"stringValue":"PATH"}},{"key":"response_code","value":{"intValue":"200"}},` +
		`{"key":"downstream_remote_address","value":{"stringValue":"ADDR:PORT"}},` +
		`{"key":"response_flags","value":{"stringValue":"-"}}]}`)(r)
}

// Records are read wherever they stand, also in a log whose first part is all that is there yet.
func TestSeveralRecordsALine(t *testing.T) {
	w := world{length: mins, limit: 100, crowds: []crowd{{n: 3, agent: goClient, every: 75 * time.Millisecond}}}
	lines := w.run()
	for _, c := range several {
		var log strings.Builder
		for from := 0; from < len(lines); from += c.of {
			log.WriteString(c.before)
			for i, r := range lines[from:min(len(lines), from+c.of)] {
				if i > 0 {
					log.WriteString(c.between)
				}
				log.WriteString(c.as(r))
			}
			log.WriteString(c.after)
		}
		check(t, c.name, log.String(), len(lines), c.server)
	}
}

// A log whose first record is cut off is named once, with what is wrong.
func TestARecordThatIsCutOffIsNamed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cut.json")
	labtest.Write(t, path, `{"resourceLogs":[{"scopeLogs":[{"logRecords":[{"attr`)
	_, err := Read(t.Context(), []string{path}, nil, Options{})
	if want := path + " is cut off in the middle of a JSON record after 0 whole ones"; err == nil || err.Error() != want {
		t.Errorf("%v, want %s", err, want)
	}
}
