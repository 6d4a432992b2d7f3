import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import { target } from '../../support/world.ts';

const run = promisify(execFile);

const program = `
import { apiClient, type Schema } from 'voice-agent-platform-client';

const [baseUrl = '', apiKey, uid = ''] = process.argv.slice(2);
const { data, error } = await apiClient({ baseUrl, apiKey }).GET('/agents', { params: { query: { uid } } });
const agents: Schema<'Agent'>[] = data?.agents ?? [];
console.log(JSON.stringify(error ?? agents.map(({ agentId }) => agentId)));
`;

describe('npm run client', () => {
  it('npm run client makes a package with which a program elsewhere, and its own guide, compile and call the service', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'client-'));
    const { stdout: archive } = await run(process.execPath, ['bin/client.ts', '--folder', join(folder, 'made')]);
    const modules = join(folder, 'node_modules');
    const installed = join(modules, 'voice-agent-platform-client');
    mkdirSync(installed, { recursive: true });
    await run('tar', ['xzf', archive.trim(), '--strip-components=1', '-C', installed]);
    for (const name of ['openapi-fetch', 'openapi-typescript-helpers', '@types', 'undici-types']) {
      symlinkSync(resolve('node_modules', name), join(modules, name));
    }
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'program.ts'), program);
    const guide = readFileSync(join(installed, 'README.md'), 'utf8');
    writeFileSync(join(folder, 'guide.ts'), /```ts\n(.*?)```/s.exec(guide)?.[1] ?? '');
    const compiler = resolve('node_modules/@typescript/native/bin/tsc');
    const flags = ['--module', 'nodenext', '--target', 'es2024', '--strict', '--types', 'node', '--noEmit'];
    await run(process.execPath, [compiler, ...flags, 'program.ts', 'guide.ts'], { cwd: folder });

    const { baseUrl, apiKey, uid, agentId } = target;
    const { stdout } = await run(process.execPath, ['program.ts', baseUrl, apiKey, uid], { cwd: folder });
    expect(JSON.parse(stdout)).toContain(agentId);
  });
});
