package decode

// renew is the measured cure for clients that have no setting for a request limit: open a new
// client before the old one's connection reaches the limit.
func renew(row string) Change {
	return Change{
		Where: "client",
		Line:  "a new client object every 500 calls: half of keepalive_requests 1000",
		Note:  "the row has the code",
		Row:   row,
	}
}

var okhttpCures = []Change{
	{
		Where: "OkHttp",
		Line:  "builder.retryOnConnectionFailure(true)",
		Note:  "the default; then requests survive and connections storm",
	},
	renew("okhttp-4.12-no-retry-renew"), renew("okhttp-5-no-retry-renew"), renew("okhttp-3.14-no-retry-renew"),
	{
		Where: "OkHttp",
		Line:  "builder.protocols(List.of(Protocol.HTTP_1_1))",
		Note:  "with a connection pool as large as the threads are many",
		Row:   "okhttp-4.12-h1",
	},
}

var okhttp34Cures = []Change{
	{
		Where: "OkHttp",
		Line:  "OkHttp 3.14 or newer",
		Note:  "3.4 with retries executes some requests twice (docs/clients.md)",
	},
	renew("okhttp-3.4.2-no-retry-renew"),
	{Where: "OkHttp", Line: "builder.protocols(List.of(Protocol.HTTP_1_1))", Row: "okhttp-3.4.2-h1"},
}

var okhttpLinks = []string{
	"square/okhttp#6700",
	"square/okhttp#2543",
	"square/okhttp#2571",
	"square/okhttp#2506",
	"square/okhttp#8531",
}

var jdkCures = []Change{
	renew("jdk-httpclient-renew"),
	{Where: "JDK", Line: "builder.version(HttpClient.Version.HTTP_1_1)", Row: "jdk-httpclient-h1"},
	{
		Where: "JDK",
		Line:  "a JDK that has JDK-8335181",
		Note:  "it retries what lay above the last id; the lab's JDK 25 lost nothing and still storms",
	},
}

var javaSignatures = []Signature{
	{ID: "okhttp-stream-reset", Library: "OkHttp", Versions: "3.5 and newer",
		All:  []string{"streamresetexception", "stream was reset:"},
		None: []string{"okhttp3.internal.framed", "io.vertx"}, Kind: Reset,
		Means: "OkHttp closes streams above a GOAWAY's last id as REFUSED_STREAM, and its retry on another " +
			"connection was off or had been used up.",
		Seen: []string{
			"okhttp-3.14-no-retry",
			"okhttp-4.12-no-retry",
			"okhttp-5-no-retry",
		}, Changes: okhttpCures, Links: okhttpLinks,
		Example: "okhttp3.internal.http2.StreamResetException: stream was reset: REFUSED_STREAM"},
	{ID: "okhttp-stream-reset-old", Library: "OkHttp", Versions: "of 2016 and older",
		All: []string{"java.io.ioexception: stream was reset:"}, Kind: Reset, Changes: okhttp34Cures,
		Links:   okhttpLinks,
		Example: "java.io.IOException: stream was reset: REFUSED_STREAM"},
	{ID: "okhttp-framed-reset", Library: "OkHttp", Versions: "3.4 and older",
		All: []string{"okhttp3.internal.framed", "streamresetexception"}, Kind: Reset,
		Means: "REFUSED_STREAM lay above the last id. CANCEL here is OkHttp giving up all streams of the connection: " +
			"the lab saw some of those executed.",
		Seen: []string{"okhttp-3.4.2-no-retry"}, Changes: okhttp34Cures, Links: okhttpLinks,
		Example: "okhttp3.internal.framed.StreamResetException: stream was reset: CANCEL"},
	{ID: "okhttp-shutdown", Library: "OkHttp", Versions: "3.5 and newer",
		All: []string{"connectionshutdownexception"}, Kind: NotSent,
		Means: "The call got a connection that a GOAWAY had ended in between.",
		Why:   "OkHttp throws it where a stream would be opened; the lab counted none executed",
		Seen: []string{
			"okhttp-3.14-no-retry",
			"okhttp-4.12-no-retry",
			"okhttp-5-no-retry",
		}, Changes: okhttpCures, Links: okhttpLinks,
		Example: "okhttp3.internal.http2.ConnectionShutdownException"},
	{ID: "okhttp-framed-shutdown", Library: "OkHttp 3.4 says so; other Java programs may",
		Any: []string{
			"java.io.ioexception: shutdown",
			"java.io.ioexception: closed",
		}, Shape: `(?i)java\.io\.ioexception: (?:shutdown|closed)(?:$| at |[;"'])`, Kind: Ambiguous,
		Means: "OkHttp 3.4 says no more than that of a connection which a GOAWAY ended. Without okhttp3 in the " +
			"stack trace it can be anything's.",
		Executed: Maybe, Why: "the lab saw 82 of such a client's 746 failed requests executed",
		Seen: []string{"okhttp-3.4.2-no-retry"}, Changes: okhttp34Cures, Links: okhttpLinks,
		Example: "java.io.IOException: shutdown"},
	{ID: "jdk-goaway", Library: "JDK java.net.http.HttpClient", Versions: "11 and newer, without JDK-8335181",
		All: []string{"goaway received"}, Any: []string{"ioexception", "jdk.internal.net.http"}, None: []string{"grpc"},
		Kind: Ended,
		Means: "The JDK failed every request of the connection, those below the last id too. Maven, Tycho and " +
			"others download through it.",
		Executed: Maybe, Why: "the lab saw 7 of 384 failed requests executed, as streams at or below the last id may " +
			"be (RFC 9113 §6.8)",
		Seen: []string{"jdk-httpclient"}, Changes: jdkCures,
		Links: []string{
			"apache/maven-resolver#1256",
			"eclipse-tycho/tycho#2695",
			"eclipse-tycho/tycho#2697",
			"wvlet/airframe#3421",
			"JDK-8335181",
		},
		Example: "java.io.IOException: /127.0.0.1:55606: GOAWAY received"},
	{ID: "jdk-rst-stream", Library: "JDK java.net.http.HttpClient", Versions: "11 and newer",
		All: []string{"received rst_stream:"}, Kind: Reset, Changes: jdkCures, Links: []string{"JDK-8335181"},
		Example: "java.io.IOException: Received RST_STREAM: Stream not processed"},
	{ID: "jdk-too-many-streams", Library: "JDK java.net.http.HttpClient", Versions: "11 and newer",
		All: []string{"java.io.ioexception: too many concurrent streams"}, Kind: NotSent,
		Means: "The client had more requests in flight than the server's SETTINGS_MAX_CONCURRENT_STREAMS (nginx: " +
			"128).",
		Changes: []Change{
			{
				Where: "client",
				Line:  "a semaphore of 100 permits around HttpClient.send",
				Note:  "below the server's streams",
			},
		},
		Example: "java.io.IOException: too many concurrent streams"},
	{ID: "apache-not-executed", Library: "Apache HttpClient", Versions: "5 (core 5)",
		Any: []string{"requestnotexecutedexception"}, Kind: NotSent,
		Why:   "Apache throws it for requests that were not executed, and the class says so",
		Means: "The connection was ended by a GOAWAY before the request went out.",
		Seen:  []string{"apache5-h2", "apache5-async-multiplexing"}, Changes: apacheCures, Links: apacheLinks,
		Example: "org.apache.hc.core5.http.RequestNotExecutedException: Connection is closed"},
	{ID: "apache-closed", Library: "Apache HttpClient", Versions: "5 (core 5)",
		Any: []string{
			"org.apache.hc.core5.http.connectionclosedexception",
			"org.apache.hc.core5.http2.h2connectionexception",
		}, General: true, Kind: Lost,
		Why:  "the lab saw some of such requests executed (25 of 440, 51 of 263)",
		Seen: []string{"apache5-h2", "apache5-async-multiplexing"}, Changes: apacheCures, Links: apacheLinks,
		Example: "org.apache.hc.core5.http.ConnectionClosedException: Connection is closed"},
	{ID: "apache-stream-reset", Library: "Apache HttpClient", Versions: "5 (core 5)",
		Any: []string{"h2streamresetexception"}, Kind: Reset, Changes: apacheCures, Links: apacheLinks,
		Example: "org.apache.hc.core5.http2.H2StreamResetException: Stream refused"},
	{ID: "java-closed-channel", Library: "Java NIO: Apache HttpClient 5 and Jetty say so, and others",
		Any: []string{
			"java.nio.channels.closedchannelexception",
			"java.nio.channels.asynchronouscloseexception",
		}, General: true, Kind: Lost,
		Means: "A connection was used after it had closed. In the lab Apache 5 and Jetty 12 end this way at a " +
			"GOAWAY; any Java program may for other reasons.",
		Why: "the lab saw some of such requests executed (25 of 440, 4 of 248)",
		Seen: []string{
			"apache5-h2",
			"apache5-async-multiplexing",
			"jetty",
		}, Changes: append(apacheCures[:1:1], jettyCure), Links: append(apacheLinks, "jetty/jetty.project#13131"),
		Example: "java.nio.channels.ClosedChannelException"},
	{ID: "jetty-retryable", Library: "Jetty HttpClient", Versions: "12.0.22, 12.1 and newer",
		Any: []string{
			"retryablerequestexception",
			"retryablestreamexception",
			"retryrequestexception",
			"retrystreamexception",
		}, Kind: Unprocessed,
		Means: "Jetty says by the exception's class that the request may be sent again, and leaves that to the caller.",
		Seen:  []string{"jetty"}, Changes: []Change{
			{Where: "Jetty", Line: "catch (RetryableRequestException e) → send the request again"},
			jettyCure,
		},
		Links: []string{"jetty/jetty.project#13131", "jetty/jetty.project#13159"},
		Example: "org.eclipse.jetty.client.RetryableRequestException: " +
			"org.eclipse.jetty.http2.RetryableStreamException"},
	{ID: "jetty-session-closed", Library: "Jetty HttpClient says so; other Java programs may",
		All: []string{"java.lang.illegalstateexception: session closed"}, Kind: Ambiguous,
		Means: "Jetty's HTTP/2 client throws it where it would open a stream on a session that a GOAWAY ended, and " +
			"then nothing was sent. Without org.eclipse.jetty in the trace it can be anybody's session.",
		Seen: []string{"jetty"}, Changes: []Change{jettyCure}, Links: []string{"jetty/jetty.project#13131"},
		Example: "java.lang.IllegalStateException: session closed"},
	{ID: "jetty-goaway-frame", Library: "Jetty HTTP/2", All: []string{"goawayframe@"}, Kind: Ended,
		Changes: []Change{jettyCure},
		Links: []string{
			"jetty/jetty.project#13131",
			"jetty/jetty.project#5310",
		}, Example: "HTTP2Session.onGoAway - Received GoAwayFrame@272747f7"},
}

var (
	apacheCures = []Change{
		{
			Where: "Apache",
			Line:  "HttpClients.custom().setConnectionManager(pool).build()",
			Note:  "the classic client, HTTP/1.1, with setMaxConnPerRoute as large as the threads are many",
			Row:   "apache5-classic",
		},
	}
	apacheLinks = []string{"apache/httpcomponents-core#654"}
	jettyCure   = Change{
		Where:   "Jetty",
		Line:    "pool.setMaxUsage(900)",
		Note:    "on its MultiplexConnectionPool, below the server's limit",
		Row:     "jetty-max-usage",
		Outcome: untold,
	}
)
