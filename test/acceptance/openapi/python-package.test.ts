import { execFile, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { pythonPrograms } from '../../../bin/client/python-environment.ts';
import { newWorld, target } from '../../support/world.ts';

const run = promisify(execFile);

const program = `
import sys
from voice_agent_platform_client import api_client
from voice_agent_platform_client.api.block_list import add_blocked_numbers
from voice_agent_platform_client.api.documents import upload_documents
from voice_agent_platform_client.models import AddBlockedNumbersBody, AddBlockedNumbersResponse, Error, UploadDocumentsBody
from voice_agent_platform_client.types import File

base_url, api_key, uid, agent_id = sys.argv[1:]
client = api_client(base_url, api_key)
body = AddBlockedNumbersBody(uid=uid, agent_id=agent_id, numbers=["+14155550100", "x"])
blocked = add_blocked_numbers.sync(client=client, body=body)
assert isinstance(blocked, AddBlockedNumbersResponse)
print(blocked.added, [entry.code.value for entry in blocked.failed])

file = File(payload=b"Open from nine to five.", file_name="hours.txt", mime_type="text/plain")
uploaded = upload_documents.sync(client=client, body=UploadDocumentsBody(uid=uid, agent_id=agent_id, files=[file]))
print([document.name for document in uploaded.documents])

refused = add_blocked_numbers.sync(client=api_client(base_url, "vap_wrong"), body=body)
assert isinstance(refused, Error)
print(refused.error.value)
`;

/** Calls one operation of a service that fails first, by both kinds of function. */
const persistentProgram = `
import asyncio, sys
from voice_agent_platform_client import api_client
from voice_agent_platform_client.api.agents import create_agent
from voice_agent_platform_client.models import CreateAgentBody, Error

body = CreateAgentBody(uid="user-1", name="Front desk")
call = dict(client=api_client(sys.argv[1], "vap_x"), body=body)
print(call["client"].get_httpx_client().post("/chat/build", json={}).status_code)
print(create_agent.sync(**call).agent_id, asyncio.run(create_agent.asyncio(**call)).agent_id)
refused = create_agent.sync(client=api_client(sys.argv[1], "vap_x", retries=1), body=body)
assert isinstance(refused, Error)
print(refused.error.value)
`;

const agent = {
  uid: 'user-1',
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
  await once(server.listen(0, '127.0.0.1'), 'listening');
  return { server, keys, url: `http://127.0.0.1:${(server.address() as AddressInfo).port}` };
};

const hasPython = spawnSync('python3', ['-c', 'import venv, ensurepip']).status === 0;

describe('npm run client -- --python', () => {
  it('npm run client -- --python packs a wheel whose client, and its own guide, call the service; or says that there is no Python', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'python-client-'));
    const packing = run(process.execPath, ['bin/client.ts', '--python', '--folder', join(folder, 'made')]);
    if (!hasPython) return expect(packing).rejects.toThrow('Python 3.10 or newer with venv is needed, as python3.');
    const { stdout: wheel } = await packing;
    const python = join(pythonPrograms('bin/client/python-requirements.txt'), 'python');
    const installed = join(folder, 'installed');
    // What the wheel depends on, the generator depends on, too: nothing is fetched.
    await run(python, ['-m', 'pip', 'install', '--quiet', '--no-deps', '--target', installed, wheel.trim()]);
    const { uid, agentId, apiKey, recordCall } = await newWorld();
    await recordCall('call-1');
    const { baseUrl } = target;
    const env = {
      ...process.env,
      PYTHONPATH: installed,
      VAP_BASE_URL: baseUrl,
      VAP_API_KEY: apiKey,
      VAP_USER: uid,
      VAP_AGENT: agentId,
    };
    writeFileSync(join(folder, 'program.py'), program);
    const { stdout } = await run(python, [join(folder, 'program.py'), baseUrl, apiKey, uid, agentId], { env });
    expect(stdout.trim().split('\n')).toEqual([
      "['+14155550100'] ['invalid_format']",
      "['hours.txt']",
      'invalid_api_key',
    ]);

    const failing = await startFailing([429, 0, 503, 409, 200, 429, 200, 409]);
    writeFileSync(join(folder, 'program.py'), persistentProgram);
    const persistent = await run(python, [join(folder, 'program.py'), failing.url], { env });
    failing.server.close();
    // A 409 without Retry-After is an answer.
    expect(persistent.stdout).toBe('429\nagent_5 agent_7\nquota_exceeded\n');
    // The chat is sent once, without a key.
    const [chat, ...keys] = failing.keys;
    const [first, , , , second] = keys;
    expect(keys.map((key) => [first, second].indexOf(key))).toEqual([0, 0, 0, 0, 1, 1, -1]);
    expect([chat, ...new Set(keys)].map((key) => key === undefined)).toEqual([true, false, false, false]);

    const exampleOf = async (guide: string) => {
      const file = join(folder, 'guide.py');
      writeFileSync(file, /```python\n(.*?)```/s.exec(readFileSync(guide, 'utf8'))?.[1] ?? '');
      return (await run(python, [file], { env })).stdout;
    };
    expect(await exampleOf(join(folder, 'made/source/README.md'))).toMatch(/^agent_\w+\n200 \S+\n$/);
    expect(await exampleOf('functions/openapi/guides/python-client.md')).toBe('call-1 +14155550100 no outcome\n');
    // The first run on a machine installs the generator.
  }, 240_000);
});
