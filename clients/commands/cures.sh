# The cures, as they are typed. A test compares their options with what out/commands runs.

# snippet:curl-retry
curl --parallel --parallel-max 100 --http2 --retry 3 --retry-all-errors …
# snippet:end

# snippet:curl-h1
curl --parallel --parallel-max 100 --http1.1 …
# snippet:end

# snippet:h2load-connections
h2load -c 100 -m 1 -D 4 -d body https://…     # and not -c 1 -m 100
# snippet:end

# snippet:h2load-h1
h2load --h1 -c 100 -m 1 -D 4 -d body https://…
# snippet:end

# snippet:hey-h1
hey -c 100 -z 4s -m POST -D body https://…    # without -h2
# snippet:end
