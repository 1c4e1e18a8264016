// Package e2e tests the Docker runtime. e2e/run.sh (make e2e) installs what is missing: an engine,
// the compose plugin and the images. The tests with the build tag e2e then start everything. None
// of them skips: a test that can't run fails and names what is missing. The tests without the tag
// compare docker-compose.yml with the plan and need no Docker.
package e2e
