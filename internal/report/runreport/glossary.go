package runreport

// glossary explains every column, from the list that the tables use.
func (p *page) glossary() {
	p.Heading("Columns")
	p.PrintPhrase("| Column | Meaning |\n|:--|:--|\n")
	for i, c := range append(callers(), servers()...) {
		if i < len(callers()) || c.head != "Topology" && c.head != "Protocol" {
			p.Printf("| %s | %s |\n", p.Say(c.head), p.Say(c.meaning))
		}
	}
}

func (p *page) repeat() {
	p.Heading("Repeat this run")
	p.PrintPhrase("%s\n`make report` draws the same report again from the saved numbers, byte for byte.\n",
		block("sh", or(p.run.Repeat, "h2lab "+p.run.Command)))
}
