package decode

import "strings"

// A text can be about another protocol than HTTP/2, or only name one: an address, a request that is quoted, and what carried a
// request say nothing of the connection that failed. The scheme of an address does.

// notHTTP matches the names of other protocols' clients.
var notHTTP = lazily(`mysql|mariadb|postgres|psql|\bpq:|sqlstate|\bsql\b|jdbc|redis|mongo|kafka|` +
	`amqp|rabbitmq|` +
	`cassandra|ldap|` +
	`smtp|\bssh\b|\bftp(?:lib|s)?\b|websocket|wss?://|memcache|zookeeper|elasticsearch transport|` +
	`quic|http/3|\bh3\b|webrtc|mqtt|\bnats\b|\bfile:/|pulsar|\bstomp\b|\bjms\b|activemq|couchbase|\boracle\b|` +
	`\bora-\d|hikari|\bimap\b|\bpop3\b|\bsftp\b|\brsync\b|\bsip\b|rtmp|clickhouse|influx|activerecord|dbconnection|sqlalchemy|\bsmb\b|\bnfs\b|` +
	`functionclauseerror|processbuilder|pipedinputstream|\bhy000\b|yamux|tcpros|\btransportiniterror\b|to service this operation|fastcgi://|uwsgi://|` +
	`\bxmpp\b|\bsnmp\b|\bbgp\b|\bmodbus\b|\blightningd\b|\blnd\b|\b(?:lib|dev)p2p\b|bittorrent|openvpn|wireguard|` +
	// OpenSSH and git over it, QUIC's own time-outs (quic-go, IdleTimeoutError and HandshakeTimeoutError)
	`ssh_exchange_ident|connection to [\w.:-]+ closed by remote host|kex_exchange_ident|client_loop: |\bgit@[\w.-]+:[\w~/]|could not read from remote repository|` +
	`tls key negotiation failed|closing link: |application error 0x[0-9a-f]+ \((?:remote|local)\)|no recent network activity|handshake did not complete in time`)

// sourceFile matches a place in a program's source, whose name says nothing about the connection:
// client-go's cache is in memcache.go.
var sourceFile = lazily(`[\w./-]+\.(?:go|java|kt|py|rb|js|ts|rs|cc|cpp|exs?|erl|php|swift)\b`)

// mentioned matches where a text names something without being about it: what follows the scheme of an address, a request's line or its
// field, the host that was looked up or dialled, and what a server advertises.
var mentioned = lazily(`://[^\s"'<>,;)\]}]*|` +
	`\b(?:get|head|post|put|patch|delete|options) [/*][^\s"']*(?: http/[\d.]+)?|` +
	`["']?\b(?:url|uri|path|host|authority|proto|protocol|requestprotocol|request_protocol|referr?er)["']?(?: ?: ?| ?=)["'](?:https?:)?[^"']*["']|` +
	`\bdownstream (?:protocol )?http/3\S*|\brequestprotocol=http/3\S*|alt-svc\W{1,6}h3[^\s]*(?: ma=\d+[^\s]*)*|` +
	`\bfunctionclauseerror\b.*?\blast message: \{:?(?:tcp|ssl|gun)_|` + // the exception only says that no one expected the message
	`\b(?:lookup|enotfound|eai_again|hostname|host:?) ["']?[\w-]+(?:\.[\w-]+){2,}|\b[\w-]+(?:\.[\w-]+){2,}:(?:80|443|8080|8443)\b`)

// overTCP matches the failure of a connection over TCP, carrier what brought the request over another.
var (
	overTCP = lazily(`\b(?:dial|read|write) tcp\b|\bconnectex\b|originservice["']?[=:] ?["']?https?://`)
	carrier = lazily(`\b(?:quic|http/3(?:\.0)?|h3)\b`)
)

// elsewhere are the parts of a text in lower case that name protocols which did not fail.
func elsewhere(low string) (out []span) {
	for _, m := range mentioned().FindAllStringIndex(low, -1) {
		from := m[0]
		if strings.HasPrefix(low[from:], "://") {
			from += len("://")
		}
		out = append(out, span{from, m[1]})
	}
	if overTCP().MatchString(low) {
		for _, m := range carrier().FindAllStringIndex(low, -1) {
			out = append(out, span{m[0], m[1]})
		}
	}
	return out
}

// blanked is a text with gaps in place of its parts.
func blanked(s string, parts []span) string {
	b := []byte(s)
	for _, part := range parts {
		for i := part.from; i < part.to; i++ {
			b[i] = gap
		}
	}
	return string(b)
}

// byHTTP matches how Go names the request that failed (net/url, Error): whatever the other words name, it went over HTTP.
var byHTTP = lazily(`\b(?:get|head|post|put|patch|delete) "https?://[^"]+": `)

// ofAnother reports whether a text in lower case is about another protocol.
func ofAnother(low string) bool {
	return notHTTP().MatchString(low) && !(strings.Contains(low, "\"http") && byHTTP().MatchString(low)) &&
		notHTTP().MatchString(sourceFile().ReplaceAllString(blanked(low, elsewhere(low)), ""))
}

// http3 matches texts about HTTP/3, whose frames have the same names; http2 those about HTTP/2.
var (
	http3 = lazily(`\bquic\b|http/3|\bhttp3\b|\bh3\b|\bh3_|application error 0x1(?:0[0-9a-f]|10)\b|` +
		`error code:? (?:25[6-9]|26\d|27[0-2]|0x1(?:0[0-9a-f]|10))\b`)
	http2 = lazily(`http/?2|\bh2c?\b|grpc`)
)

// ofHTTP3 reports whether the text is about HTTP/3. The expressions run only on the few texts that can be.
func (p *proofs) ofHTTP3() bool {
	return !strings.Contains(p.low, "http2") &&
		containsAny(p.low, []string{"quic", "h3", "http/3", "http3", "error 0x1", "error code"}) &&
		!http2().MatchString(p.low) && http3().MatchString(blanked(p.low, elsewhere(p.low)))
}
