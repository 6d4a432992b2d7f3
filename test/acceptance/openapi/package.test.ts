import { execFile } from 'node:child_process';
import { mkdirSync, mkdtempSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, resolve } from 'node:path';
import { promisify } from 'node:util';
import ts from 'typescript';
import { beforeAll, describe, expect, it } from 'vitest';
import { target } from '../../support/world.ts';

const run = promisify(execFile);

const program = `
import { type Agent, apiClient, type WebhookEvent } from 'voice-agent-platform-client';

const [baseUrl, apiKey, uid] = process.argv.slice(2);
const agents: Agent[] = [];
for await (const agent of apiClient({ baseUrl, apiKey, uid }).agents.list()) agents.push(agent);
export const nameOf = (event: WebhookEvent) => (event.type === 'agent.created' ? event.data.name : undefined);
console.log(JSON.stringify(agents.map(({ agentId }) => agentId)));
`;

describe('npm run client', () => {
  let folder: string;
  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'client-'));
    const { stdout: archive } = await run(process.execPath, ['bin/client.ts', '--folder', join(folder, 'made')]);
    const modules = join(folder, 'node_modules');
    const installed = join(modules, 'voice-agent-platform-client');
    mkdirSync(installed, { recursive: true });
    await run('tar', ['xzf', archive.trim(), '--strip-components=1', '-C', installed]);
    for (const name of ['standardwebhooks', '@stablelib', 'fast-sha256', '@types', 'undici-types']) {
      symlinkSync(resolve('node_modules', name), join(modules, name));
    }
    writeFileSync(join(folder, 'package.json'), '{"type":"module"}');
    writeFileSync(join(folder, 'program.ts'), program);
  });

  it('the package of the typed client compiles in a program elsewhere with every module resolution, and calls the service', async () => {
    const compile = (compiler: string, ...flags: string[]) => {
      const options = ['--target', 'es2024', '--strict', '--types', 'node', '--noEmit', ...flags];
      return run(process.execPath, [resolve('node_modules', compiler), ...options, 'program.ts'], { cwd: folder });
    };
    await compile('@typescript/native/bin/tsc', '--module', 'nodenext');
    await compile('@typescript/native/bin/tsc', '--module', 'esnext', '--moduleResolution', 'bundler');
    const deprecated = ['--moduleResolution', 'node10', '--ignoreDeprecations', '6.0'];
    await compile('typescript/bin/tsc6', '--module', 'esnext', ...deprecated);

    const { baseUrl, apiKey, uid, agentId } = target;
    const { stdout } = await run(process.execPath, ['program.ts', baseUrl, apiKey, uid], { cwd: folder });
    expect(JSON.parse(stdout)).toContain(agentId);
  });

  it('the package of the typed client shows an operation in an editor as one line with its description, and describes every parameter', () => {
    const source = `
      import { apiClient } from 'voice-agent-platform-client';
      const api = apiClient();
      const { data: call } = await api.calls.get({ agentId: 'a', callIdOrPhone: 'c' });
      api.calls.list({ agentId: 'a', hasOutcome: true });
    `;
    const editor = openEditor(join(folder, 'hover.ts'), source);
    const list = editor.hover('list({');
    expect(list.text).toBe(
      '(method) Calls.list(params: ListCallsParams, options?: RequestOptions): ListRequest<ListCallsResponse, Call>',
    );
    expect(list.description).toContain('Returns the calls of an agent with their outcomes, newest first.');
    expect(editor.hover('hasOutcome').text).toBe('(property) hasOutcome?: boolean | undefined');
    expect(editor.hover('hasOutcome').description).toContain('only calls that have an outcome');
    expect(editor.hover('call }').text).toBe('const call: Call | undefined');
    expect(editor.completions('api.').filter((name) => name === 'GET')).toEqual([]);
    expect(editor.completions('api.')).toEqual(expect.arrayContaining(['agents', 'calls', 'documents', 'webhooks']));
  });
});

/** An editor of a file. It shows the hover text and the completions where a text first occurs. */
const openEditor = (file: string, source: string) => {
  const options = { module: ts.ModuleKind.NodeNext, target: ts.ScriptTarget.ES2024, strict: true, types: ['node'] };
  const service = ts.createLanguageService({
    getScriptFileNames: () => [file],
    getScriptVersion: () => '1',
    getScriptSnapshot: (name) => {
      const text = name === file ? source : ts.sys.readFile(name);
      return text === undefined ? undefined : ts.ScriptSnapshot.fromString(text);
    },
    getCurrentDirectory: () => dirname(file),
    getCompilationSettings: () => options,
    getDefaultLibFileName: ts.getDefaultLibFilePath,
    ...{ fileExists: ts.sys.fileExists, readFile: ts.sys.readFile, directoryExists: ts.sys.directoryExists },
  });
  return {
    hover(text: string) {
      const { displayParts, documentation } = service.getQuickInfoAtPosition(file, source.indexOf(text)) ?? {};
      return { text: ts.displayPartsToString(displayParts), description: ts.displayPartsToString(documentation) };
    },
    completions(text: string) {
      const position = source.indexOf(text) + text.length;
      return service.getCompletionsAtPosition(file, position, undefined)?.entries.map(({ name }) => name) ?? [];
    },
  };
};
