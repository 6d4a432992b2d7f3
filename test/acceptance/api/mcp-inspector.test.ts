import { execFile } from 'node:child_process';
import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { newApiKey } from '../../../functions/domain/api-keys.ts';
import { newWorld, target } from '../../support/world.ts';
import { packageFile } from '../packages.ts';

const program = packageFile('@modelcontextprotocol/inspector', 'clients/launcher/build/index.js');
const home = mkdtempSync(join(tmpdir(), 'voice-agents-inspector-'));

// biome-ignore lint/suspicious/noExplicitAny: a test reads any result
type Inspection = { ok: boolean; stderr: string; result: any };

/** Runs the Inspector’s command line with a method, as the guide says. */
const inspect = async (apiKey: string, ...method: string[]) => {
  const address = ['--cli', `${target.baseUrl}/mcp`, '--transport', 'http', '--header', `x-authorization: ${apiKey}`];
  const options = { env: { ...process.env, HOME: home } };
  return new Promise<Inspection>((resolve) => {
    execFile(process.execPath, [program, ...address, '--method', ...method], options, (error, stdout, stderr) =>
      resolve({ ok: !error, stderr, result: stdout.startsWith('{') ? JSON.parse(stdout) : undefined }),
    );
  });
};

it('the Inspector’s command line lists the tools, and finds no error in their schemas', async () => {
  const { apiKey } = await newWorld();
  const { ok, result, stderr } = await inspect(apiKey, 'tools/list', '--strict');
  expect(ok, stderr).toBe(true);
  expect(stderr).toMatch(/\b0 errors\b/);
  const names = result.tools.map(({ name }: { name: string }) => name);
  expect(names).toEqual(expect.arrayContaining(['addBlockedNumbers', 'createAgent', 'listCalls', 'searchKnowledge']));
  expect(names).not.toContain('deleteAgent');
});

it('the Inspector’s command line calls tools, and reports errors of the API', async () => {
  const { apiKey, agentId, blockList } = await newWorld();
  const use = (apiKey: string, name: string, ...args: string[]) =>
    inspect(apiKey, 'tools/call', '--tool-name', name, ...args.flatMap((one) => ['--tool-arg', one]));
  const blocked = await use(apiKey, 'addBlockedNumbers', `agentId=${agentId}`, 'numbers=["+14155550123"]');
  expect(blocked.ok, blocked.stderr).toBe(true);
  expect(blocked.result).toMatchObject({ isError: false, structuredContent: { added: ['+14155550123'] } });
  expect((await blockList()).blockList).toEqual(['+14155550123']);
  const refused = await use(apiKey, 'getAgent', `agentId=${target.otherAgentId}`);
  expect(refused.ok).toBe(false);
  expect(refused.result).toMatchObject({ isError: true, structuredContent: { error: 'insufficient_permissions' } });
  const unknown = await use(newApiKey(), 'listAgents');
  expect([unknown.ok, unknown.result]).toEqual([false, undefined]);
});
