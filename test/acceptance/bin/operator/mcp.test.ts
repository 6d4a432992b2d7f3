import { expect, it } from 'vitest';
import { runOperator, settings } from '../../../support/operator-command.ts';
import { newWorld, target } from '../../../support/world.ts';
import { importPackage } from '../../packages.ts';

const { Client, StreamableHTTPClientTransport } = await importPackage('@modelcontextprotocol/client');

const config = (...args: string[]) => runOperator(settings, ['mcp', 'config', ...args]);

type Server = { url: string; headers?: Record<string, string> };

it.each([
  ['claude-code', `\${VAP_API_KEY}`],
  ['cursor', `\${env:VAP_API_KEY}`],
  ['vscode', `\${input:vap-api-key}`],
])('the configuration of an AI client connects %s, and does not contain the key', async (client, placeholder) => {
  const { apiKey, agentId } = await newWorld();
  const { code, stdout, stderr } = await config('--client', client, '--base-url', `${target.baseUrl}/`);
  expect([code, stderr]).toEqual([0, expect.stringContaining('mcp.json')]);
  const { mcpServers, servers } = JSON.parse(stdout) as Record<string, Record<string, Server>>;
  const { url, headers = {} } = { ...mcpServers, ...servers }['voice-agents'] as Server;
  expect(headers).toEqual({ 'X-Authorization': placeholder });
  const connected = new Client({ name: client, version: '1' });
  await connected.connect(
    new StreamableHTTPClientTransport(new URL(url), { requestInit: { headers: { 'X-Authorization': apiKey } } }),
  );
  const { isError } = await connected.callTool({ name: 'getAgent', arguments: { agentId } });
  expect(isError).toBe(false);
  await connected.close();
});
