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

// byHTTP matches how Go names the request that failed (net/url, Error): whatever the other words name, it went over HTTP.
var byHTTP = lazily(`\b(?:get|head|post|put|patch|delete) "https?://[^"]+": `)

// ofAnother reports whether a text in lower case is about another protocol.
func ofAnother(low string) bool {
	return notHTTP().MatchString(low) && !(strings.Contains(low, "\"http") && byHTTP().MatchString(low)) &&
		notHTTP().MatchString(sourceFile().ReplaceAllString(low, ""))
}
