// Package e2e proves the Docker runtime. e2e/run.sh (make e2e) makes what it
// needs: an engine, the compose plugin and the images, each only where it is
// missing. The tests with the build tag e2e then bring everything up for real;
// none of them skips: what can't run fails and says what was missing. The tests
// without the tag hold docker-compose.yml against the plan and need no Docker.
package e2e
