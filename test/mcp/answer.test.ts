import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { listen } from '../../bin/local/listen.ts';
import { OwnApi } from '../../functions/clients/own-api.ts';
import { newApiKey } from '../../functions/domain/api-keys.ts';
import { parseJson } from '../../functions/domain/json.ts';
import { answer } from '../../functions/mcp/answer.ts';
import { McpTools } from '../../functions/mcp/tools.ts';

type Sent = { path: string | undefined; headers: NodeJS.Dict<string | string[]> };

/** The result of a tool call whose API sends this response, and the request that the API received. */
const callTool = async (status: number, body: string, settings: Record<string, string> = {}) => {
  const sent: Sent[] = [];
  const server = createServer(({ url, headers }, response) => {
    sent.push({ path: url, headers });
    if (status === 0) response.destroy();
    else response.writeHead(status).end(body);
  });
  const { endpoint, stop } = await listen(server);
  onTestFinished(stop);
  const before = { ...process.env };
  onTestFinished(() => {
    process.env = before;
  });
  Object.assign(process.env, { API_URL: endpoint, ...settings });
  const message = {
    jsonrpc: '2.0',
    id: 1,
    method: 'tools/call',
    params: { name: 'getAgent', arguments: { agentId: 'a' } },
  };
  const caller = { api: new OwnApi('mcp'), apiKey: newApiKey(), tools: new McpTools({ deletes: false }) };
  const response = await answer({ value: message }, {}, caller);
  return { sent, response, result: JSON.parse(response.body).result };
};

it.each([
  ['9007199254740993', 200],
  ['123456789012345678901234567890', 200],
  ['1.0', 200],
  ['"9007199254740993"', 200],
  ['1.5', 400],
])('the response to a request has its id %s to the digit', async (id, status) => {
  const value = parseJson(`{"jsonrpc":"2.0","id":${id},"method":"initialize","params":{}}`);
  const api = { findKeyOwner: async () => ({ uid: 'u', scopes: [] }) } as unknown as OwnApi;
  const response = await answer({ value }, {}, { api, apiKey: newApiKey(), tools: new McpTools({ deletes: false }) });
  expect([response.status, response.body.includes(`"id":${status === 200 ? id : null}`)]).toEqual([status, true]);
});

it('the response to a tool call has a large result once, and a small one as text too', async () => {
  const small = await callTool(200, '{"name":"A"}');
  expect(small.result.content[0].text).toBe('{"name":"A"}');
  const large = await callTool(200, JSON.stringify({ name: 'A'.repeat(2_000_000) }));
  expect(large.result.structuredContent.name).toHaveLength(2_000_000);
  expect(large.response.body.length).toBeLessThan(2_001_000);
});

it.each([
  [429, '{"message":"Too Many Requests"}', 'rate_limited'],
  [413, '{"message":"Request Entity Too Large"}', 'payload_too_large'],
  [503, '<html>Service Unavailable</html>', 'internal_error'],
  [404, '{"message":"Not Found"}', 'internal_error'],
  [500, '{"error":"constructor","message":"x"}', 'internal_error'],
])(
  'the response to a tool call is an error of the interface where API Gateway itself responded with %i',
  async (status, body, error) => {
    const { result } = await callTool(status, body);
    expect([result.isError, result.structuredContent.error]).toEqual([true, error]);
    expect(result.structuredContent.message).not.toContain('html');
  },
);

it('a tool call fails if the API does not respond', async () => {
  await expect(callTool(0, '')).rejects.toThrow();
});

it('the request of a tool call carries the current secret by which the API recognizes CloudFront, where there is one', async () => {
  const { sent } = await callTool(200, '{}', { EDGE_SECRETS: 'current,former' });
  expect(sent).toMatchObject([{ path: '/agents/a', headers: { 'x-origin-secret': 'current' } }]);
  const without = await callTool(200, '{}', { EDGE_SECRETS: '' });
  expect(without.sent[0]?.headers).not.toHaveProperty('x-origin-secret');
});
