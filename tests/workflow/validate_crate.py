"""Validate a research object crate offline with the validator by the authors of the format.

    <python of the validator> validate_crate.py CRATE CONTEXT

The script runs in the validator's own environment, and prints the issues as a JSON list of level and text. The
validator would fetch only one document, the context of RO-Crate 1.1. CONTEXT is the context of 1.3 from the library
`rocrate`. For the terms of a crate such as ours, the two differ only in the addresses of Bioschemas.
"""

import json
import sys

import requests
from rocrate_validator import services
from rocrate_validator.models import Severity
from rocrate_validator.utils.http import HttpRequester

ADDRESS = "https://w3id.org/ro/crate/1.1/context"
BIOSCHEMAS = {
    "ComputationalWorkflow": "https://bioschemas.org/ComputationalWorkflow",
    "FormalParameter": "https://bioschemas.org/FormalParameter",
    "input": "https://bioschemas.org/ComputationalWorkflow#input",
    "output": "https://bioschemas.org/ComputationalWorkflow#output",
}


def main(crate, context):
    with open(context, encoding="utf-8") as file:
        terms = json.load(file)["@context"] | BIOSCHEMAS

    def get(_, url, **__):
        found = requests.Response()
        found.url, found.status_code = url, 200 if url == ADDRESS else 404
        found.headers["Content-Type"] = "application/ld+json"
        found._content = json.dumps({"@context": terms}).encode()
        return found

    HttpRequester.get = HttpRequester.head = get
    settings = {
        "rocrate_uri": crate,
        "profile_identifier": "workflow-run-crate",
        "requirement_severity": Severity.RECOMMENDED,
        "abort_on_first": False,
    }
    result = services.validate(services.ValidationSettings(**settings))
    print(json.dumps([[issue.severity.name, issue.message] for issue in result.get_issues()]))


if __name__ == "__main__":
    main(*sys.argv[1:])
