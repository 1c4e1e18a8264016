package accesslog

import "time"

// Result is what a log says about its connections. null stands for what it
// can't say.
type Result struct {
	SchemaVersion  int      `json:"schema_version"`
	Files          []string `json:"files"`
	Format         string   `json:"format"`
	Lines          uint64   `json:"lines"`
	Malformed      uint64   `json:"malformed"`
	FirstMalformed *BadLine `json:"first_malformed"`

	From     *time.Time `json:"from"`
	To       *time.Time `json:"to"`
	Requests uint64     `json:"requests"`
	// Connections carried at least one request; BeganBefore are those whose first
	// request isn't in the log, OpenAtEnd those that may have been alive at its end.
	Connections uint64  `json:"connections"`
	BeganBefore *uint64 `json:"began_before"`
	OpenAtEnd   uint64  `json:"open_at_end"`

	PerConnection Distribution      `json:"per_connection"`
	Protocols     []ProtocolCount   `json:"protocols"`
	Limit         *Limit            `json:"limit"`
	Opened        *Opened           `json:"opened"`
	Minutes       *Minutes          `json:"minutes"`
	Errors        *Errors           `json:"errors"`
	Flags         map[string]uint64 `json:"flags,omitempty"`
	Restarts      uint64            `json:"restarts"`
	Exactness     Exactness         `json:"exactness"`
	Verdict       Verdict           `json:"verdict"`
	Warnings      []string          `json:"warnings"`
}

// BadLine is a line that isn't of the format.
type BadLine struct {
	File   string `json:"file"`
	Number uint64 `json:"number"`
	Text   string `json:"text"`
}

// Distribution is of requests a connection.
type Distribution struct {
	// Of is "ended" where only connections that were over are in it, "all" where the
	// log is too short for that.
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

// ProtocolCount is the same for one protocol.
type ProtocolCount struct {
	Protocol     string  `json:"protocol"`
	Requests     uint64  `json:"requests"`
	Connections  uint64  `json:"connections"`
	P50          uint32  `json:"p50"`
	P90          uint32  `json:"p90"`
	Max          uint32  `json:"max"`
	EndedAtLimit *uint64 `json:"ended_at_limit"`
}

// Limit is where connections end.
type Limit struct {
	Requests uint32 `json:"requests"`
	// How is "found" in the log or "given".
	How          string `json:"how"`
	EndedExactly uint64 `json:"ended_exactly"`
	// Beyond are connections that got more: another server block, another limit.
	Beyond            uint64   `json:"beyond"`
	ShareOfRequests   float64  `json:"share_of_requests"`
	RenewalsPerMinute *float64 `json:"renewals_per_minute"`
	// UsedUpP50S is how long such a connection lasted at most, UsedUpP10S that of the
	// fastest tenth; nothing is below UsedUpResolutionS.
	UsedUpP50S        *float64 `json:"used_up_p50_s"`
	UsedUpP10S        *float64 `json:"used_up_p10_s"`
	UsedUpResolutionS float64  `json:"used_up_resolution_s"`
}

// Opened counts connections by their serials, those included that carried no request.
type Opened struct {
	// AtMost is how many serials were used up, Exact that each was a client's.
	AtMost       uint64  `json:"at_most"`
	Exact        bool    `json:"exact"`
	EmptyAtMost  uint64  `json:"empty_at_most"`
	EmptyAtLeast uint64  `json:"empty_at_least"`
	EmptyShare   float64 `json:"empty_share_at_most"`
	// UpstreamAttempts is how many serials nginx itself may have taken; null where not logged.
	UpstreamAttempts *uint64 `json:"upstream_attempts"`
}

// Minutes are the worst ones.
type Minutes struct {
	WithRequests   int64    `json:"with_requests"`
	MostNew        []Minute `json:"most_new"`
	LowestRatio    []Minute `json:"lowest_ratio"`
	PeakNewASecond uint32   `json:"peak_new_a_second"`
}

// Minute is one of them.
type Minute struct {
	At           time.Time `json:"at"`
	Requests     int64     `json:"requests"`
	New          int64     `json:"new"`
	OpenedAtMost int64     `json:"opened_at_most"`
	Renewals     *int64    `json:"renewals"`
	PerNew       float64   `json:"requests_per_new"`
}

// Errors are answers that failed, and how many of them in seconds in which a
// connection reached the limit, or beside one.
type Errors struct {
	Status499 uint64  `json:"status_499"`
	Status5xx uint64  `json:"status_5xx"`
	Near499   *uint64 `json:"near_renewals_499"`
	Near5xx   *uint64 `json:"near_renewals_5xx"`
	// NearSeconds is the share of seconds that are near; where it is most of
	// them, near says nothing, and the two above are null.
	NearSeconds *float64 `json:"near_renewals_share_of_seconds"`
}

// Exactness says what the bounded memory cost.
type Exactness struct {
	// ForgottenEarly left the table for want of room, SeenAgain came back after
	// they had left it, StandTwice of them at most are in the distribution twice.
	ForgottenEarly uint64 `json:"forgotten_early"`
	SeenAgain      uint64 `json:"seen_again"`
	StandTwice     uint64 `json:"stand_twice"`
	// LateLines are in the totals and in no minute.
	LateLines uint64 `json:"late_lines"`
	// WrittenTwice are connections with more lines than requests.
	WrittenTwice uint64 `json:"written_twice"`
	// NotLogged are requests of connections seen from their first that no line has.
	NotLogged uint64 `json:"not_logged"`
	Note      string `json:"note"`
}

// Verdict is what it means.
type Verdict struct {
	ID     string   `json:"id"`
	Says   []string `json:"says"`
	Change []string `json:"change"`
	// KeepaliveRequests is the limit that would do; null where it isn't the limit's fault.
	KeepaliveRequests *uint64  `json:"keepalive_requests"`
	Next              []string `json:"next"`
}
