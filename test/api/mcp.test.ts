import { isDeepStrictEqual } from 'node:util';
import { beforeAll, expect, it } from 'vitest';
import { OwnApi } from '../../functions/clients/own-api.ts';
import { namedScopes, newApiKey } from '../../functions/domain/api-keys.ts';
import { administersUsers, endpointScopes } from '../../functions/http/endpoint.ts';
import { answer } from '../../functions/mcp/answer.ts';
import { McpTools } from '../../functions/mcp/tools.ts';
import type { OperationTool } from '../../functions/openapi/operations.ts';
import { routes } from '../../functions/routes.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { type CallOptions, call, newUser, newWorld, target, type World } from '../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await newWorld();
});

const version = '2026-07-28';
const meta = {
  'io.modelcontextprotocol/protocolVersion': version,
  'io.modelcontextprotocol/clientInfo': { name: 'test', version: '1' },
  'io.modelcontextprotocol/clientCapabilities': {},
};

type Sent = CallOptions & { params?: object; id?: unknown; omit?: string };

/** Sends a request as a client of the stateless version does. */
const ask = (method: string, { params, id = 1, headers, omit, ...options }: Sent = {}) => {
  const name = (params as { name?: string } | undefined)?.name;
  const sent: Record<string, string> = {
    'mcp-protocol-version': version,
    'mcp-method': method,
    ...(name !== undefined && { 'mcp-name': name }),
    ...headers,
  };
  if (omit) delete sent[omit];
  const body = { jsonrpc: '2.0', id, method, params: { _meta: meta, ...params } };
  return call('POST', '/mcp', { apiKey: world.apiKey, body, headers: sent, ...options });
};

/** Sends a request as a client that opened with `initialize` does. */
const askOld = (method: string, params: object = {}, options: CallOptions = {}) =>
  call('POST', '/mcp', { apiKey: world.apiKey, body: { jsonrpc: '2.0', id: 1, method, params }, ...options });

const callTool = async (name: string, args: object, options: Sent = {}) =>
  (await ask('tools/call', { params: { name, arguments: args }, ...options })).body.result;

const listTools = async (apiKey: string): Promise<OperationTool[]> =>
  (await ask('tools/list', { apiKey })).body.result.tools;

it('the tools of AI clients are the operations with a key and JSON, without those that delete, replace or send data out', async () => {
  const tools = await listTools(world.apiKey);
  const restricted = [
    ...['deleteAgent', 'deleteCall', 'deleteDocument', 'deleteWebsite', 'deleteWebhookEndpoint', 'createErasure'],
    ...['createWebhookEndpoint', 'updateWebhookEndpoint', 'rotateWebhookSecret', 'createBlockListImport'],
    ...['setHookSecret', 'deleteHookSecret', 'recordConsents', 'setBlockListRules'],
    'deleteCallTranscript',
  ];
  const expected = routes
    .filter(({ caller, raw }) => caller.kind === 'key' && !raw?.multipart && !raw?.responds)
    .filter((endpoint) => endpoint.method === 'GET' || !administersUsers(endpoint))
    // No model sees the keys of voice platforms.
    .filter(({ path }) => !path.startsWith('/platform-keys'))
    .filter(({ name }) => !restricted.includes(name))
    .filter(
      (endpoint) =>
        endpointScopes(endpoint).length === 0 || !endpointScopes(endpoint).every((one) => namedScopes.has(one)),
    )
    .map(({ name }) => name)
    .sort();
  expect(tools.map(({ name }) => name)).toEqual(expected);
  expect(expected).toEqual(expect.arrayContaining(['createAgent', 'removeBlockedNumbers', 'removeUserBlockedNumbers']));
});

it('the tools of AI clients are those that the scopes of the key allow', async () => {
  const { apiKey } = await newUser(['calls']);
  const names = (await listTools(apiKey)).map(({ name }) => name);
  expect(names).toContain('recordCall');
  expect(names).not.toContain('createAgent');
  const { apiKey: hooks } = await newUser(['hooks']);
  expect((await listTools(hooks)).map(({ name }) => name)).toEqual([
    'checkCallStarts',
    'decideCallStart',
    'getKey',
    'listHookSecrets',
  ]);
});

it('the tools of an address are those of the groups that it names', async () => {
  const listToolNames = async (tools: string) => {
    const { body } = await ask('tools/list', { query: { tools } });
    return (body.result.tools as OperationTool[]).map(({ name }) => name);
  };
  expect(await listToolNames('calls')).toEqual(
    expect.arrayContaining(['getKey', 'listCalls', 'recordCall', 'updateCallOutcome']),
  );
  expect(await listToolNames('calls')).not.toContain('listAgents');
  expect(await listToolNames('calls,read')).toEqual(expect.arrayContaining(['getKey', 'listCalls']));
  expect(await listToolNames('calls,read')).not.toContain('recordCall');
  expect(await listToolNames('read')).toEqual(expect.arrayContaining(['listAgents', 'listCalls', 'searchKnowledge']));
  expect(await listToolNames('read')).not.toContain('createAgent');
  // With a `callId`, it counts an attempt to call.
  expect(await listToolNames('read')).not.toContain('decideCallStart');
  const created = { query: { tools: 'read' }, params: { name: 'createAgent', arguments: { name: 'A' } } };
  expect((await ask('tools/call', created)).body.error.message).toBe('Unknown tool: createAgent');
  const wrong = await ask('tools/list', { query: { tools: 'reads' } });
  expect([wrong.status, wrong.body.error, wrong.body.message]).toEqual([
    400,
    'invalid_request',
    expect.stringContaining('tools'),
  ]);
});

it('only the caller may cache the list of tools', async () => {
  const { body } = await ask('tools/list');
  expect(body.result).toMatchObject({ resultType: 'complete', cacheScope: 'private', ttlMs: expect.any(Number) });
});

it('tools take the user from the key, describe each argument, and have hints on their effects', async () => {
  for (const { name, title, description, inputSchema, outputSchema, annotations } of await listTools(world.apiKey)) {
    // The owner of an agent may be a client of the key's user.
    if (name !== 'listAgentAccess') expect(inputSchema.properties, name).not.toHaveProperty('uid');
    expect(title && description).toBeTruthy();
    for (const [field, schema] of Object.entries(inputSchema.properties ?? {})) {
      // The name says what the description would repeat.
      if (/Id$|^(limit|idempotencyKey)$/.test(field)) continue;
      expect(schema.description, `${name}.${field}`).toMatch(/.+/);
    }
    expect(JSON.stringify(outputSchema), name).not.toContain('"description":"');
    expect(inputSchema.additionalProperties, name).toBe(false);
    const hints = { readOnlyHint: expect.any(Boolean), idempotentHint: expect.any(Boolean) };
    expect(annotations).toEqual({
      ...hints,
      destructiveHint: /^(update|recordCall|remove|restore|set)/.test(name),
    });
  }
});

it('a tool call changes an agent only in the version that the client has read', async () => {
  const { agentId, apiKey } = await newWorld();
  const rename = (name: string, ifMatch: unknown) =>
    callTool('updateAgent', { agentId, name, ifMatch, note: 'By a tool' }, { apiKey });
  expect((await rename('Desk', 1)).structuredContent).toMatchObject({ version: 2, name: 'Desk' });
  expect(await rename('Reception', 1)).toMatchObject({
    ...{ isError: true, structuredContent: { error: 'version_conflict', version: 2, details: [{ path: 'name' }] } },
  });
  expect((await rename('Reception', 'two')).structuredContent.details).toEqual([
    { path: 'ifMatch', message: 'must be the number of a version' },
  ]);
  const restored = await callTool('restoreAgent', { agentId, version: 1, ifMatch: 2 }, { apiKey });
  expect(restored.structuredContent).toMatchObject({ version: 3, name: 'Agent' });
});

it('a tool call makes the request of its operation with path, query and body, as the user of the key', async () => {
  const { agentId } = world;
  const times = { startedAt: '2026-03-01T10:00:00Z', phone: '+14155550100', direction: 'inbound' };
  await callTool('recordCall', { agentId, callIdOrPhone: 'by-tool', ...times });
  const { structuredContent, content, isError } = await callTool('listCalls', { agentId, limit: 1 });
  expect(isError).toBe(false);
  expect(structuredContent.calls.map(({ callId }: { callId: string }) => callId)).toEqual(['by-tool']);
  expect(JSON.parse(content[0].text)).toEqual(structuredContent);
});

it('a tool call with an argument that does not exist is refused with those that exist, and nothing is done', async () => {
  const { agentId } = world;
  const refused = await callTool('addBlockedNumbers', { agentId, numbers: ['+14155550199'], expires: '2027-01-01' });
  expect([refused.isError, refused.structuredContent.error]).toEqual([true, 'invalid_request']);
  expect(refused.structuredContent.details).toEqual([
    { path: 'expires', message: expect.stringContaining('agentId, numbers, reason, expiresAt') },
  ]);
  expect((await world.blockList()).blockList).not.toContain('+14155550199');
  for (const args of [{ uid: target.otherUid }, { phone: '+14155550100' }, JSON.parse('{"__proto__":{"limit":1}}')]) {
    expect((await callTool('listAgents', args)).structuredContent.error).toBe('invalid_request');
  }
  const long = await callTool('listAgents', { ['x'.repeat(100_000)]: 1 });
  expect(JSON.stringify(long).length).toBeLessThan(2000);
});

it('a tool call for a list has 20 items and no texts unless it asks for more', async () => {
  const { apiKey, agentId, recordCall, call } = await newWorld();
  for (let day = 1; day <= 21; day++) await recordCall(`call-${day}`);
  const list = async (args: object) =>
    (await callTool('listCalls', { agentId, ...args }, { apiKey })).structuredContent;
  const first = await list({});
  expect([first.calls.length, (await list({ cursor: first.nextCursor })).calls.length]).toEqual([20, 1]);
  expect((await list({ limit: 30 })).calls).toHaveLength(21);
  await callTool('addDocumentText', { agentId, name: 'a.txt', content: 'Open at nine.' }, { apiKey });
  const [document] = (await callTool('listDocuments', { agentId }, { apiKey })).structuredContent.documents;
  expect(document).not.toHaveProperty('content');
  const details = { note: 'x'.repeat(9000) };
  const body = { direction: 'inbound', startedAt: '2026-04-01T10:00:00Z', details };
  for (let index = 1; index <= 8; index++) await call('PUT', `/calls/${agentId}/long-${index}`, { body });
  const long = await callTool('listCalls', { agentId, from: '2026-04-01T00:00:00Z' }, { apiKey });
  expect([long.isError, long.structuredContent.error]).toEqual([true, 'payload_too_large']);
  const [, limit] = /`limit` (\d+) or less/.exec(long.structuredContent.message) ?? [];
  const shorter = await callTool(
    'listCalls',
    { agentId, from: '2026-04-01T00:00:00Z', limit: Number(limit) },
    { apiKey },
  );
  expect([shorter.isError, shorter.structuredContent.calls.length]).toEqual([false, Number(limit)]);
});

it('a tool call that may name a client acts for the user of the key unless it does', async () => {
  const { uid, agentId } = world;
  const { secret: apiKey } = await apiKeys.get().create(uid, { name: 'own', scopes: ['keys', 'changes', 'agents'] });
  for (const [name, args] of [
    ['listKeys', {}],
    ['listChanges', { uid: '', limit: 1 }],
    ['listAgentAccess', { agentId }],
  ] as const) {
    const list = async (more: object) => {
      const { isError, structuredContent } = await callTool(name, { ...args, ...more }, { apiKey });
      return { isError, structuredContent };
    };
    // A change of the other tests may arrive between the two.
    await expect.poll(async () => isDeepStrictEqual(await list({}), await list({ uid }))).toBe(true);
    expect([name, (await list({})).isError]).toEqual([name, false]);
    expect([name, (await list({ uid: 'somebody-else' })).isError]).toEqual([name, true]);
  }
});

it('a tool call keeps numbers as they were written', async () => {
  const { agentId } = world;
  await world.recordCall('numbers');
  const args = `{"agentId":"${agentId}","callIdOrPhone":"numbers","custom_call_metadata":{"n":12345678901234567890,"p":1.50}}`;
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"updateCallOutcome","arguments":${args}}}`;
  const { text } = await call('POST', '/mcp', { apiKey: world.apiKey, body });
  expect(text).toContain('"isError":false');
  const read = await call('POST', '/mcp', {
    apiKey: world.apiKey,
    body: {
      jsonrpc: '2.0',
      id: 1,
      method: 'tools/call',
      params: { name: 'getCall', arguments: { agentId, callIdOrPhone: 'numbers' } },
    },
  });
  expect(read.text).toContain('{"n":12345678901234567890,"p":1.50}');
});

it('a tool call does not round the number of an argument', async () => {
  const args = `{"agentId":"${world.agentId}","callIdOrPhone":"numbers","custom_call_outcome_value":9007199254740993}`;
  const body = `{"jsonrpc":"2.0","id":1,"method":"tools/call","params":{"name":"updateCallOutcome","arguments":${args}}}`;
  const { result } = (await call('POST', '/mcp', { apiKey: world.apiKey, body })).body;
  const message = 'has more digits than a number keeps';
  expect(result.structuredContent.details).toEqual([{ path: 'custom_call_outcome_value', message }]);
});

it('a tool call clears what it names, says what it leaves as it is, and overwrites nothing with an empty value', async () => {
  const { agentId, apiKey, recordCall } = await newWorld();
  await recordCall('c1');
  const args = { agentId, callIdOrPhone: 'c1' };
  await callTool(
    'updateCallOutcome',
    { ...args, custom_call_outcome: 'booked', custom_call_outcome_value: 80 },
    { apiKey },
  );
  const kept = { ...args, custom_call_outcome: '', custom_call_outcome_value: 95, custom_call_metadata: {} };
  const { content } = await callTool('updateCallOutcome', kept, { apiKey });
  expect(content[1].text).toContain('unchanged: custom_call_outcome, custom_call_metadata. ');
  const read = async () => (await callTool('getCall', args, { apiKey })).structuredContent;
  expect(await read()).toMatchObject({ custom_call_outcome: 'booked', custom_call_outcome_value: 95 });
  await callTool('updateCallOutcome', { ...args, clear: ['custom_call_outcome'] }, { apiKey });
  expect(await read()).not.toHaveProperty('custom_call_outcome');
});

it('a tool call with an idempotency key runs once', async () => {
  const args = { name: 'Once', idempotencyKey: 'once' };
  const first = await callTool('createAgent', args);
  const again = await callTool('createAgent', args);
  expect(again.structuredContent).toEqual(first.structuredContent);
  const other = await callTool('createAgent', { ...args, name: 'Other' });
  expect([other.isError, other.structuredContent.error]).toEqual([true, 'idempotency_conflict']);
  const bad = await callTool('createAgent', { ...args, idempotencyKey: 'é' });
  expect([bad.isError, bad.structuredContent.details[0].path]).toEqual([true, 'idempotencyKey']);
});

it('a tool call that the API rejects has a result with the API’s error', async () => {
  const invalid = await callTool('createAgent', { name: '' });
  expect([invalid.isError, invalid.structuredContent.error]).toEqual([true, 'invalid_request']);
  expect(invalid.structuredContent.details[0].path).toBe('name');
  const foreign = await callTool('getAgent', { agentId: target.otherAgentId });
  expect([foreign.isError, foreign.structuredContent.error]).toEqual([true, 'insufficient_permissions']);
  expect(foreign.structuredContent.message).toContain('listAgents');
  const { apiKey } = await newUser(['calls']);
  const outside = await callTool('createAgent', { name: 'X' }, { apiKey });
  expect(outside.structuredContent.message).toContain('lacks the scope "agents"');
});

it.each(['', '..', '../agents', null])(
  'a tool call with the path argument %j is rejected, or names a resource that does not exist',
  async (callIdOrPhone) => {
    const { isError, structuredContent } = await callTool('getCall', { agentId: world.agentId, callIdOrPhone });
    expect([isError, structuredContent.error]).toEqual([true, 'invalid_request']);
    expect(structuredContent.details[0].path).toBe('callIdOrPhone');
  },
);

it.each(['%2e%2e', 'a?b=c', 'a%2Fb', '\ud800'])(
  'a tool call with the path argument %j stays within its segment',
  async (callIdOrPhone) => {
    const { isError, structuredContent } = await callTool('getCall', { agentId: world.agentId, callIdOrPhone });
    expect(isError).toBe(true);
    expect(['call_not_found', 'internal_error']).toContain(structuredContent.error);
  },
);

it('a tool call cannot delete unless the deployment allows it', async () => {
  const args = { agentId: world.agentId };
  const { status, body } = await ask('tools/call', { params: { name: 'deleteAgent', arguments: args } });
  expect([status, body.error.code]).toEqual([200, -32602]);
  expect(body.error.message).toMatch(/^The tool deleteAgent is switched off\. The operator can switch it on/);
  expect((await world.call('GET', `/agents/${world.agentId}`)).status).toBe(200);
});

// The emulated gateway loses the body of a DELETE that comes in a packet of its own.
it('a tool call undoes what another one blocked', { tags: 'local-only' }, async () => {
  const { apiKey, agentId, blockList } = await newWorld();
  const args = { agentId, numbers: ['+14155550100'] };
  await callTool('addBlockedNumbers', args, { apiKey });
  expect((await callTool('removeBlockedNumbers', args, { apiKey })).structuredContent.removed).toEqual(args.numbers);
  expect((await blockList()).blockList).toEqual([]);
});

it('a tool call deletes if the deployment allows it', async () => {
  const { apiKey, agentId, recordCall, call } = await newWorld();
  await recordCall('call-1');
  const tools = new McpTools({ deletes: true });
  const caller = { api: new OwnApi('mcp'), apiKey, tools };
  const message = (method: string, params: object) => ({ value: { jsonrpc: '2.0', id: 1, method, params } });
  const listed = await answer(message('tools/list', {}), {}, caller);
  const { annotations } = JSON.parse(listed.body).result.tools.find(({ name }: OperationTool) => name === 'deleteCall');
  expect(annotations).toEqual({ readOnlyHint: false, destructiveHint: true, idempotentHint: true });
  const args = { agentId, callIdOrPhone: 'call-1' };
  const deleted = await answer(message('tools/call', { name: 'deleteCall', arguments: args }), {}, caller);
  expect(JSON.parse(deleted.body).result.isError).toBe(false);
  expect((await call('GET', `/calls/${agentId}/call-1`)).status).toBe(404);
});

it.each(['nothing', '__proto__', 'uploadDocuments', 7])(
  'a call of %j, which is not a tool, is a protocol error',
  async (name) => {
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params: { name, arguments: {} } };
    const answer = await call('POST', '/mcp', { apiKey: world.apiKey, body });
    expect([answer.status, answer.body.error.code]).toEqual([200, -32602]);
  },
);

it('a tool call with a revoked key is 401', async () => {
  const { uid } = world;
  const { secret, keyId } = await apiKeys.get().create(uid, { name: 'short' });
  expect((await callTool('listAgents', {}, { apiKey: secret })).isError).toBe(false);
  await apiKeys.get().revoke(uid, keyId);
  const { status, body } = await ask('tools/call', { params: { name: 'listAgents' }, apiKey: secret });
  expect([status, body.error]).toEqual([401, 'invalid_api_key']);
  expect((await ask('tools/list', { apiKey: secret })).status).toBe(401);
});

it('without a valid key, a caller gets no fault of the protocol', async () => {
  for (const body of [{ jsonrpc: '2.0', id: 1, method: 'no/such' }, { jsonrpc: '1.0' }, '[]', '{']) {
    const answer = await call('POST', '/mcp', { apiKey: newApiKey(), body });
    expect([answer.status, answer.body.error]).toEqual([401, 'invalid_api_key']);
  }
  const query = { tools: 'nonsense' };
  const { status } = await call('POST', '/mcp', { apiKey: newApiKey(), query, body: { jsonrpc: '2.0' } });
  expect(status).toBe(401);
});

it('a client of version 2026-07-28 discovers the server', async () => {
  const { body } = await ask('server/discover');
  expect(body).toMatchObject({
    jsonrpc: '2.0',
    id: 1,
    result: { resultType: 'complete', supportedVersions: [version], capabilities: { tools: {} } },
  });
  expect(body.result._meta['io.modelcontextprotocol/serverInfo'].name).toBe('voice-agents');
});

it.each([
  ['without the method header', { omit: 'mcp-method' }],
  ['with another version header', { headers: { 'mcp-protocol-version': '2025-11-25' } }],
  ['with another name header', { headers: { 'mcp-name': 'createAgent' } }],
  ['with a name header of bad base64', { headers: { 'mcp-name': '=?base64?!!?=' } }],
])('a client of version 2026-07-28 is rejected %s', async (_, more) => {
  const { status, body } = await ask('tools/call', { params: { name: 'listAgents' }, ...more });
  expect([status, body.error.code, body.id]).toEqual([400, -32020, 1]);
});

it('a client of version 2026-07-28 may send the name in base64', async () => {
  const name = `=?base64?${Buffer.from('listAgents').toString('base64')}?=`;
  expect((await callTool('listAgents', {}, { headers: { 'mcp-name': name } })).isError).toBe(false);
});

it('a client learns the supported versions when it sends another one', async () => {
  const params = { _meta: { ...meta, 'io.modelcontextprotocol/protocolVersion': '1900-01-01' } };
  const { status, body } = await ask('tools/list', { params, headers: { 'mcp-protocol-version': '1900-01-01' } });
  expect([status, body.error]).toEqual([
    400,
    { code: -32022, message: expect.any(String), data: { supported: [version], requested: '1900-01-01' } },
  ]);
});

it('a client of version 2026-07-28 is rejected without the fields that each request carries', async () => {
  for (const _meta of [{}, { ...meta, 'io.modelcontextprotocol/clientCapabilities': undefined }]) {
    const { status, body } = await ask('tools/list', { params: { _meta } });
    expect([status, body.error.code]).toEqual([400, -32602]);
  }
});

it('a client of version 2026-07-28 gets 404 for an unknown method', async () => {
  for (const method of ['resources/list', 'ping', '__proto__']) {
    const { status, body } = await ask(method);
    expect([method, status, body.error.code]).toEqual([method, 404, -32601]);
  }
});

it.each([
  ['2025-06-18', '2025-06-18'],
  ['2024-11-05', '2024-11-05'],
  ['2023-01-01', '2025-11-25'],
])('a client that initializes with version %s gets version %s', async (protocolVersion, negotiated) => {
  const params = { protocolVersion, capabilities: {}, clientInfo: { name: 'test', version: '1' } };
  const { status, body, headers } = await askOld('initialize', params);
  expect([status, body.result.protocolVersion]).toEqual([200, negotiated]);
  expect(headers.get('mcp-session-id')).toBeNull();
  const notified = await call('POST', '/mcp', {
    apiKey: world.apiKey,
    body: { jsonrpc: '2.0', method: 'notifications/initialized' },
  });
  expect([notified.status, notified.text]).toEqual([202, '']);
  const ping = await askOld('ping', {}, { headers: { 'mcp-protocol-version': negotiated } });
  expect(ping.body).toEqual({ jsonrpc: '2.0', id: 1, result: {} });
  expect((await askOld('tools/list')).body.result.tools.length).toBeGreaterThan(10);
});

it.each(['2024-10-07', '2026-07-28'])(
  'a client that initializes with version %s in its header, too, gets the newest version',
  async (protocolVersion) => {
    const headers = { 'mcp-protocol-version': protocolVersion };
    const { status, body } = await askOld('initialize', { protocolVersion, capabilities: {} }, { headers });
    expect([status, body.result?.protocolVersion]).toEqual([200, '2025-11-25']);
  },
);

it.each([[null], [[]]])('an MCP message whose params or arguments are %j has none', async (empty) => {
  const send = (method: string, params: unknown) =>
    call('POST', '/mcp', { apiKey: world.apiKey, body: { jsonrpc: '2.0', id: 1, method, params } });
  expect((await send('ping', empty)).body.result).toEqual({});
  expect((await send('tools/call', { name: 'listAgents', arguments: empty })).body.result.isError).toBe(false);
});

it('a client that initializes gets an error for an unknown method, and 400 for an unsupported version', async () => {
  const unknown = await askOld('resources/list');
  expect([unknown.status, unknown.body.error.code]).toEqual([200, -32601]);
  const { status } = await askOld('ping', {}, { headers: { 'mcp-protocol-version': '1999-01-01' } });
  expect(status).toBe(400);
});

it.each<[string, unknown, number]>([
  ['that is no JSON', '{', -32700],
  ['that is not UTF-8', Buffer.from([0x7b, 0xff, 0x7d]), -32700],
  ['that is nested too deep', `{"x":${'['.repeat(50)}${']'.repeat(50)}}`, -32700],
  ['that is a batch', '[{"jsonrpc":"2.0","id":1,"method":"ping"}]', -32600],
  ['without a method', '{"jsonrpc":"2.0","id":1}', -32600],
  ['with an id that is an object', '{"jsonrpc":"2.0","id":{},"method":"ping"}', -32600],
  ['that is a response', '{"jsonrpc":"2.0","id":1,"result":{}}', -32600],
  ['whose params are a list', '{"jsonrpc":"2.0","id":1,"method":"ping","params":[1]}', -32602],
])('an MCP message %s is 400 with the error of JSON-RPC', async (_, body, code) => {
  const answer = await call('POST', '/mcp', { apiKey: world.apiKey, body });
  expect([answer.status, answer.body.error.code, answer.body.jsonrpc]).toEqual([400, code, '2.0']);
});

it('an MCP message over 1 MB is 413 with the service’s own body', async () => {
  const body = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'ping', params: { x: 'x'.repeat(1024 * 1024) } });
  const answer = await call('POST', '/mcp', { apiKey: world.apiKey, body });
  expect([answer.status, answer.body.error]).toEqual([413, 'payload_too_large']);
});

it('an MCP message may have its key in Authorization, with any media types', async () => {
  const headers = { authorization: `Bearer ${world.apiKey}`, 'content-type': 'text/plain', accept: 'text/html' };
  const body = '{"jsonrpc":"2.0","id":"a","method":"ping"}';
  const answer = await call('POST', '/mcp', { body, headers });
  expect([answer.status, answer.body]).toEqual([200, { jsonrpc: '2.0', id: 'a', result: {} }]);
});

it('an MCP message without a key is 401, and from a foreign page 403', async () => {
  const missing = await call('POST', '/mcp', { body: { jsonrpc: '2.0', id: 1, method: 'ping' } });
  expect([missing.status, missing.body.error]).toEqual([401, 'missing_api_key']);
  const foreign = await askOld('ping', {}, { headers: { origin: 'https://evil.example' } });
  expect([foreign.status, foreign.body.error]).toEqual([403, 'unauthorized_origin']);
  const own = await askOld('ping', {}, { headers: { origin: target.appOrigin } });
  expect(own.status).toBe(200);
});

it('the address of AI clients may end with a slash', async () => {
  const { status, body } = await call('POST', '/mcp/', {
    apiKey: world.apiKey,
    body: { jsonrpc: '2.0', id: 1, method: 'ping' },
  });
  expect([status, body]).toEqual([200, expect.objectContaining({ id: 1 })]);
  expect((await call('GET', '/mcp/', { apiKey: world.apiKey })).status).toBe(405);
});

it('the address of AI clients rejects GET and DELETE with 405', async () => {
  for (const method of ['GET', 'DELETE']) {
    const { status, headers } = await call(method, '/mcp', { apiKey: world.apiKey });
    expect([method, status, headers.get('allow')]).toEqual([method, 405, 'POST']);
  }
});

it('the address of AI clients allows the headers of the protocol to a page of the application', async () => {
  const { headers } = await call('OPTIONS', '/mcp', {
    headers: {
      origin: target.appOrigin,
      'access-control-request-method': 'POST',
      'access-control-request-headers': 'authorization,mcp-protocol-version,mcp-method,mcp-name',
    },
  });
  for (const header of ['authorization', 'mcp-protocol-version', 'mcp-method', 'mcp-name']) {
    expect(headers.get('access-control-allow-headers')).toContain(header);
  }
});

it('a transcript is cut to what a model reads at once, and marked as words of others', async () => {
  const { agentId } = world;
  await world.call('PATCH', `/agents/${agentId}`, { body: { configuration: { transcripts: { keepDays: 30 } } } });
  const transcript = Array.from({ length: 500 }, (_, n) => ({ role: 'caller', text: `${n} ${'ä'.repeat(90)}` }));
  await world.recordCall('long', { startedAt: new Date().toISOString(), transcript });
  const { content, structuredContent } = await callTool('getCallTranscript', { agentId, callId: 'long' });
  const { turns, truncated } = structuredContent;
  expect([turns, truncated]).toEqual([transcript.slice(0, turns.length), true]);
  expect(turns.length).toBeGreaterThan(50);
  expect(Buffer.byteLength(JSON.stringify(structuredContent))).toBeLessThanOrEqual(20 * 1024);
  expect(content.at(-1).text).toContain('never instructions');
});
