package kinds

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"h2lab/internal/facts"
)

// HAProxy is the kind of haproxy.
const HAProxy facts.Kind = "haproxy"

// haproxy has a limit on the requests of an HTTP/2 connection since 2.9 (tune.h2.fe.max-total-streams); the lab's
// configuration has none, so that the stable Debian's 2.6 reads it.
var haproxy = Kind{
	Name: HAProxy, Program: "haproxy", Install: "tools/get.sh haproxy", Optional: true, Tier: 3,
	Least:      "2.4.0", // ssl-load-extra-del-ext
	AskVersion: []string{"-v"},
	Folder:     "haproxy", Limit: "tune.h2.fe.max-total-streams",
	Argv: func(_ string, s facts.Server) []string { return []string{"-db", "-f", s.Config} },
	Recognise: func(_ string, args []string) bool {
		return configIn(args, " -db -f ", "haproxy")
	},
	Health: "/lab/health", Ready: "/stats;csv",
	// conn_tot counts a connection when HAProxy accepts it. Which of them carried a request it doesn't count.
	Counters: Counters{Path: "/stats;csv", Shown: "/stats", Read: readHAProxy,
		Accepted: []string{"conn_tot"}, Requests: []string{"req_tot"}, Names: [2]string{"conn_tot", "req_tot"},
		Ended: []string{"conn_tot", "-scur"}},
}

// readHAProxy reads the numbers of the frontend that clients dial. The listener of the statistics is another one.
func readHAProxy(page []byte) (map[string]int64, error) {
	rows, err := csv.NewReader(bytes.NewReader(bytes.TrimPrefix(page, []byte("# ")))).ReadAll()
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(rows, func(row []string) bool { return len(row) > 1 && row[0] == "front" && row[1] == "FRONTEND" })
	if at < 1 {
		return nil, errors.New("no frontend front in the statistics")
	}
	raw := map[string]int64{}
	for i, name := range rows[0] {
		wanted := slices.Contains([]string{"conn_tot", "req_tot", "stot", "scur", "ereq"}, name) || strings.HasPrefix(name, "hrsp_")
		if !wanted || rows[at][i] == "" {
			continue
		}
		if raw[name], err = strconv.ParseInt(rows[at][i], 10, 64); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return raw, nil
}
