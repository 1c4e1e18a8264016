package main

import (
	"errors"
	"fmt"
	"text/tabwriter"
	"time"

	"h2lab/internal/base/proc"
	"h2lab/internal/lab/clients"
	"h2lab/internal/lab/native"
	"h2lab/internal/lab/plan"
)

type doctorCmd struct{}

// Run says what is here. What is missing for the native runtime ends in
// status 3; Docker is a choice, so its lack is only told.
func (c *doctorCmd) Run(a *app) error {
	w := tabwriter.NewWriter(a.stdout, 0, 8, 2, ' ', 0)
	var missing []error
	for _, name := range everyTool {
		tools, err := native.FindTools(a.root, name)
		if err != nil {
			missing = append(missing, err)
			fmt.Fprintf(w, "%s\tmissing\t%v\n", name, err)
			continue
		}
		versions, err := tools.Versions(a.ctx)
		if err != nil {
			missing = append(missing, err)
		}
		fmt.Fprintf(w, "%s\t%s\t%s\n", name, orDash(versions[name]), a.show(pathOf(tools, name)))
	}
	c.ports(a, w)
	fmt.Fprintf(w, "certificates\t%s\n", certificates(a.root))
	m := proc.ThisMachine()
	fmt.Fprintf(w, "machine\t%d cores, %d MB\t%s, %s\n", m.Cores, m.MemoryMB, m.CPU, m.Kernel)
	fmt.Fprintf(w, "CPU budget\t%s\t\n", native.BudgetSupport())
	if reason := dockerLacks(a.ctx, a.root); reason != nil {
		fmt.Fprintf(w, "Docker\tnot usable\t%v\n", reason)
	} else {
		fmt.Fprintf(w, "Docker\tusable\t\n")
	}
	c.clients(a, w)
	if err := w.Flush(); err != nil {
		return err
	}
	if len(missing) > 0 {
		return missingError{fmt.Errorf("the native runtime lacks something: %w", errors.Join(missing...))}
	}
	return nil
}

// clients tells which client programs can be measured here; what lacks its
// toolchain is a row that says so, and no fault of the lab.
func (c *doctorCmd) clients(a *app, w *tabwriter.Writer) {
	all, err := clients.Read(a.root, "clients")
	if err != nil {
		fmt.Fprintf(w, "clients\tunknown\t%v\n", err)
		return
	}
	env := clients.Env(a.root)
	for _, e := range all {
		state := "to be built"
		if reason := e.Lacks(a.ctx, env); reason != "" {
			state = reason
		} else if e.Current() {
			state = "built"
		}
		fmt.Fprintf(w, "clients/%s\t%d rows\t%s\n", e.Name, len(e.Clients), state)
	}
}

// ports tells which of the lab's ports are taken, and by whom.
func (c *doctorCmd) ports(a *app, w *tabwriter.Writer) {
	taken := native.Taken(a.root, plan.Servers(plan.Topologies(plan.DefaultLimit)))
	if len(taken) == 0 {
		fmt.Fprintf(w, "ports\tfree\t\n")
	}
	for _, t := range taken {
		fmt.Fprintf(w, "port\ttaken\t%s\n", t)
	}
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// certificates says whether they are there and good, which the first run sees to.
func certificates(root string) string {
	if err := native.CheckCertificates(root, time.Now()); err != nil {
		return fmt.Sprintf("not good yet\t%v", err)
	}
	return "good\t"
}

// pathOf is where one tool was found.
func pathOf(t native.Tools, name string) string {
	return map[string]string{"nginx": t.Nginx, "envoy": t.Envoy, "k6": t.K6, "backend": t.Backend, "go-client": t.GoClient}[name]
}
