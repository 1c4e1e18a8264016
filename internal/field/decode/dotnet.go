package decode

import "strings"

// .NET keeps the words of the system, in the user's language, and adds what failed: the address to which it could not
// connect, the calls on the stack, the object that had been disposed.

var (
	// toAddress matches what ConnectHelper adds to the message of a failed connect, and nothing else of HttpClient does (dotnet/runtime,
	// ConnectHelper.CreateWrappedException).
	toAddress = lazily(`\bHttpRequestException: [^()\n]{1,300} \((?:[\w.-]+|\[[\da-fA-F:.%]+\]):\d{1,5}\)`)
	// connectCalls matches the frames of calls that do nothing but connect.
	connectCalls = lazily(`\bSockets\.Socket\.(?:<ConnectAsync>|Connect(?:Async)?\(|DoConnect\(|EndConnect\()|` +
		`\bConnectHelper\.<?ConnectAsync\b|\bHttpConnectionPool\.<?ConnectToTcpHostAsync\b|\bSocketConnectivitySubchannelTransport\.<?TryConnectAsync\b`)
	// disposed matches the name of an object that was disposed, onceDisposed those that refuse a call before they send it.
	disposed     = lazily(`\bObjectDisposedException\b[^'"\n]{0,200}['"](?:[\w.]+\.)?(\w+)[\w\x60\[\],.]*['"]`)
	onceDisposed = lazily(`^(?:HttpClient|GrpcChannel|\w*Http\w*Handler|HttpMessageInvoker)$`)
	// guarded matches the check at the beginning of a call.
	guarded = lazily(`\b(?:ThrowIf|Check|Ensure(?:Is)?(?:Not)?)Disposed\w*\b|\bObjectDisposedException\.ThrowIf\b`)
	// ownClient matches clients of this field's calls; a TcpClient is a connection.
	ownClient = lazily(`(?:Client|Channel|Invoker|HubConnection)$`)
)

// dotNetWords are parts of words of which every text that inDotNet reads has one.
var dotNetWords = []string{"httprequestexception", "sockets.socket", "objectdisposed", "connecthelper", "connecttotcphost",
	"tryconnectasync"}

// inDotNet reads what .NET adds to a failure.
func (p *proofs) inDotNet(t text) {
	if !containsAny(t.low, dotNetWords) || p.named() || p.StreamID != nil || p.states(onRstStream) {
		return
	}
	if p.ofDisposed(t) {
		return
	}
	switch p.Event {
	case onClosed, onTimedOut, onNoEvent, "":
	case onNeverConnected:
		if !p.shaped {
			return
		}
	default:
		return
	}
	at := toAddress().FindStringIndex(t.as)
	if at == nil || strings.Contains(t.low[at[0]:at[1]], "status code") {
		at = connectCalls().FindStringIndex(t.as)
	}
	if at == nil {
		return
	}
	p.unmade(span{at[0], at[1]})
}

// ofDisposed reads which object had been disposed: a client that was refuses the call, a stream or a socket was in use.
func (p *proofs) ofDisposed(t text) bool {
	m := disposed().FindStringSubmatchIndex(t.as)
	if m == nil || p.Event != onClosed && p.Event != onNoEvent && p.Event != "" || p.rank > weak {
		return false
	}
	name := t.as[m[2]:m[3]]
	if strings.HasPrefix(name, "Tcp") ||
		!onceDisposed().MatchString(name) && !(ownClient().MatchString(name) && guarded().MatchString(t.as)) {
		return false
	}
	p.Event, p.rank, p.never, p.shaped, p.at[aboutEvent] = onUnsent, rankStream, true, false, span{m[0], m[1]}
	return true
}
