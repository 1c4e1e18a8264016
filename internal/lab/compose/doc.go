// Package compose is the Docker runtime: it runs docker-compose.yml, with the same servers, files
// and ports as the native runtime.
//
// It does with the docker command what package native does with processes: it checks that an engine
// runs and that the images are available, starts servers and waits until they are healthy, reads
// their CPU limits back, runs h2lab inside the pod, and removes everything again. The h2lab inside
// the pod measures: it sees the pod's processes and dials 127.0.0.1, as it would natively. A
// measurement from outside would reach Docker's own proxy, which ends the TCP connection of a
// published port.
//
// Client programs run in containers of their own, one for each ecosystem (clients.go); package
// podexec starts them there.
//
// Hold and Healthcheck run inside the pod: process 1, and the health check of a service.
package compose
