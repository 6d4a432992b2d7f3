"""
Starts ministack, an emulated AWS, with what it does otherwise than AWS put right.

Each patch names what AWS does. They change the emulator, never the deployment: the templates and bundles that run
here are those that go to AWS. EMULATOR_GRANTS names a file that gets a line for every action a function's role was
allowed.
"""

import json
import os
import re

from ministack import app
from ministack.core import iam_actions, iam_evaluator


def patch(module, name):
    """Wraps a function of the emulator; the patch gets the original first."""

    def wrap(replacement):
        original = getattr(module, name)
        setattr(module, name, lambda *args, **kwargs: replacement(original, *args, **kwargs))

    return wrap


# PartiQL has actions of its own, one for each kind of statement: there is no dynamodb:BatchExecuteStatement.
PARTIQL = {"INSERT": "PartiQLInsert", "UPDATE": "PartiQLUpdate", "DELETE": "PartiQLDelete", "SELECT": "PartiQLSelect"}
STATEMENT = re.compile(r'\s*(INSERT\s+INTO|UPDATE|DELETE\s+FROM|SELECT\s.*?\sFROM)\s+"([^"]+)"', re.IGNORECASE | re.DOTALL)


@patch(iam_actions, "dynamodb_transaction_checks")
def partiql_checks(original, iam_action, body, region, account_id):
    if iam_action not in ("dynamodb:BatchExecuteStatement", "dynamodb:ExecuteStatement", "dynamodb:ExecuteTransaction"):
        return original(iam_action, body, region, account_id)
    request = json.loads(body)
    statements = request.get("Statements") or request.get("TransactStatements") or [request]
    checks = set()
    for statement in statements:
        kind, table = STATEMENT.match(statement["Statement"]).groups()
        action = "dynamodb:" + PARTIQL[kind.split()[0].upper()]
        checks.add((action, f"arn:aws:dynamodb:{region}:{account_id}:table/{table}"))
    return sorted(checks)


# Conversing with a model is invoking it.
CONVERSING = {"bedrock:Converse": "bedrock:InvokeModel", "bedrock:ConverseStream": "bedrock:InvokeModelWithResponseStream"}


@patch(iam_actions, "extract_iam_action")
def bedrock_actions(original, *args, **kwargs):
    action = original(*args, **kwargs)
    return CONVERSING.get(action, action)


# Not AWS's behaviour but ours: what each role used is noted, to be compared with what it was granted.
grants = os.environ.get("EMULATOR_GRANTS")
noted = set()


@patch(iam_evaluator, "enforce")
def note_use(original, access_key_id, iam_action, service, region, resource_arn="*", service_context=None):
    result = original(access_key_id, iam_action, service, region, resource_arn=resource_arn, service_context=service_context)
    if grants:
        principal = iam_evaluator.resolve_principal(access_key_id or "", "000000000000")
        arn = getattr(principal, "arn", "")
        use = (arn, iam_action, resource_arn, "denied" if result else "allowed")
        if ":assumed-role/" in arn and use not in noted:
            noted.add(use)
            with open(grants, "a", encoding="utf-8") as file:
                file.write(json.dumps(dict(zip(("principal", "action", "resource", "decision"), use))) + "\n")
    return result


# The emulator would serve on port 443 too.
app._port_is_bindable = lambda *args: False

app.main()
