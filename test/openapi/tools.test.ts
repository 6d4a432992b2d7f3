import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { Scope } from '../../functions/domain/api-keys.ts';
import { McpTools, ToolGroup } from '../../functions/mcp/tools.ts';
import type { OperationTool } from '../../functions/openapi/operations.ts';
import {
  argumentDescriptions,
  argumentSchemas,
  checkToolText,
  toolDescriptions,
} from '../../functions/openapi/tool-descriptions.ts';

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
  const replaced = [...Object.keys(argumentDescriptions), ...Object.keys(argumentSchemas)];
  expect(replaced.filter((path) => !args.has(path))).toEqual([]);
});

const allTools = new McpTools({ deletes: true });
const everything = { uid: 'user-1', keyId: 'key-1', scopes: Scope.options };
const countKibibytes = (chosen: McpTools) => Buffer.byteLength(JSON.stringify(chosen.list(everything))) / 1024;

it('the list of all tools has at most 96 KB, also where a deployment allows those that delete', () => {
  expect(allTools.list(everything)).toHaveLength(tools.length);
  expect(countKibibytes(allTools)).toBeLessThanOrEqual(96);
});

it.each(ToolGroup.options)('the tools of the group %s have at most 48 KB', (group) => {
  const size = countKibibytes(allTools.within([group]));
  expect(size).toBeGreaterThan(1);
  expect(size).toBeLessThanOrEqual(48);
});

it('no schema of a tool has a list of types, for which some clients drop all tools', () => {
  expect(JSON.stringify(tools)).not.toMatch(/"type":\[/);
});

it('no tool offers null, which says nothing', () => {
  const inputs = tools.map(({ description, inputSchema }) => [description, inputSchema]);
  expect(JSON.stringify(inputs)).not.toMatch(/"null"|`null`/);
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
