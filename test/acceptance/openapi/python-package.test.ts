import { execFile, spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';
import { pythonPrograms } from '../../../bin/client/python-environment.ts';
import { listen } from '../../../bin/local/listen.ts';
import { apiKeys } from '../../../functions/store/api-keys.ts';
import type { Received } from '../../support/receiver.ts';
import { newEndpoint, newReceiver } from '../../support/webhooks.ts';
import { newWorld, target } from '../../support/world.ts';

const run = promisify(execFile);

const program = `
import sys
from io import BytesIO
from voice_agent_platform_client import ApiError, File, api_client

api = api_client()
agent_id = sys.argv[1]
blocked = api.block_list.add(agent_id=agent_id, numbers=["+14155550100", "x"])
print(blocked.added, [entry.code for entry in blocked.failed])

file = File(payload=BytesIO(b"Open from nine to five."), file_name="hours.txt", mime_type="text/plain")
uploaded = api.documents.upload(agent_id=agent_id, files=[file])
print([document.name for document in uploaded.documents])

page = api.calls.list(agent_id=agent_id, limit=2)
print(len(page.calls), [call.call_id for call in api.calls.list.items(agent_id=agent_id, limit=2)])
print(api.calls.get(agent_id=agent_id, call_id_or_phone="call-1").ended_at, api.key.get().uid == api.agents.get(agent_id=agent_id).uid)

hours = {"from": "09:00", "to": "17:00"}
made = api.agents.create(name="Of dicts", configuration={"greeting": "Hi", "calling": {"hours": hours}})
read = api.agents.get(agent_id=made.agent_id).to_dict()["configuration"]
print(read["greeting"], read["calling"]["hours"]["to"])

try:
    api_client(api_key="vap_wrong").agents.list()
except ApiError as error:
    print(error.status, error.code, error.request_id is not None)
try:
    api.agents.create(name="")
except ApiError as error:
    print(error.status, error.code, error.details[0]["path"])
`;

/** Reads what responses say about a limit of two requests a minute, and about a key without one. */
const limitsProgram = `
import sys
from voice_agent_platform_client import ApiError, api_client

api = api_client(api_key=sys.argv[1], retries=0)
print(api.limits)
try:
    for _ in range(3):
        api.key.get()
        print(api.limits.limit, api.limits.window_seconds, api.limits.remaining, api.limits.reset_seconds > 0, api.limits.retry_after_seconds)
except ApiError as error:
    print(error.code, error.limits.remaining, error.limits.retry_after_seconds == error.limits.reset_seconds, error.limits == api.limits)
api = api_client()
api.key.get()
print(api.limits)
`;

/** Uploads files and waits for the results, by both kinds of call. */
const uploadProgram = `
import asyncio, sys
from pathlib import Path
from voice_agent_platform_client import ApiError, api_client

api = api_client()
agent_id, folder = sys.argv[1], Path(sys.argv[2])
(folder / "hours.txt").write_text("Open from nine to five.")
(folder / "large.txt").write_text("A line of a document. " * 300_000)
(folder / "numbers.csv").write_text("number,reason\\n+14155550901,asked\\nx,\\n")

async def upload():
    response = await api.documents.upload_files_async(agent_id, [folder / "hours.txt"])
    document = await api.documents.wait_until_ready_async(agent_id, response.documents[0].document_id)
    created = await api.block_list.import_file_async(folder / "numbers.csv")
    ended = await api.block_list.wait_until_imported_async(created.import_id)
    print(document.name, document.status, ended.status, ended.already_blocked)

response = api.documents.upload_files(agent_id, [folder / "large.txt", folder / "hours.txt", folder / "hours.txt"])
for uploaded in response.documents:
    document = api.documents.wait_until_ready(agent_id, uploaded.document_id)
    print(document.name, document.status, document.size)
print(response.failed, "policy" in repr(response))
created = api.block_list.import_file(folder / "numbers.csv", reason="file")
ended = api.block_list.wait_until_imported(created.import_id)
print(ended.status, ended.added, [failure.line for failure in ended.failures])
asyncio.run(upload())
for wait in (
    lambda: api.documents.wait_until_ready(agent_id, "doc_none"),
    lambda: api.documents.wait_until_ready(agent_id, api.documents.upload_files(agent_id, [folder / "large.txt"]).documents[0].document_id, max_wait_seconds=0),
):
    try:
        wait()
    except ApiError as error:
        print(error.status, error.code)
`;

/** Reads the chat as it arrives, by both kinds of call, and with settings that cannot be used. */
const chatProgram = `
import asyncio, sys
from voice_agent_platform_client import ApiError, api_client

messages = [{"id": "m", "role": "user", "parts": [{"type": "text", "text": "Hello"}]}]

def kinds(parts):
    found = [part["type"] for part in parts]
    return [found[0], found[-1], "text-delta" in found]

async def kinds_async(api):
    return kinds([part async for part in api.chat.build.parts_async(id="a", messages=messages)])

print(kinds(api_client().chat.build.parts(id="a", messages=messages)), asyncio.run(kinds_async(api_client())))
for client in (api_client(api_key="vap_wrong"), api_client(sys.argv[1] + "/cut", "vap_x")):
    seen = []
    try:
        for part in client.chat.build.parts(id="a", messages=messages):
            seen.append(part["type"])
    except ApiError as error:
        print(seen, error.code)
for options in ({"api_key": "vap_\u2026"}, {"base_url": ""}):
    try:
        api_client(**options)
    except ValueError as error:
        print(error)
`;

/** Calls one operation of a service that fails first, by both kinds of call. */
const persistentProgram = `
import asyncio, sys
from voice_agent_platform_client import ApiError, api_client
from voice_agent_platform_client.models import BuildChatParams

api = api_client(sys.argv[1], "vap_x", "user-1")
try:
    api.chat.build(id="a", messages=[])
except ApiError as error:
    print(error.status)
print(api.agents.create(name="Front desk").agent_id, asyncio.run(api.agents.create.asyncio(name="Front desk")).agent_id)
try:
    api_client(sys.argv[1], "vap_x", "user-1", retries=1).agents.create(name="Front desk")
except ApiError as error:
    print(error.code)
`;

/** Sends what no request can carry, and settings with white space. */
const unsendableProgram = `
import asyncio, os, sys, traceback
from voice_agent_platform_client import ApiError, api_client

key, agent_id = os.environ["VAP_API_KEY"], sys.argv[1]
for call in (lambda api: api.agents.end_access(agent_id=agent_id, guest_uid=".."), lambda api: asyncio.run(api.calls.get.asyncio(agent_id=".", call_id_or_phone="a")), lambda api: api.agents.get(agent_id="")):
    try:
        call(api_client())
    except ApiError as error:
        print(error)
address = os.environ["VAP_BASE_URL"].replace("http", "HTTP")
print(api_client(" " + address + " ", "\\u00a0" + key + "\\n", " " + os.environ["VAP_USER"]).agents.get(agent_id=agent_id).agent_id == agent_id)
try:
    api_client(headers={"X-Authorization": " " + key}).agents.list()
except ApiError as error:
    print(error, key in traceback.format_exc())
for address in ("localhost:3000", "http://user:word@api.example.com"):
    try:
        api_client(address)
    except ValueError as error:
        print(error)
`;

/** Calls a server that answers as a gateway, a proxy or a later version of the service does. */
const strangeProgram = `
import sys
from voice_agent_platform_client import ApiError, api_client

def outcome(path):
    try:
        return api_client(sys.argv[1] + path, "vap_x", retries=0).calls.get(agent_id="a", call_id_or_phone="c").direction
    except ApiError as error:
        return f"{error.status} {error.code}"

for path in ("/403", "/404", "/502", "/later-code", "/later-value", "/page"):
    print(path, outcome(path))
try:
    api_client("http://127.0.0.1:9", "vap_x", retries=0).key.get()
except ApiError as error:
    print(error.status, error.code)
`;

const agent = {
  uid: 'user-1',
  version: 1,
  name: 'Front desk',
  configuration: {},
  permissions: {},
  createdAt: '2026-03-01T10:00:00.000Z',
  updatedAt: '2026-03-01T10:00:00.000Z',
};

/** A service that answers requests with the given statuses in turn, 0 being a lost connection. Keeps their keys. */
const startFailing = async (statuses: number[]) => {
  const keys: unknown[] = [];
  const server = createServer((request, response) => {
    keys.push(request.headers['idempotency-key']);
    request.resume().on('end', () => {
      const status = statuses.shift() ?? 200;
      if (status === 0) return request.socket.destroy();
      const error = { error: status === 409 ? 'quota_exceeded' : 'internal_error', message: 'Failed.' };
      const retryAfter = status === 409 && statuses.length > 0 ? { 'retry-after': '0' } : {};
      response.writeHead(status, { 'content-type': 'application/json', ...retryAfter });
      response.end(JSON.stringify(status === 200 ? { ...agent, agentId: `agent_${keys.length}` } : error));
    });
  });
  return { keys, ...(await listen(server)) };
};

/** A server that answers as a gateway, a proxy, a later version of the service and a web page do, by the path. */
const startStrange = async () => {
  const call = { callId: 'c', agentId: 'a', direction: 'sideways', startedAt: '2026-03-01T10:00:00.000Z' };
  const answers: Record<string, [number, string]> = {
    '403': [403, '<h1>Forbidden</h1>'],
    '404': [404, '{"message":"Not Found"}'],
    '502': [502, '<h1>Bad Gateway</h1>'],
    'later-code': [409, '{"error":"some_later_code","message":"Not now."}'],
    'later-value': [200, JSON.stringify(call)],
    page: [200, '<!doctype html>'],
    cut: [200, 'data: {"type":"start"}\n\n'],
  };
  const server = createServer(({ url = '' }, response) => {
    const [status, text] = answers[url.split('/')[1] as string] as [number, string];
    response.writeHead(status, { 'content-type': text.startsWith('<') ? 'text/html' : 'application/json' }).end(text);
  });
  return listen(server);
};

const verifyProgram = `
import json, sys
from voice_agent_platform_client import WebhookVerificationError, verify_webhook

given = json.loads(sys.argv[1])
secret, headers, body = given["secret"], given["headers"], given["body"]
event = verify_webhook(body, headers, secret)
print(type(event).__name__, event.data.call_id, event.data.phone)
for changed_body, changed in ((body.replace("0100", "0199"), headers), (body, {**headers, "webhook-timestamp": "1700000000"})):
    try:
        print(verify_webhook(changed_body.encode(), changed, secret))
    except WebhookVerificationError:
        print("refused")
`;

const hasPython = spawnSync('python3', ['-c', 'import venv, ensurepip']).status === 0;

/** The packed client in a folder, and the environment in which a program of its user runs: of an agent with three calls. */
const installClient = async () => {
  const folder = mkdtempSync(join(tmpdir(), 'python-client-'));
  packed ??= run(process.execPath, ['bin/client.ts', '--python', '--folder', join(folder, 'made')]);
  const { stdout: wheel } = await packed;
  const python = join(pythonPrograms('bin/client/python-requirements.txt'), 'python');
  const installed = join(folder, 'installed');
  // The generator has the same dependencies as the wheel, so nothing is fetched.
  await run(python, ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', installed, wheel.trim()]);
  const { uid, agentId, apiKey, recordCall } = await newWorld();
  for (const day of [1, 2, 3]) await recordCall(`call-${day}`, { startedAt: `2026-03-0${day}T10:00:00Z` });
  const variables = { VAP_BASE_URL: target.baseUrl, VAP_API_KEY: apiKey, VAP_USER: uid, VAP_AGENT: agentId };
  return { folder, python, env: { ...process.env, PYTHONPATH: installed, ...variables } };
};
let packed: Promise<{ stdout: string }> | undefined;

const guide = 'functions/openapi/guides/python-client.md';
const findExample = (file: string) => /```python\n(.*?)```/s.exec(readFileSync(file, 'utf8'))?.[1] ?? '';

it('the Python client is packed as a wheel, calls the service, and raises errors; without Python the command reports the reason', {
  tags: 'heavy',
}, async () => {
  if (!hasPython) {
    const packing = run(process.execPath, ['bin/client.ts', '--python']);
    return expect(packing).rejects.toThrow('Python 3.11 or newer with venv is needed, as python3.');
  }
  const { folder, python, env } = await installClient();
  const agentId = env.VAP_AGENT;
  const runProgram = async (source: string, ...args: string[]) => {
    writeFileSync(join(folder, 'program.py'), source);
    return (await run(python, [join(folder, 'program.py'), ...args], { env })).stdout.trim().split('\n');
  };
  expect(await runProgram(program, agentId)).toEqual([
    "['+14155550100'] ['invalid_format']",
    "['hours.txt']",
    "2 ['call-3', 'call-2', 'call-1']",
    'UNSET True',
    'Hi 17:00',
    '401 invalid_api_key True',
    '400 invalid_request name',
  ]);

  const { secret } = await apiKeys
    .get()
    .create(env.VAP_USER, { name: 'limited', scopes: undefined, requestsPerMinute: 2 });
  expect(await runProgram(limitsProgram, secret)).toEqual([
    'None',
    '2 60 1 True None',
    '2 60 0 True None',
    'rate_limited 0 True True',
    'RequestLimits(limit=None, window_seconds=None, remaining=None, reset_seconds=None, retry_after_seconds=None)',
  ]);

  expect(await runProgram(uploadProgram, agentId, folder)).toEqual([
    'large.txt ready 6600000',
    'hours.txt ready 23',
    'hours.txt ready 23',
    '[] False',
    'done 1 [3]',
    'hours.txt ready done 1',
    '404 document_not_found',
    'None timeout',
  ]);

  const failing = await startFailing([429, 0, 503, 409, 200, 429, 200, 409]);
  const persistent = await runProgram(persistentProgram, failing.endpoint);
  await failing.stop();
  // A 409 without Retry-After is a final response.
  expect(persistent).toEqual(['429', 'agent_5 agent_7', 'quota_exceeded']);
  // The chat is sent once, without a key.
  const [chat, ...keys] = failing.keys;
  const [first, , , , second] = keys;
  expect(keys.map((key) => [first, second].indexOf(key))).toEqual([0, 0, 0, 0, 1, 1, -1]);
  expect([chat, ...new Set(keys)].map((key) => key === undefined)).toEqual([true, false, false, false]);

  expect(await runProgram(unsendableProgram, agentId)).toEqual([
    'misconfigured: guest_uid must not be .., which no path can carry.',
    'misconfigured: agent_id must not be ., which no path can carry.',
    'misconfigured: agent_id is missing.',
    'True',
    'misconfigured: A header of the request has a value that cannot be sent. False',
    'base_url must begin with http:// or https://.',
    expect.stringMatching(/^base_url must begin with https:\/\/, unlike http:\/\/api\.example\.com: /),
  ]);

  const strange = await startStrange();
  expect(await runProgram(strangeProgram, strange.endpoint)).toEqual([
    '/403 403 invalid_request',
    '/404 404 not_found',
    '/502 502 internal_error',
    '/later-code 409 some_later_code',
    '/later-value sideways',
    '/page 200 unexpected_response',
    'None unreachable',
  ]);
  const whole = "['start', 'finish', True]";
  expect(await runProgram(chatProgram, strange.endpoint)).toEqual([
    `${whole} ${whole}`,
    '[] invalid_api_key',
    "['start'] unreachable",
    'api_key has a character that a header cannot carry. Was it copied from an example?',
    'base_url is missing: give the address of the service, or set VAP_BASE_URL.',
  ]);
  await strange.stop();

  expect(await runProgram(findExample(guide))).toEqual([
    'call-3 +14155550100 no outcome',
    'call-2 +14155550100 no outcome',
    'call-1 +14155550100 no outcome',
    expect.stringMatching(/^404 call_not_found .* [\w-]+$/),
  ]);
});

it('the Python examples of the guides pass a strict type checker, which finds a misspelled parameter or field and a wrong value', {
  tags: 'heavy',
}, async () => {
  if (!hasPython) return;
  const { folder, env } = await installClient();
  const mypy = join(pythonPrograms('test/acceptance/openapi/python-requirements.txt'), 'mypy');
  const check = async (source: string) => {
    writeFileSync(join(folder, 'checked.py'), source);
    const options = ['--strict', '--no-incremental', 'checked.py'];
    return run(mypy, options, { cwd: folder, env: { ...env, MYPYPATH: env.PYTHONPATH } }).then(
      ({ stdout }) => stdout,
      ({ stdout }) => stdout as string,
    );
  };
  const example = findExample(guide);
  expect(await check(example)).toContain('Success: no issues found');
  expect(await check(findExample('functions/openapi/guides/webhooks.md'))).toContain('Success: no issues found');
  const misspelled = await check(example.replace('direction=', 'directoin=').replace('call.call_id', 'call.cal_id'));
  expect(misspelled).toContain('"directoin"');
  expect(misspelled).toContain('"Call" has no attribute "cal_id"');
  expect(await check(example.replace('"inbound"', '"sideways"'))).toContain(
    'incompatible type "Literal[\'sideways\']"',
  );
});

it('the Python client verifies a delivery of the service and returns its event, and rejects a changed one', {
  tags: 'heavy',
}, async () => {
  if (!hasPython) return;
  const { folder, python, env } = await installClient();
  const world = await newWorld();
  const receiver = await newReceiver();
  const { secret } = await newEndpoint(world, receiver.url, { events: ['call.recorded'] });
  await world.recordCall('call-1');
  const [{ headers, body }] = (await receiver.waitFor(1)) as [Received];
  writeFileSync(join(folder, 'verify.py'), verifyProgram);
  const { stdout } = await run(python, [join(folder, 'verify.py'), JSON.stringify({ secret, headers, body })], {
    env,
  });
  expect(stdout.trim().split('\n')).toEqual(['CallRecordedEvent call-1 +14155550100', 'refused', 'refused']);
});
