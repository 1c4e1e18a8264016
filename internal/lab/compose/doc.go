// Package compose is the Docker runtime: it drives docker-compose.yml, in which
// the same servers run with the same files on the same ports as natively.
//
// It stands beside launch at the second step of the path. What launch does with
// processes, this does with the docker command: is there an engine, can the
// images be had, bring servers up healthy, read their budgets back, run h2lab
// inside the pod, take everything down. Measuring itself happens in that inner
// h2lab, which sees the pod's processes and dials 127.0.0.1 as it would
// natively: a published port ends the TCP connection in Docker's own proxy, so
// nothing is measured from outside.
//
// Client programs run in containers of their own beside the servers', one an
// ecosystem (clients.go); who starts them there is the room hand.
//
// Hold and Healthcheck are what runs inside: process 1 of the pod, and the
// question that a service's health check asks.
package compose
