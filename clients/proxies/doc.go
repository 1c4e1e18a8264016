// Command proxies is a proxy as an HTTP/2 client: Envoy, or nginx 1.29.4 and
// newer. It starts the real proxy as a child with the configuration beside this
// file, and drives it over plain HTTP/1.1 on connections that are kept, so that
// what the server under test sees is the proxy's own way with HTTP/2. The child
// ends with this program, however that comes about.
package main
