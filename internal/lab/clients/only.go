package clients

import (
	"fmt"
	"slices"
	"strings"
)

// Only selects what ONLY names: an ecosystem, a client, or the beginning of clients' names up to a
// hyphen or a dot (okhttp, undici-7). No words select all.
func Only(all []Ecosystem, words []string) ([]Ecosystem, error) {
	if len(words) == 0 {
		return all, nil
	}
	var out []Ecosystem
	used := map[string]bool{}
	for _, e := range all {
		var kept []Client
		for _, c := range e.Clients {
			if i := slices.IndexFunc(words, func(w string) bool {
				return w == e.Name || begins(string(c.Name), w)
			}); i >= 0 {
				kept = append(kept, c)
			}
		}
		for _, w := range words {
			used[w] = used[w] || w == e.Name || slices.ContainsFunc(e.Clients, func(c Client) bool {
				return begins(string(c.Name), w)
			})
		}
		if e.Clients = kept; len(kept) > 0 {
			out = append(out, e)
		}
	}
	for _, w := range words {
		if !used[w] {
			return nil, fmt.Errorf("ONLY=%s is neither an ecosystem nor a client: choose from %s, or from the "+
				"names in clients/*/client.json",
				w, strings.Join(names(all), ", "))
		}
	}
	return out, nil
}

func begins(name, word string) bool {
	rest, ok := strings.CutPrefix(name, word)
	return ok && word != "" && (rest == "" || rest[0] == '-' || rest[0] == '.')
}

func names(all []Ecosystem) (out []string) {
	for _, e := range all {
		out = append(out, e.Name)
	}
	return out
}

// TakingRate are the ecosystems with those clients that can send requests on a schedule; without is the
// number of the others.
func TakingRate(all []Ecosystem) (takes []Ecosystem, without int) {
	for _, e := range all {
		every := len(e.Clients)
		e.Clients = slices.DeleteFunc(slices.Clone(e.Clients), func(c Client) bool { return !c.Rate })
		without += every - len(e.Clients)
		if len(e.Clients) > 0 {
			takes = append(takes, e)
		}
	}
	return takes, without
}
