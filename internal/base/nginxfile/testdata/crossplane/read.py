"""Prints what crossplane reads: for each file its directives."""
import json
import sys

import crossplane


def flat(block, depth=0):
    for d in block:
        yield [depth, d["directive"], d["args"], d["line"]]
        yield from flat(d.get("block") or [], depth + 1)


out = {}
for name in sys.argv[1:]:
    try:
        parsed = crossplane.parse(name, single=True, check_ctx=False, check_args=False, catch_errors=False)["config"][0]
        for _ in crossplane.lex(name):  # parse() takes a file that ends in an error for an empty one
            pass
    except crossplane.errors.NgxParserBaseException as e:
        out[name] = {"error": str(e)}
        continue
    out[name] = {"directives": list(flat(parsed["parsed"]))}
json.dump(out, sys.stdout)
