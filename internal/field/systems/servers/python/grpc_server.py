"""grpcio, which is gRPC's C++ core, with an age in milliseconds: grpc_server.py PORT CERTIFICATE KEY [AGE [GRACE]]."""

import concurrent.futures
import pathlib
import sys

import grpc

port, cert, key, *ages = sys.argv[1:]
names = ("grpc.max_connection_age_ms", "grpc.max_connection_age_grace_ms")
options = [(name, int(value)) for name, value in zip(names, ages)]
server = grpc.server(concurrent.futures.ThreadPoolExecutor(max_workers=4), options=options)
pair = (pathlib.Path(key).read_bytes(), pathlib.Path(cert).read_bytes())
if not server.add_secure_port(f"127.0.0.1:{port}", grpc.ssl_server_credentials([pair])):
    sys.exit(f"grpc: port {port} is taken")
server.start()
server.wait_for_termination()
