#!/bin/sh
# Prints how many connections the front nginx-low has accepted: one whole number
# and nothing else. Check with: make step N=2
set -eu

# The third line of the page is: accepts handled requests
curl -s http://127.0.0.1:18102/stub_status | awk 'NR == 3 { print $1 }'
