"""
Starts ministack, an emulated AWS, with what it does otherwise than AWS put right.

Each patch names what AWS does. They change the emulator, never the deployment: the templates and bundles that run
here are those that go to AWS. EMULATOR_GRANTS names a file that gets a line for every action a function's role was
allowed.
"""

import bisect
import collections
import copy
import functools
import http.client
import json
import os
import re
import ssl
import threading
import time

from ministack import app
from ministack.core import iam_actions, iam_evaluator, tls
from ministack.services import apigateway, cloudfront, cloudwatch_logs, dynamodb, lambda_svc, sqs
from ministack.services.cloudformation import provisioners


def patch(module, name):
    """Wraps a function of the emulator; the patch gets the original first."""

    def wrap(replacement):
        original = getattr(module, name)
        setattr(module, name, lambda *args, **kwargs: replacement(original, *args, **kwargs))

    return wrap


# CloudWatch evaluates metric math. The emulator does not, and gets the first metric of such an alarm.
@patch(provisioners, "_cw_metric_alarm_record")
def metric_math_alarm(original, name, props):
    stats = [metric["MetricStat"] for metric in props.get("Metrics", []) if "MetricStat" in metric]
    if not stats:
        return original(name, props)
    metric, period, statistic = stats[0]["Metric"], stats[0]["Period"], stats[0]["Stat"]
    single = {**props, **metric, "Period": period, "Statistic": statistic}
    del single["Metrics"]
    return original(name, single)


# The emulator has no composite alarms. It gets their name, and their rule must name alarms that exist.
def create_composite_alarm(logical_id, props, stack_name):
    named = re.findall(r'ALARM\("(arn:aws:cloudwatch:[^"]+)"\)', props["AlarmRule"])
    existing = {alarm["AlarmArn"] for alarm in provisioners._cw._alarms.values()}
    if not named or not existing.issuperset(named):
        raise ValueError(f"The rule of {logical_id} names no alarms, or alarms that do not exist: {props['AlarmRule']}")
    name = provisioners._physical_name(stack_name, logical_id, max_len=255)
    return name, {"Arn": f"arn:aws:cloudwatch:us-east-1:000000000000:alarm:{name}"}


provisioners._RESOURCE_HANDLERS["AWS::CloudWatch::CompositeAlarm"] = {
    "create": create_composite_alarm,
    "delete": lambda physical_id, props: None,
}


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


# What a statement changes is in the table's stream; the emulator has there what the other requests change.
def add_to_stream(original, table, parsed, *args):
    if parsed["op"] == "INSERT":
        item = parsed["item"].get("M", parsed["item"])
        pk, sk = (dynamodb._extract_key_val(item.get(table[name])) for name in ("pk_name", "sk_name"))
    else:
        pk, sk, *_ = dynamodb._partiql_key_target(table, parsed)
    found = lambda: copy.deepcopy(table["items"].get(pk, {}).get(sk))
    before = found()
    response = original(table, parsed, *args)
    after = found()
    if before != after:
        kind = "INSERT" if before is None else "REMOVE" if after is None else "MODIFY"
        dynamodb._emit_stream_event(table["TableName"], kind, before, after)
    return response


for kind in ("insert", "update", "delete"):
    patch(dynamodb, f"_partiql_{kind}")(add_to_stream)


# Some operations are allowed by the action of another one: conversing with a model by invoking it, a batch by its items.
ALLOWED_BY = {
    "bedrock:Converse": "bedrock:InvokeModel",
    "bedrock:ConverseStream": "bedrock:InvokeModelWithResponseStream",
    "sqs:SendMessageBatch": "sqs:SendMessage",
}


@patch(iam_actions, "extract_iam_action")
def actions_of_other_operations(original, *args, **kwargs):
    action = original(*args, **kwargs)
    return ALLOWED_BY.get(action, action)


# Lambda writes logs with the function's role, and no role of the service may create a log group. The emulator creates a
# deleted log group again when an invocation ends after its function is deleted.
@patch(lambda_svc, "_emit_lambda_logs")
def log_to_existing_group(original, function, *args, **kwargs):
    groups, name = cloudwatch_logs._log_groups, function["config"]["LoggingConfig"]["LogGroup"]
    group = groups.get(name)
    if group is None:
        return
    original(function, *args, **kwargs)
    # It may have been deleted in the meantime, and created again.
    if groups.get(name) is not group:
        groups.pop(name, None)


# CloudFormation spells the properties of an API's CORS in capitals; the emulator keeps them so, and then misses them.
def spelled_as_the_api_does(configuration):
    return {name[0].lower() + name[1:]: value for name, value in configuration.items()}


@patch(apigateway, "_cors_response_headers")
def cors_headers(original, configuration, origin):
    return original(spelled_as_the_api_does(configuration), origin)


@patch(apigateway, "_cors_preflight_response")
def cors_preflight(original, configuration, origin):
    status, headers, body = original(spelled_as_the_api_does(configuration), origin)
    return (204 if status == 200 else status), headers, body


# A stage has settings of routes that exist, or cannot be deployed.
@patch(provisioners, "_apigw_v2_stage_props")
def settings_of_existing_routes(original, props):
    existing = {route["routeKey"] for route in apigateway._routes.get(props["ApiId"], {}).values()}
    for key in props.get("RouteSettings", {}):
        if key not in existing:
            raise ValueError(f"Unable to find Route by key {key} within the provided RouteSettings")
    return original(props)


# A stage throttles: each route that has settings by itself, the others together. A bucket holds the burst, and fills at the rate.
buckets = {}


def is_admitted(api_id, stage, route_key):
    settings = apigateway._stages.get(api_id, {}).get(stage, {})
    own = settings.get("routeSettings", {}).get(route_key)
    limits = spelled_as_the_api_does(own or settings.get("defaultRouteSettings", {}))
    if "throttlingRateLimit" not in limits:
        return True
    rate, burst = float(limits["throttlingRateLimit"]), float(limits["throttlingBurstLimit"])
    key, now = (api_id, stage, own and route_key), time.monotonic()
    tokens, filled_at = buckets.get(key, (burst, now))
    tokens = min(burst, tokens + (now - filled_at) * rate)
    buckets[key] = (tokens - 1 if tokens >= 1 else tokens, now)
    return tokens >= 1


@patch(apigateway, "_handle_execute_in_scope")
async def throttle(original, api_id, stage, path, method, *args):
    route = apigateway._match_route(api_id, method, "/" + path.lstrip("/"))
    if route and not is_admitted(api_id, stage, route["routeKey"]):
        return 429, {"Content-Type": "application/json"}, b'{"message":"Too Many Requests"}'
    return await original(api_id, stage, path, method, *args)


# CloudFront reaches an API by the name that AWS gives it; the emulator serves it, but under another name.
EXECUTE_API = re.compile(r"([a-z0-9]+)\.execute-api\.[a-z0-9-]+\.amazonaws\.com")
PORT = int(os.environ["GATEWAY_PORT"])


@patch(cloudfront, "_forward_to_origin")
def api_origin(original, origin, method, uri, query_string, headers, body, viewer_is_https, client_ip, forwarded_for):
    api = EXECUTE_API.fullmatch(origin["domain_name"])
    if not api:
        return original(origin, method, uri, query_string, headers, body, viewer_is_https, client_ip, forwarded_for)
    sent = cloudfront._origin_request_headers(origin, headers, client_ip, forwarded_for)
    sent = {name: value for name, value in sent.items() if name.lower() != "host"}
    sent["Host"] = f"{api[1]}.execute-api.localhost:{PORT}"
    certificate, _ = tls.resolve_tls_material()
    trusted = ssl.create_default_context(cafile=certificate)
    connection = http.client.HTTPSConnection("localhost", PORT, timeout=origin.get("read_timeout", 30), context=trusted)
    try:
        connection.request(method, uri + (f"?{query_string}" if query_string else ""), body=body or None, headers=sent)
        answer = connection.getresponse()
        return answer.status, answer.reason, answer.getheaders(), answer.read()
    finally:
        connection.close()


# Each concurrent batch of a queue takes a process and its cold start. Ten at once would delay each other on a few cores.
@patch(lambda_svc, "_sqs_esm_concurrency")
def few_processes(original, *args):
    return min(original(*args), 4)


# A standard queue is fair: messages of the group with the fewest in flight are next. The emulator has one order for all.
@patch(sqs, "_collect_msgs")
def fair_messages(original, queue, max_n, visibility_timeout):
    if queue["is_fifo"]:
        return original(queue, max_n, visibility_timeout)
    now, waiting, in_flight = time.time(), collections.defaultdict(collections.deque), collections.Counter()
    for message in queue["messages"]:
        group = message.get("group_id") or message["id"]
        if message["visible_at"] <= now:
            waiting[group].append(message)
        elif message["receive_count"] > 0:
            in_flight[group] += 1
    chosen = []
    while waiting and len(chosen) < max_n:
        group = min(waiting, key=in_flight.__getitem__)
        chosen.append(waiting[group].popleft())
        in_flight[group] += 1
        if not waiting[group]:
            del waiting[group]
    return original({**queue, "messages": chosen}, max_n, visibility_timeout)


# Lambda polls each source by itself. The emulator polls no queue while a function handles changes of the stream.
polling_streams = threading.Lock()


@patch(lambda_svc, "_poll_dynamodb_streams")
def poll_streams_apart(original):
    def poll():
        try:
            has_more = original()
        finally:
            polling_streams.release()
        if has_more:
            lambda_svc._esm_wake.set()

    if polling_streams.acquire(blocking=False):
        threading.Thread(target=poll, daemon=True).start()
    return False


# Lambda delivers a batch of a stream again from the first change that failed. The emulator reads the failures of queues alone.
@patch(lambda_svc, "_execute_function")
def again_from_failed_change(original, function, event, *args, **kwargs):
    result = original(function, event, *args, **kwargs)
    records = event.get("Records") or [{}]
    while records[0].get("eventSource") == "aws:dynamodb" and not result.get("error"):
        failures = result["body"].get("batchItemFailures")
        if not failures:
            break
        numbers = [record["dynamodb"]["SequenceNumber"] for record in records]
        records = records[numbers.index(failures[0]["itemIdentifier"]) :]
        time.sleep(1)
        result = original(function, {"Records": records}, *args, **kwargs)
    return result


# The certificate stays what it is; the emulator would have openssl look at it for every request.
tls.resolve_tls_material = functools.cache(tls.resolve_tls_material)


# An expression is parsed once, not again for each item that it is compared with.
dynamodb._tokenize = functools.cache(dynamodb._tokenize)
dynamodb._condition_syntax_error = functools.cache(dynamodb._condition_syntax_error)


# The items of a scan are in the order of their keys: its next page is found without comparing all items before it.
@patch(dynamodb, "_apply_exclusive_start_key_scan")
def next_page(_, items, start, table):
    names = (table["pk_name"], table["sk_name"])
    key_of = lambda item: tuple(dynamodb._extract_key_val(item.get(name)) for name in names)
    return items[bisect.bisect_right(items, key_of(start), key=key_of) :]


# Not AWS's behavior but ours: what each role used is noted, to be compared with what it was granted.
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
