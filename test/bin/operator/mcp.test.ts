import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { runOperator, settings } from '../../support/operator-command.ts';

const config = (...args: string[]) => runOperator(settings, ['mcp', 'config', ...args]);

it('the configuration of an AI client is one line with --json, and needs an address and a known client', async () => {
  const { stdout, stderr } = await config('--client', 'inspector', '--base-url', 'https://api.example.com', '--json');
  expect(stderr).toBe('');
  expect(stdout).toBe('{"mcpServers":{"voice-agents":{"type":"http","url":"https://api.example.com/mcp"}}}\n');
  expect(await runOperator({ ...settings, VAP_BASE_URL: '' }, ['mcp', 'config', '--client', 'cursor'])).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--base-url'),
  });
  expect(await config('--client', 'other')).toMatchObject({ code: 2, stderr: expect.stringContaining('inspector') });
});

it('the configuration of an AI client is written to a new file, and never over one with other servers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'mcp-config-'));
  const output = join(folder, '.cursor/mcp.json');
  const write = () => config('--client', 'cursor', '--base-url', 'https://api.example.com', '--output', output);
  expect(await write()).toMatchObject({ code: 0, stdout: expect.stringContaining('mcp.json written') });
  const url = 'https://api.example.com/mcp';
  expect(JSON.parse(readFileSync(output, 'utf8'))).toMatchObject({ mcpServers: { 'voice-agents': { url } } });
  writeFileSync(output, '{"mcpServers":{"other":{}}}');
  expect(await write()).toMatchObject({ code: 2, stderr: expect.stringContaining('may have other servers') });
  expect(readFileSync(output, 'utf8')).toContain('other');
});
