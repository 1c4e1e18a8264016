package versions

import "testing"

func TestWhatProgramsPrint(t *testing.T) {
	for _, c := range []struct{ program, printed, text, version string }{
		{"nginx", "nginx version: nginx/1.22.1\n", "1.22.1", "1.22.1"},
		{"nginx", "nginx version: nginx/1.29.4 (Ubuntu)\nbuilt with OpenSSL 3.0.2", "1.29.4", "1.29.4"},
		{"envoy",
			"\n/opt/envoy-1.38.2/envoy  version: " +
				"816188b86a0a52095b116b107f576324082c7c02/1.40.0/Clean/RELEASE/BoringSSL\n", "1.40.0", "1.40.0"},
		{"envoy", "envoy  version: 816188b86a0a52095b116b107f576324082c7c02/1.41.0-dev/Modified/RELEASE/BoringSSL",
			"1.41.0-dev", "1.41.0"},
		{"envoy", `{"version": "816188b86a0a52095b116b107f576324082c7c02/1.39.1/Clean/RELEASE/BoringSSL"}`,
			"1.39.1", "1.39.1"},
		{"k6", "k6 v1.2.3 (commit/deadbeef, go1.24.4, linux/amd64)", "1.2.3", "1.2.3"},
		{"k6", "k6.exe v0.57.0 (go1.23.6, windows/amd64)", "", ""},
		{"openssl", "OpenSSL 3.0.17 1 Jul 2025 (Library: OpenSSL 3.0.17 1 Jul 2025)", "3.0.17", "3.0.17"},
		{"openssl", "LibreSSL 3.3.6", "3.3.6", "3.3.6"},
		{"openssl", "OpenSSL 1.1.1w  11 Sep 2023", "1.1.1w", "1.1.1"},
		{"docker", "Docker version 27.1.1, build 6312585", "27.1.1", "27.1.1"},
		{"docker compose", "v2.24.0-desktop.1", "2.24.0-desktop.1", "2.24.0"},
		{"docker compose", "2.20.2+ds1-0ubuntu1~22.04.1", "2.20.2+ds1-0ubuntu1~22.04.1", "2.20.2"},
		{"h2load", "h2load nghttp2/1.52.0", "1.52.0", "1.52.0"},
		{"java", "openjdk version \"21\" 2023-09-19", "21", "21.0.0"},
		{"node", "v20.20.2", "20.20.2", "20.20.2"},
		{"cargo", "cargo 1.08.00", "1.08.00", "1.8.0"},
		{"openresty", "nginx version: openresty/1.25.3.1", "1.25.3.1", "1.25.3"},
		{"nginx", "nginx version: nginx/", "", ""},
		{"x", "no number", "", ""},
	} {
		v, found := Of(c.program, c.printed)
		if found != (c.text != "") || v.Text != c.text || v.String() != c.version {
			t.Errorf("%s, %q: %q, %s, %v; want %q, %s", c.program, c.printed, v.Text, v, found, c.text, c.version)
		}
	}
}

func TestParse(t *testing.T) {
	for text, want := range map[string]string{"1.39": "1.39.0", "v3.0.4": "3.0.4", "2.11.0-rc1": "2.11.0",
		"1.2.3+x": "1.2.3", "1.02": "1.2.0"} {
		if v, err := Parse(text); err != nil || v.String() != want {
			t.Errorf("%q: %v, %v", text, v, err)
		}
	}
	for _, text := range []string{"", "1", "1.2.3.4", "latest", "1.x", "1.2 ", "-1.2", "1..2", "v", "1.2.3rc1",
		"1.99999999999"} {
		if v, err := Parse(text); err == nil {
			t.Errorf("%q is taken for %v", text, v)
		}
	}
}

func TestOrder(t *testing.T) {
	v := New(1, 29, 4)
	for _, older := range []Version{New(1, 29, 3), New(1, 9, 10), New(0, 99), {}, New(1, 29)} {
		if !older.Less(v) || v.Less(older) {
			t.Errorf("%v is not older than %v", older, v)
		}
	}
	if !v.AtLeast(1, 29, 4) || !v.AtLeast(1, 29) || !v.AtLeast(0, 99) || v.AtLeast(1, 29, 5) || v.AtLeast(1, 30) ||
		v.AtLeast(2) {
		t.Error("1.29.4 is not where it belongs")
	}
	if (Version{}).AtLeast(0, 0) {
		t.Error("an unknown version has what 0.0 brought")
	}
	candidate, _ := Parse("2.11.0-rc1")
	if !candidate.AtLeast(2, 11) {
		t.Error("a candidate lacks what its release brings")
	}
}
