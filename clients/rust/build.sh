#!/bin/sh
# Builds out/rust-client, with the crates of Cargo.lock. The compiler's name goes
# into the answer. aws-lc-rs, the default of reqwest and rustls, needs a C compiler.
set -eu
cd -- "$(dirname -- "$0")"
LAB_RUSTC=$(rustc --version | cut -d' ' -f1,2)
export LAB_RUSTC CARGO_TARGET_DIR=out/target
cargo build --release --locked --quiet
cp -f out/target/release/rust-client out/rust-client.new
mv -f out/rust-client.new out/rust-client
