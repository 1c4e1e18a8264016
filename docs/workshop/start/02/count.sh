#!/bin/sh
# Prints how many connections the front nginx-100 has accepted: one whole number
# and nothing else. Check with: make check STEP=2
set -eu

# The third line of the page is: accepts handled requests
curl -s http://127.0.0.1:18102/stub_status | awk 'NR == 3 { print $1 }'
