// Package nginxconf says what an nginx configuration does to HTTP/2 connections:
// the limits in effect at each listening socket, where they come from, and what
// is wrong with them.
//
// It reads files by the rules of nginx's own reader (ngx_conf_read_token and
// ngx_conf_parse in src/core/ngx_conf_file.c), into a tree with the file, line
// and column of every word. A tree and places are all that is kept: directives
// this room doesn't know are somebody's module, and no error.
package nginxconf
