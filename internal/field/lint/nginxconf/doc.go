// Package nginxconf reports what an nginx configuration does to HTTP/2 connections: the limits in
// effect at each listening socket, where they are set, and what is wrong with them.
// internal/base/nginxfile reads the files.
package nginxconf
