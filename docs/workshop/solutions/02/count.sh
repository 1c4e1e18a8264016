#!/bin/sh
# Prints how many connections the front nginx-low has accepted, without the
# readings of this script. Each reading is itself a connection, which nginx
# counts before it answers, so the readings so far are kept in a file and taken
# off. nginx counts from 0 when it is started again: then the readings do too.
set -eu
state="$(dirname -- "$0")/readings"

# The third line of the page is: accepts handled requests
accepts=$(curl -s http://127.0.0.1:18102/stub_status | awk 'NR == 3 { print $1 }')

mine=0 last=0
if [ -f "$state" ]; then read -r mine last <"$state"; fi
if [ "$accepts" -le "$last" ]; then mine=0; fi
mine=$((mine + 1))
echo "$mine $accepts" >"$state"
echo $((accepts - mine))
