package cure

import "fmt"

// More servers with settings of their own.
const (
	GRPCGo    = "grpc-go"
	GRPCJava  = "grpc-java"
	GRPCCore  = "grpc-core"
	Hypercorn = "hypercorn"
	Lighttpd  = "lighttpd"
	Tomcat    = "tomcat"
	Armeria   = "armeria"
)

// otherLimit is RequestLimit of Hypercorn and Armeria, and of servers that count over HTTP/1.1 alone.
func otherLimit(server string, met int, overHTTP1 bool) []Change {
	c := Change{Why: "HTTP/1.1 connections end at this count"}
	switch {
	case server == Hypercorn:
		c.For, c.Where, c.Why = "Hypercorn", "its configuration file (hypercorn.toml)", "1000 is the default"
		c.Line = fmt.Sprintf("keep_alive_max_requests = %d", Requests(met))
	case server == Armeria:
		c.For, c.Where, c.Why = "Armeria", "its ServerBuilder (0 is no limit, and the default)", costsConnections
		c.Line = ".maxNumRequestsPerConnection(0)"
	case !overHTTP1:
		return nil
	case server == Lighttpd:
		c.For, c.Where = "lighttpd", "lighttpd.conf"
		c.Line = fmt.Sprintf("server.max-keep-alive-requests = %d", Requests(met))
	case server == Tomcat:
		c.For, c.Where = "Tomcat", "server.xml, an attribute of the Connector (-1 is no limit)"
		c.Line = `maxKeepAliveRequests="-1"`
	default:
		return nil
	}
	return []Change{c}
}

// grpcAge is Age of gRPC's servers (gRFC A9), and of Armeria.
func grpcAge(server string) []Change {
	c := Change{Why: "the grace lets calls in flight end before the connection is closed"}
	switch server {
	case GRPCGo:
		c.For, c.Where = "a gRPC server in Go", "the call of grpc.NewServer"
		c.Line = "grpc.KeepaliveParams(keepalive.ServerParameters{MaxConnectionAge: time.Hour, " +
			"MaxConnectionAgeGrace: time.Minute})"
	case GRPCJava:
		c.For, c.Where = "a gRPC server in Java", "its NettyServerBuilder"
		c.Line = ".maxConnectionAge(1, TimeUnit.HOURS).maxConnectionAgeGrace(1, TimeUnit.MINUTES)"
	case GRPCCore:
		c.For, c.Where = "a gRPC server on the C++ core", "its channel arguments (here in Python)"
		c.Line = `("grpc.max_connection_age_ms", 3600000), ("grpc.max_connection_age_grace_ms", 60000)`
	case Armeria:
		c.For, c.Where = "Armeria", "its ServerBuilder (0 is no limit, and the default)"
		c.Line, c.Why = ".maxConnectionAgeMillis(0)", "Armeria ends a connection at this age with two GOAWAYs"
	default:
		return nil
	}
	return []Change{c}
}
