import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { gunzipSync } from 'node:zlib';
import { describe, expect, it } from 'vitest';
import { listen } from '../../../bin/local/listen.ts';

const packageFile = JSON.parse(readFileSync('package.json', 'utf8'));

const run = (file: string, args: string[], env: Record<string, string> = {}) =>
  new Promise<{ code: unknown; stdout: string; stderr: string }>((resolve) => {
    const options = { env: { ...process.env, ...env }, maxBuffer: 64 * 1024 * 1024 };
    execFile(file, args, options, (error, stdout, stderr) => resolve({ code: error?.code ?? 0, stdout, stderr }));
  });

/** The packages whose code is deployed, as esbuild bundles it: `name@version`, with the license. */
const bundled = await run(process.execPath, ['bin/licenses.ts']);
const deployed = bundled.stdout
  .trim()
  .split('\n')
  .map((line) => line.split('\t')[1] ?? '');

it('the packages that are deployed are listed with their licenses, all of them permissive', () => {
  expect([bundled.code, bundled.stderr]).toEqual([0, '']);
  expect(bundled.stdout).toContain(`MIT\tundici@${packageFile.dependencies.undici}\n`);
  expect(bundled.stdout).toContain(`MIT\tpreact@${packageFile.dependencies.preact}\n`);
  expect(bundled.stdout).not.toContain('vitest');
});

it('the bill of materials has every package that is deployed, and none that only development needs', async () => {
  const { code, stdout } = await run('npm', ['run', '--silent', 'sbom']);
  expect(code).toBe(0);
  const { bomFormat, metadata, components } = JSON.parse(stdout);
  expect([bomFormat, metadata.component.name]).toEqual(['CycloneDX', packageFile.name]);
  const names = components.map(({ purl }: { purl: string }) => decodeURIComponent(purl.replace('pkg:npm/', '')));
  expect(deployed.filter((name) => !names.includes(name))).toEqual([]);
  expect(names.join()).not.toContain('vitest@');
});

describe('the audit', () => {
  const audit = async (answer: (request: IncomingMessage, response: ServerResponse) => void) => {
    // npm keeps the advisories that it has read.
    const cache = mkdtempSync(join(tmpdir(), 'npm-cache-'));
    const { endpoint, stop } = await listen(createServer(answer));
    const outcome = await run(process.execPath, ['bin/audit.ts'], {
      npm_config_registry: endpoint,
      npm_config_fetch_retries: '0',
      npm_config_cache: cache,
    });
    await stop();
    rmSync(cache, { recursive: true });
    return outcome;
  };
  const ulid = packageFile.dependencies.ulid as string;
  const withAdvisory = (severity: string) =>
    audit((request, response) => {
      const advisory = {
        id: 1,
        url: 'https://advisories.example/1',
        title: 'It leaks.',
        severity,
        vulnerable_versions: '*',
      };
      const packument = { name: 'ulid', versions: { [ulid]: { name: 'ulid', version: ulid } } };
      const isAdvisories = request.url?.endsWith('/advisories/bulk');
      response
        .setHeader('content-type', 'application/json')
        .end(JSON.stringify(isAdvisories ? { ulid: [advisory] } : packument));
    });

  it('the audit asks for every package that is deployed', async () => {
    const asked: string[] = [];
    await audit(async (request, response) => {
      const body = await buffer(request);
      const versions: Record<string, string[]> = body.length > 0 ? JSON.parse(gunzipSync(body).toString()) : {};
      for (const [name, all] of Object.entries(versions)) asked.push(...all.map((version) => `${name}@${version}`));
      response.setHeader('content-type', 'application/json').end('{}');
    });
    expect(deployed.filter((name) => !asked.includes(name))).toEqual([]);
  });

  it('the audit fails for a vulnerability of high severity, and names the package', async () => {
    const { code, stdout } = await withAdvisory('high');
    expect(stdout).toContain('high\tulid');
    expect(code).toBe(1);
  });

  it('the audit reports one of low severity, and passes', async () => {
    const { code, stdout } = await withAdvisory('low');
    expect(stdout).toContain('low\tulid');
    expect(code).toBe(0);
  });

  it.each([405, 500])(
    'the audit fails when the registry answers %i, and says that nothing was checked',
    async (status) => {
      const { code, stderr } = await audit((_, response) => response.writeHead(status).end());
      expect([code, stderr]).toEqual([1, expect.stringContaining('nothing was checked')]);
    },
  );
});
