package output

import (
	"strings"
	"testing"
)

func TestACommandKeepsTheWholeQuestion(t *testing.T) {
	q := Question{URL: "https://h:1/a?b=1&c", Method: "POST", Header: []string{"X-Tenant: it's a", "accept: */*"},
		Data: "a b", CACert: "my ca.crt", ServerName: "other.example", Insecure: true, HTTP1: true}
	want := `h2lab trace --limit 7 --http1 --cacert 'my ca.crt' --insecure --servername other.example --method POST ` +
		`--data 'a b' -H 'X-Tenant: it'\''s a' -H 'accept: */*' 'https://h:1/a?b=1&c'`
	if got := q.Command("trace", "--limit 7"); got != want {
		t.Errorf("got  %s\nwant %s", got, want)
	}
	if got := (Question{URL: "https://h/", Method: "GET"}).Command("probe"); got != "h2lab probe https://h/" {
		t.Error(got)
	}
}

func TestACommandPrintsNoSecrets(t *testing.T) {
	for _, h := range []string{"Authorization: Bearer s3cret", "cookie:s3cret", "X-API-Key: s3cret",
		"Proxy-Authorization: Basic s3cret"} {
		got := Question{URL: "https://h/", Header: []string{h}}.Command("probe")
		name, _, _ := strings.Cut(h, ":")
		if strings.Contains(got, "s3cret") || !strings.Contains(got, name+": $") || !strings.Contains(got, " # $") {
			t.Error(got)
		}
	}
}
