package runreport

import "h2lab/internal/base/textwrap"

func wrap(s string, width int) []string { return textwrap.Wrap(s, width) }
