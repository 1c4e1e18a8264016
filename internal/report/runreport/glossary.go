package runreport

// glossary explains every column, from the list that the tables use.
func (p *page) glossary() {
	p.heading("The columns")
	p.tell("| Column | What it means |\n|:--|:--|\n")
	for i, c := range append(callers(), servers()...) {
		if i < len(callers()) || c.head != "Topology" && c.head != "Protocol" {
			p.printf("| %s | %s |\n", p.say(c.head), p.say(c.meaning))
		}
	}
}

func (p *page) repeat() {
	p.heading("Do it again")
	p.tell("%s\nThe same report from the saved numbers, byte for byte: `make report`.\n",
		block("sh", or(p.run.Repeat, "h2lab "+p.run.Command)))
}
