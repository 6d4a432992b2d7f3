import { expect, it } from 'vitest';
import { operatorWith, settings } from '../../support/operator-command.ts';

const config = (...args: string[]) => operatorWith(settings, ['mcp', 'config', ...args]);

it('the configuration of an AI client is one line with --json, and needs an address and a known client', async () => {
  const { stdout, stderr } = await config('--client', 'inspector', '--base-url', 'https://api.example.com', '--json');
  expect(stderr).toBe('');
  expect(stdout).toBe('{"mcpServers":{"voice-agents":{"type":"http","url":"https://api.example.com/mcp"}}}\n');
  expect(await config('--client', 'cursor')).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('--base-url'),
  });
  expect(await config('--client', 'other')).toMatchObject({ code: 2, stderr: expect.stringContaining('inspector') });
});
