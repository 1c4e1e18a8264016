package watch

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"
)

// The fields that Grafana needs to import a dashboard, and that its panels need to show data.
func TestTheDashboardCanBeImported(t *testing.T) {
	text, err := os.ReadFile("../../../docs/alerts/grafana-dashboard.json")
	if err != nil {
		t.Fatal(err)
	}
	var board struct {
		Title         string
		UID           string
		SchemaVersion int
		Templating    struct {
			List []struct{ Name, Type, Query any }
		}
		Panels []struct {
			ID         int
			Type       string
			Title      string
			Datasource struct{ Type, UID string }
			GridPos    struct{ X, Y, W, H int }
			Targets    []struct {
				Expr       string
				Datasource struct{ UID string }
			}
		}
	}
	if err := json.Unmarshal(text, &board); err != nil {
		t.Fatal(err)
	}
	if board.Title == "" || board.UID == "" || board.SchemaVersion < 36 || len(board.Panels) < 6 {
		t.Errorf("%q %q %d, %d panels", board.Title, board.UID, board.SchemaVersion, len(board.Panels))
	}
	if v := board.Templating.List[0]; v.Name != "datasource" || v.Type != "datasource" || v.Query != "prometheus" {
		t.Errorf("the first variable is %+v: every panel's data source comes from it", v)
	}
	ids := map[int]bool{}
	for _, p := range board.Panels {
		if ids[p.ID] || p.Datasource.UID != "${datasource}" || len(p.Targets) == 0 || p.GridPos.X+p.GridPos.W > 24 ||
			p.GridPos.W == 0 || p.GridPos.H == 0 {
			t.Errorf("panel %d %q: %+v", p.ID, p.Title, p)
		}
		ids[p.ID] = true
		for _, target := range p.Targets {
			if target.Expr == "" || target.Datasource.UID != "${datasource}" {
				t.Errorf("panel %q: %+v", p.Title, target)
			}
		}
	}
	rules, err := os.ReadFile("../../../docs/alerts/h2-connections.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	for _, recorded := range regexp.MustCompile(`h2:[a-z0-9_]+:[a-z0-9]+`).FindAllString(string(text), -1) {
		if !strings.Contains(string(rules), "record: "+recorded) {
			t.Errorf("no rule records %s", recorded)
		}
	}
}

// The alert rules must have the command's thresholds.
func TestTheRulesHaveTheCommandsThresholds(t *testing.T) {
	rules, err := os.ReadFile("../../../docs/alerts/h2-connections.rules.yml")
	if err != nil {
		t.Fatal(err)
	}
	if UsualRatio != 25 || (Rule{Limit: 1000}).Complete().MinRatio != 200 {
		t.Error("the command's thresholds have changed: change the rules, their tests and these lines")
	}
	for _, want := range []string{"ratio5m < 25 and", "ratio5m < 200 and"} {
		if !strings.Contains(string(rules), want) {
			t.Errorf("no rule with %q", want)
		}
	}
}
