#!/usr/bin/python3
"""Validates YAML files against a JSON Schema: validate.py SCHEMA FILE... Exit status 77 where a module is missing."""
import json
import sys

try:
    import jsonschema
    import yaml
except ImportError as problem:
    print(problem)
    sys.exit(77)

schema = json.load(open(sys.argv[1]))
jsonschema.Draft7Validator.check_schema(schema)
validator = jsonschema.Draft7Validator(schema)
failures = 0
for name in sys.argv[2:]:
    for error in validator.iter_errors(yaml.safe_load(open(name))):
        print(f"{name}: {list(error.absolute_path)}: {error.message}")
        failures += 1
sys.exit(1 if failures else 0)
