package family

func node() server {
	return server{
		id: "node", short: "Node.js", name: "Node.js's or Bun's http2, or something built on it",
		settings: []shape{{weight: fair, source: "measured: node-20", fields: []field{}}},
		grpc:     true, // grpc-js
		quiet:    true,
		find:     "grep -rnE 'goaway\\(|setTimeout\\(|session\\.close\\(' --include='*.js' --include='*.ts' .",
		row: row{"Node.js and Bun `http2`", "none", "only where the program says so (`session.close()`, `session.goaway()`)",
			"as the program does",
			"none unless `setTimeout` is used", "measured (Bun answers some streams above its GOAWAY's id)"},
	}
}
