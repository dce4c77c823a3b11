#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Hold what the library writes against doc/profile.schema.json.

Usage: test_schema.py SCHEMA TEST_PROFILE PROFILE...
TEST_PROFILE rewrites each PROFILE. The schema is also checked to refuse: every member that it requires is left out
once, and put as something else once.
"""
import copy
import json
import os
import shlex
import subprocess
import sys

try:
    import jsonschema
except ImportError:
    print("skipped: no python3-jsonschema here", file=sys.stderr)
    sys.exit(77)

if not hasattr(jsonschema, "Draft202012Validator"):
    print("skipped: this python3-jsonschema does not know draft 2020-12 (it is older than 4.0)", file=sys.stderr)
    sys.exit(77)


def close(schema):
    """The schema with members that it does not name forbidden: what is written is what is described."""
    if isinstance(schema, dict):
        closed = {key: close(value) for key, value in schema.items()}
        if isinstance(schema.get("properties"), dict) and "required" in schema:
            closed["additionalProperties"] = False
        return closed
    if isinstance(schema, list):
        return [close(value) for value in schema]
    return schema


def spots(value, path=()):
    """The path to each member of each object, in the first entry of each list."""
    if isinstance(value, dict):
        for key, member in value.items():
            yield path + (key,)
            yield from spots(member, path + (key,))
    elif isinstance(value, list) and value:
        yield from spots(value[0], path + (0,))


def holder(value, path):
    for step in path[:-1]:
        value = value[step]
    return value


def main():
    schema_path, test_profile, *profiles = sys.argv[1:]
    emulator = shlex.split(os.environ.get("MESON_EXE_WRAPPER", ""))  # of a cross build
    with open(schema_path, encoding="utf-8") as file:
        schema = json.load(file)
    jsonschema.Draft202012Validator.check_schema(schema)
    strict = jsonschema.Draft202012Validator(close(schema))
    plain = jsonschema.Draft202012Validator(schema)

    failures = 0
    for profile in profiles:
        written = json.loads(subprocess.run([*emulator, test_profile, "rewrite", profile], check=True, stdout=subprocess.PIPE).stdout)
        for error in strict.iter_errors(written):
            failures += 1
            print(f"{profile}: {error.json_path}: {error.message}", file=sys.stderr)

        for path in spots(written):
            # older profiles lack them
            if path[-1] in ("usable", "harnesses", "explore", "cycle_check") or (path[0], path[-1]) == ("cpus", "pmu"):
                continue
            without = copy.deepcopy(written)
            del holder(without, path)[path[-1]]
            wrong = copy.deepcopy(written)
            holder(wrong, path)[path[-1]] = [{"no": "member"}]
            for what, changed in (("missing", without), ("wrong", wrong)):
                if plain.is_valid(changed):
                    failures += 1
                    print(f"{profile}: {path} is {what}, and the schema lets it pass", file=sys.stderr)
    return 1 if failures else 0


sys.exit(main())
