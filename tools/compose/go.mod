// What Docker Compose is built from where the engine brings no plugin: see README.md.
module h2lab/tools/compose

go 1.26.8

require github.com/docker/compose/v2 v2.40.3
