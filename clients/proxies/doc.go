// Command proxies measures a proxy as an HTTP/2 client: Envoy, or nginx 1.29.4 and newer. It starts
// the real proxy as a child process with the configuration beside this file, and sends it requests
// over plain HTTP/1.1 on kept connections, so that the server under test sees the proxy's own use
// of HTTP/2. The child always ends with this program.
package main
