package accesslog

import (
	"testing"
	"time"
)

// heldOut were written before the judging, and set aside until it was finished.
var heldOut = []scenario{
	{"a limit of 250, pools that dial 20 times", []world{{length: 10 * mins, limit: 250,
		crowds: []crowd{{n: 3, agent: goClient, every: 30 * time.Millisecond, dials: 20}}}},
		asOffered, direct, []string{Stampede}, 250},
	{"a limit of 100 over HTTP/1.1 with six connections each", []world{{length: 20 * mins, limit: 100, idle: 75 * sec,
		crowds: []crowd{{n: 5, agent: "okhttp/4.12", every: 40 * time.Millisecond, conns: 6, h1: true}}}},
		asOffered, direct, []string{AtLimit}, 100},
	{"a job that sends 12 requests every two seconds", []world{{length: hour, limit: 1000, idle: 75 * sec,
		crowds: []crowd{{n: 1, agent: "job/1.0", every: 20 * time.Millisecond, visit: 12, pause: 2 * sec}}}},
		asJSON, direct, []string{ClientsStop, SameCount}, 0},
	{"programs that close after 100 requests, the limit is 1000", []world{{length: 2 * hour, limit: 1000, idle: 75 * sec,
		crowds: []crowd{{n: 6, agent: "k6/1.8.1", every: 20 * time.Millisecond, visit: 100, pause: 30 * sec}}}},
		asOffered, direct, []string{ClientsStop, SameCount}, 0},
	{"keepalive_time 10m", []world{{length: 3 * hour, age: 10 * mins, limit: 1_000_000,
		crowds: []crowd{{n: 8, agent: goClient, every: 500 * time.Millisecond, spread: 10}}}},
		asOffered, direct, []string{Aged}, 0},
	{"an age of 5 s", []world{{length: 3 * mins, age: 5 * sec, limit: 100_000,
		crowds: []crowd{{n: 4, agent: goClient, every: 5 * time.Millisecond, spread: 4}}}},
		asJSON, direct, []string{Aged}, 0},
	{"an idle time of 60 s", []world{{length: 6 * hour, idle: mins, limit: 1000,
		crowds: []crowd{{n: 10, agent: goClient, every: sec, on: 20 * sec, off: 5 * mins},
			{n: 6, agent: goClient, every: 35 * sec}}}},
		asOffered, direct, []string{Idled}, 0},
	{"an idle time of 5 s", []world{{length: hour, idle: 5 * sec, limit: 1000,
		crowds: []crowd{{n: 15, agent: "Java-http-client/21", every: 3 * sec}}}},
		asJSON, direct, []string{Idled}, 0},
	{"clients that drop connections after 90 s of silence", []world{{length: 8 * hour, limit: 1_000_000,
		crowds: []crowd{{n: 20, agent: goClient, every: 60 * sec, ownIdle: 90 * sec}}}},
		asOffered, direct, []string{Idled}, 0},
	{"one reload in the middle", []world{{length: hour, limit: 1_000_000, reloads: []time.Duration{30*mins + 7*sec},
		crowds: []crowd{{n: 40, agent: goClient, every: 500 * time.Millisecond, spread: 3}}}},
		asOffered, direct, []string{Reloaded}, 0},
	{"a reload under a limit that ends most connections", []world{{length: 20 * mins, limit: 1000,
		reloads: []time.Duration{10 * mins}, crowds: []crowd{{n: 10, agent: goClient, every: 50 * time.Millisecond}}}},
		asOffered, direct, []string{AtLimit}, 1000},
	{"a balancer's health checks beside a stampede", []world{{length: 20 * mins, limit: 1000, idle: 75 * sec,
		crowds: []crowd{{n: 5, agent: "GoogleHC/1.0", path: "/ready", every: 5 * sec, regular: true, visit: 1, h1: true},
			{n: 2, agent: goClient, every: 10 * time.Millisecond, dials: 40}}}},
		asOffered, direct, []string{Stampede}, 1000},
	{"health checks of an unknown program, and hardly anything else", []world{{length: hour, limit: 1000, idle: 75 * sec,
		crowds: []crowd{{n: 2, addr: "192.0.2.9", agent: "-", path: "/status", every: 4 * sec, regular: true, visit: 1, h1: true},
			{n: 1, agent: "curl/8", every: 10 * mins}}}},
		asCombined, Options{}, []string{HealthChecks}, 0},
	{"two instances with different limits and their names", []world{
		{length: 10 * mins, limit: 100, host: "a", crowds: []crowd{{n: 2, agent: goClient, every: 30 * time.Millisecond}}},
		{length: 10 * mins, limit: 1000, host: "b", seed: 5,
			crowds: []crowd{{n: 2, agent: goClient, every: 30 * time.Millisecond}}}},
		asNamed, direct, []string{AtLimit}, 1000},
	{"crawlers that send one request", []world{{length: hour, limit: 1000, idle: 75 * sec,
		crowds: []crowd{{n: 600, agent: "bot/2", every: sec, visit: 1, pause: 15 * mins, h1: true}}}},
		asOffered, direct, []string{OneEach, Churn}, 0},
	{"a loop of programs that send 37 requests without a pause", []world{{length: 10 * mins, limit: 1000, idle: 75 * sec,
		crowds: []crowd{{n: 1, agent: "wget/1.21", every: 30 * time.Millisecond, visit: 37}}}},
		asOffered, direct, []string{SameCount, ClientsStop}, 0},
	{"nginx's default keepalive_time of an hour", []world{{length: 8 * hour, age: hour, limit: 1_000_000,
		crowds: []crowd{{n: 10, agent: goClient, every: 2 * sec, spread: 5}}}},
		asOffered, direct, []string{Aged}, 0},
	{"two load tests with a pause", []world{{length: 10 * mins, limit: 1_000_000,
		crowds: []crowd{{n: 30, agent: "k6/1.8.1", every: 50 * time.Millisecond, until: 2 * mins},
			{n: 30, agent: "k6/1.8.1", every: 50 * time.Millisecond, from: 5 * mins, until: 7 * mins},
			{n: 1, agent: goClient, every: sec}}}},
		asOffered, direct, []string{Calm}, 0},
}

func asNamed(r request) string {
	return `{"hostname":"` + r.instance + `",` + asJSON(r)[1:]
}

func TestHeldOutScenarios(t *testing.T) { judged(t, heldOut) }
