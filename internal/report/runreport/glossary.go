package runreport

// glossary explains every column, from the list that the tables use.
func (p *page) glossary() {
	p.heading("Columns")
	p.printPhrase("| Column | Meaning |\n|:--|:--|\n")
	for i, c := range append(callers(), servers()...) {
		if i < len(callers()) || c.head != "Topology" && c.head != "Protocol" {
			p.printf("| %s | %s |\n", p.say(c.head), p.say(c.meaning))
		}
	}
}

func (p *page) repeat() {
	p.heading("Repeat this run")
	p.printPhrase("%s\n`make report` draws the same report again from the saved numbers, byte for byte.\n",
		block("sh", or(p.run.Repeat, "h2lab "+p.run.Command)))
}
