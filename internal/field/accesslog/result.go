package accesslog

import (
	"time"

	"h2lab/internal/field/cure"
)

// Result is what a log shows about its connections. null means unknown.
type Result struct {
	SchemaVersion int      `json:"schema_version"`
	Files         []string `json:"files"`
	Format        string   `json:"format"`
	// Server is the program that wrote the log, as far as its format shows it.
	Server         string   `json:"server"`
	Lines          uint64   `json:"lines"`
	Malformed      uint64   `json:"malformed"`
	FirstMalformed *BadLine `json:"first_malformed"`

	From     *time.Time `json:"from"`
	To       *time.Time `json:"to"`
	Requests uint64     `json:"requests"`
	// Connections carried at least one request. BeganBefore of them have their first request before
	// the log; OpenAtEnd may have been open at its end.
	Connections uint64  `json:"connections"`
	BeganBefore *uint64 `json:"began_before"`
	OpenAtEnd   uint64  `json:"open_at_end"`

	PerConnection Distribution      `json:"per_connection"`
	Protocols     []ProtocolCount   `json:"protocols"`
	Limit         *Limit            `json:"limit"`
	Age           *Age              `json:"age"`
	Idle          *Idle             `json:"idle"`
	Reloads       []Reload          `json:"reloads"`
	HealthChecks  []HealthCheck     `json:"health_checks"`
	Opened        *Opened           `json:"opened"`
	Minutes       *Minutes          `json:"minutes"`
	Errors        *Errors           `json:"errors"`
	Flags         map[string]uint64 `json:"flags,omitempty"`
	Restarts      uint64            `json:"restarts"`
	// MixedServers says that lines of several servers can't be told apart: connections have the same number.
	MixedServers bool      `json:"mixed_servers"`
	Exactness    Exactness `json:"exactness"`
	Verdict      Verdict   `json:"verdict"`
	Warnings     []string  `json:"warnings"`

	checked uint64        // connections of health checks
	again   string        // the command that asks the same question
	silence time.Duration // how long a silent connection may be open, where none is known to have ended; else 0
	lacks   []string      // what the log lacks to see why connections end
}

// BadLine is a line that doesn't match the format.
type BadLine struct {
	File   string `json:"file"`
	Number uint64 `json:"number"`
	Text   string `json:"text"`
}

// Distribution is the distribution of requests per connection.
type Distribution struct {
	// Of is "ended" if it has only connections that ended, "all" if the log is too short for that.
	Of          string  `json:"of"`
	Connections uint64  `json:"connections"`
	Mean        float64 `json:"mean"`
	P50         uint32  `json:"p50"`
	P90         uint32  `json:"p90"`
	Max         uint32  `json:"max"`
	Histogram   []Bar   `json:"histogram"`
}

// Bar is how many connections had From to To requests.
type Bar struct {
	From        uint32 `json:"from"`
	To          uint32 `json:"to"`
	Connections uint64 `json:"connections"`
}

// ProtocolCount is the count for one protocol.
type ProtocolCount struct {
	Protocol     string  `json:"protocol"`
	Requests     uint64  `json:"requests"`
	Connections  uint64  `json:"connections"`
	P50          uint32  `json:"p50"`
	P90          uint32  `json:"p90"`
	Max          uint32  `json:"max"`
	EndedAtLimit *uint64 `json:"ended_at_limit"`
}

// Limit is the number of requests at which connections end.
type Limit struct {
	Requests uint32 `json:"requests"`
	// UpTo is the largest number that counts as ended there: Envoy's limit is approximate.
	UpTo uint32 `json:"up_to"`
	// How is "found" in the log or "given".
	How string `json:"how"`
	// EndedBy is "server", "clients" or "unknown".
	EndedBy      string `json:"ended_by"`
	EndedExactly uint64 `json:"ended_exactly"`
	// Beyond are connections that got more requests, for example from another server block with
	// another limit.
	Beyond            uint64   `json:"beyond"`
	ShareOfRequests   float64  `json:"share_of_requests"`
	RenewalsPerMinute *float64 `json:"renewals_per_minute"`
	// UsedUpP50S is the median time in seconds to reach the limit, UsedUpP10S that of the fastest
	// tenth; neither is below UsedUpResolutionS.
	UsedUpP50S        *float64 `json:"used_up_p50_s"`
	UsedUpP10S        *float64 `json:"used_up_p10_s"`
	UsedUpResolutionS float64  `json:"used_up_resolution_s"`
}

// Opened counts connections by their serials, including those without a request.
type Opened struct {
	// AtMost is how many serials were used; Exact is set if each was a client's.
	AtMost       uint64  `json:"at_most"`
	Exact        bool    `json:"exact"`
	EmptyAtMost  uint64  `json:"empty_at_most"`
	EmptyAtLeast uint64  `json:"empty_at_least"`
	EmptyShare   float64 `json:"empty_share_at_most"`
	// Steady says that the serials without a line grow with time and not with renewals, so that they are
	// not of a stampede.
	Steady bool `json:"steady"`
	// UpstreamAttempts is how many serials nginx itself may have used; null if not logged.
	UpstreamAttempts *uint64 `json:"upstream_attempts"`
}

// Minutes are the worst minutes.
type Minutes struct {
	WithRequests   int64    `json:"with_requests"`
	MostNew        []Minute `json:"most_new"`
	LowestRatio    []Minute `json:"lowest_ratio"`
	PeakNewASecond uint32   `json:"peak_new_a_second"`
}

// Minute is one minute of the log.
type Minute struct {
	At           time.Time `json:"at"`
	Requests     int64     `json:"requests"`
	New          int64     `json:"new"`
	OpenedAtMost int64     `json:"opened_at_most"`
	Renewals     *int64    `json:"renewals"`
	PerNew       float64   `json:"requests_per_new"`
}

// Errors are failed answers, and how many of them fell into a second in which a connection reached
// the limit, or into one beside it.
type Errors struct {
	Status499 uint64  `json:"status_499"`
	Status5xx uint64  `json:"status_5xx"`
	Near499   *uint64 `json:"near_renewals_499"`
	Near5xx   *uint64 `json:"near_renewals_5xx"`
	// NearSeconds is the share of seconds near a renewal; if that is most of them, nearness shows
	// nothing, and the two fields above are null.
	NearSeconds *float64 `json:"near_renewals_share_of_seconds"`
}

// Exactness is what the limits of memory cost.
type Exactness struct {
	// ForgottenEarly left the full table too early, SeenAgain of them came back, and at most
	// StandTwice are in the distribution twice.
	ForgottenEarly uint64 `json:"forgotten_early"`
	SeenAgain      uint64 `json:"seen_again"`
	StandTwice     uint64 `json:"stand_twice"`
	// LateLines are in the totals but in no minute.
	LateLines uint64 `json:"late_lines"`
	// WrittenTwice are connections with more lines than requests.
	WrittenTwice uint64 `json:"written_twice"`
	// NotLogged are requests without a line, on connections seen from their first request.
	NotLogged uint64 `json:"not_logged"`
	// NotExamined are connections outside of the sample whose times were examined.
	NotExamined uint64 `json:"not_examined"`
	Note        string `json:"note"`
}

// Verdict is what the result means.
type Verdict struct {
	ID   string   `json:"id"`
	Says []string `json:"says"`
	// WouldTell are facts that would decide what the log can't.
	WouldTell []string      `json:"would_tell"`
	Changes   []cure.Change `json:"changes"`
	// KeepaliveRequests is a limit that would be enough; null if the limit is not the cause.
	KeepaliveRequests *uint64  `json:"keepalive_requests"`
	Next              []string `json:"next"`
}
