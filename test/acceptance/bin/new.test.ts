import { execFile } from 'node:child_process';
import { cpSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect, it } from 'vitest';

const run = promisify(execFile);

it('npm run new makes an endpoint whose test and npm run check pass', { tags: 'heavy' }, async () => {
  const folder = mkdtempSync(join(tmpdir(), 'new-endpoint-'));
  const { stdout } = await run('git', ['ls-files']);
  for (const file of stdout.trim().split('\n')) cpSync(file, join(folder, file));
  symlinkSync(join(import.meta.dirname, '../../../node_modules'), join(folder, 'node_modules'));
  await run('git', ['init', '--quiet'], { cwd: folder });
  writeFileSync(join(folder, '.git/info/exclude'), 'node_modules\n');
  const npm = (...args: string[]) => run('npm', args, { cwd: folder, env: { ...process.env, NODE_ENV: '' } });
  await npm('run', 'new', '--', 'endpoint', 'get-agent-mood');
  await npm('run', 'check');
  expect((await npm('test', '--', 'test/api/get-agent-mood.test.ts')).stdout).toContain('1 passed');
  await expect(npm('run', 'new', '--', 'endpoint', 'get-agent-mood')).rejects.toThrow('exists.');
});
