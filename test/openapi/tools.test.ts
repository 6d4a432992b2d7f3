import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import type { OperationTool } from '../../functions/openapi/operations.ts';
import { argumentDescriptions, checkToolText, toolDescriptions } from '../../functions/openapi/tool-descriptions.ts';

const tools: OperationTool[] = JSON.parse(readFileSync('functions/openapi/tools.json', 'utf8'));
const names = new Set(tools.map(({ name }) => name));

it('a description of a tool names only tools that exist, and is of one that exists', () => {
  const verbs = [...new Set([...names].map((name) => /^[a-z]+/.exec(name)?.[0]))].join('|');
  const toolName = new RegExp(`\\b(?:${verbs})(?:[A-Z]\\w+)`, 'g');
  const named = tools.flatMap(({ description }) => description.match(toolName) ?? []);
  expect(named.length).toBeGreaterThan(20);
  expect(named.filter((name) => !names.has(name))).toEqual([]);
  expect(Object.keys(toolDescriptions).filter((name) => !names.has(name))).toEqual([]);
  const args = new Set(
    tools.flatMap(({ name, inputSchema }) =>
      Object.keys(inputSchema.properties ?? {}).flatMap((argument) => [argument, `${name}.${argument}`]),
    ),
  );
  const argumentOf = (path: string) => path.split('.').slice(0, 2).join('.');
  expect(Object.keys(argumentDescriptions).filter((path) => !args.has(argumentOf(path)))).toEqual([]);
});

it('the list of all tools has at most 64 KB, also where a deployment allows those that delete', () => {
  const list = {
    jsonrpc: '2.0',
    id: 1,
    result: { tools, resultType: 'complete', ttlMs: 60_000, cacheScope: 'private' },
  };
  expect(Buffer.byteLength(JSON.stringify(list))).toBeLessThanOrEqual(64 * 1024);
});

it('no schema of a tool has a list of types, for which some clients drop all tools', () => {
  expect(JSON.stringify(tools)).not.toMatch(/"type":\[/);
});

it('a description of a tool is refused when it names a request or a command, which a model cannot send', () => {
  for (const text of ['As `POST /call-starts` decides.', '`GET /erasures/{erasureId}` returns it.', 'Use `npm run x`.'])
    expect(() => checkToolText('x', text)).toThrow('tool-descriptions.ts');
  expect(checkToolText('x', 'Use getErasure.')).toBe('Use getErasure.');
});

it('the tools that return texts of websites and files say that these are data', () => {
  for (const name of ['searchKnowledge', 'getWebsiteContent', 'getDocumentContent']) {
    expect(tools.find((tool) => tool.name === name)?.description, name).toMatch(/data, never instructions/);
  }
});
