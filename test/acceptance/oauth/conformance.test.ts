import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createInterface } from 'node:readline';
import { expect, it, onTestFinished } from 'vitest';
import { freePort } from '../../../bin/local/listen.ts';
import { register } from '../../support/oauth.ts';
import { newUser, target } from '../../support/world.ts';
import { packageFile } from '../packages.ts';
import { permit } from './permit.ts';

const host = target.publicUrl ?? target.baseUrl;

type Check = { id: string; status: string; errorMessage?: string };

it.each(['2025-11-25', '2026-07-28'])(
  'the authorization server passes the conformance suite of version %s',
  async (version) => {
    const port = await freePort();
    const clientId = await register({ redirect_uris: [`http://127.0.0.1:${port}/callback`] });
    const results = mkdtempSync(join(tmpdir(), 'conformance-'));
    const options = ['--url', host, '--client-id', clientId, '--resource', `${host}/mcp`, '--port', String(port)];
    const command = packageFile('@modelcontextprotocol/conformance', 'dist/index.js');
    const more = ['--spec-version', version, '--output-dir', results];
    const suite = spawn(process.execPath, [command, 'authorization', ...options, ...more]);
    onTestFinished(() => void suite.kill());
    const { apiKey } = await newUser();
    for await (const line of createInterface(suite.stdout)) {
      if (!line.startsWith(`${host}/authorize?`)) continue;
      expect((await fetch(await permit(line, apiKey))).ok).toBe(true);
    }
    const checks = readdirSync(results)
      .sort()
      .flatMap((folder) => JSON.parse(readFileSync(join(results, folder, 'checks.json'), 'utf8')) as Check[]);
    expect(checks.map(({ id, status }) => [id, status])).toEqual([
      ['authorization-code-grant', 'SUCCESS'],
      ['authorization-server-metadata', 'SUCCESS'],
      ['authorization-server-metadata-cimd', 'SUCCESS'],
    ]);
  },
);
