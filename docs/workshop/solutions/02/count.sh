#!/bin/sh
# Prints how many connections the front nginx-100 has accepted since this script
# was first run. Each reading is itself a connection, which nginx counts before
# it answers, so the readings so far are kept in a file and taken off.
set -eu
readings="$(dirname -- "$0")/readings"

mine=$(cat "$readings" 2>/dev/null || echo 0)
mine=$((mine + 1))
echo "$mine" >"$readings"

# The third line of the page is: accepts handled requests
accepts=$(curl -s http://127.0.0.1:18102/stub_status | awk 'NR == 3 { print $1 }')
echo $((accepts - mine))
