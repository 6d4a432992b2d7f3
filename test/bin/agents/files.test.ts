import { mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { parseAgent, withFields } from '../../../bin/agents/agent-file.ts';
import { readFolder, writeDocument } from '../../../bin/agents/folder.ts';
import { newApiKey } from '../../../functions/domain/api-keys.ts';
import { agents, formFile, newFolder, read, write } from '../../support/agents-tool.ts';

/** Applies a folder. A broken file is reported before any request. */
const apply = (folder: string) => agents(newApiKey(), 'apply', folder, '--base-url', 'http://127.0.0.1:1');

it.each([
  ['broken YAML', 'key: [desk\n', /^desk\.yaml: line \d+: .+\.\n$/],
  ['no key', 'name: Desk\nconfiguration: {}\n', /^desk\.yaml: key: is required\.\n$/],
  [
    'no configuration, perhaps misspelled',
    'key: desk\nname: Desk\nconfguration: {}\n',
    /^desk\.yaml: configuration: is required\.\n$/,
  ],
  [
    'an invalid field',
    formFile('desk').replace('{}', '{ language: english, greeting: 7 }'),
    /^desk\.yaml: configuration\.greeting: must be a string/,
  ],
  [
    'a number without end',
    formFile('desk').replace('{}', '{ a: .inf }'),
    /^desk\.yaml: line 3: a number must be finite\.\n$/,
  ],
  [
    'an alias',
    formFile('desk').replace('{}', '{ a: &a [x], b: *a }'),
    /^desk\.yaml: line 3: aliases are not supported: repeat the value\.\n$/,
  ],
  ...[
    ['a: 8421999999999995999', 'a number has more digits than a number keeps: write it as a text'],
    ['a: 6E-578', 'a number has more digits than a number keeps: write it as a text'],
    ['a: 0xfffffffffffffffff', 'a number has more digits than a number keeps: write it as a text'],
    ['zip: 01234', 'a number with zeros before it loses them: put it in quotes'],
    ['12345678901234567890: a', 'a name must be a text: put it in quotes'],
    ['007: a', 'a name must be a text: put it in quotes'],
    ['True: a', 'a name must be a text: put it in quotes'],
    ['? [a, b]\n  : c', 'a name must be a text: put it in quotes'],
    ['{ a: 1 }: c', 'a name must be a text: put it in quotes'],
    ['a: !!set {x, y}', 'the tag !!set is not supported'],
    ['a: !!omap [x: 1]', 'the tag !!omap is not supported'],
    ['a: !!binary aGVsbG8=', 'the tag !!binary is not supported'],
    ['a: !!timestamp 2026-01-31', 'the tag !!timestamp is not supported'],
  ].map(([field, message]): [string, string, RegExp] => [
    `${field} in the configuration`,
    formFile('desk').replace('{}', `\n  ${field}`),
    new RegExp(`^desk\\.yaml: line 4: ${message}\\.\\n$`),
  ]),
  [
    'a second document',
    `${formFile('desk')}---\n${formFile('sales')}`,
    /^desk\.yaml: line 4: a file has one agent: write another one into its own\.\n$/,
  ],
  [
    'a path of Windows',
    formFile('desk', 'documents:\n  - path: texts\\hours.txt\n'),
    /^desk\.yaml: documents\.0\.path: must be written with \/, on Windows, too\.\n$/,
  ],
  ['a version that names no deployment', formFile('desk', 'version: "7"\n'), /^desk\.yaml: version: /],
  [
    'a file outside as its document',
    formFile('desk', 'documents:\n  - path: ../secret.txt\n'),
    /^desk\.yaml: documents\.0\.path: must lead into the folder: without \/ at its beginning, and without \.\.\.\n$/,
  ],
  [
    'a document that is not there',
    formFile('desk', 'documents:\n  - path: no.txt\n'),
    /^desk\.yaml: no\.txt: no such file\.\n$/,
  ],
  ['10 MB', formFile('desk', `# ${'x'.repeat(10_000_000)}\n`), /^desk\.yaml: is larger than 500 KB\.\n$/],
  ['no UTF-8', Buffer.from('key: d\xfcsk\n', 'latin1'), /^desk\.yaml: is not UTF-8\.\n$/],
])('files of agents that have %s are refused before anything is sent', async (_, text, message) => {
  const folder = newFolder();
  writeFileSync(join(folder, 'desk.yaml'), text);
  const { code, stdout, stderr } = await apply(folder);
  expect([code, stdout]).toEqual([2, '']);
  expect(stderr).toMatch(message);
});

it('files of agents are refused when two have the same key, or one is a link, and each is named', async () => {
  const folder = newFolder();
  write(folder, formFile('desk'), 'a.yaml');
  write(folder, formFile('desk'), 'b.yml');
  symlinkSync('/etc/hostname', join(folder, 'c.yaml'));
  mkdirSync(join(folder, 'd.yaml'));
  expect(await apply(folder)).toMatchObject({
    code: 2,
    stderr:
      'b.yml: uses the key desk, which a.yaml already uses.\nc.yaml: is a link or a folder, not a file.\nd.yaml: is a link or a folder, not a file.\n',
  });
  expect(await apply(join(folder, 'missing'))).toMatchObject({
    code: 2,
    stderr: expect.stringContaining('no such file'),
  });
});

it('files of agents cannot read or write by a link what lies outside of the folder', async () => {
  const [folder, outside] = [newFolder(), newFolder()];
  writeFileSync(join(outside, 'secret.txt'), 'secret');
  symlinkSync(join(outside, 'secret.txt'), join(folder, 'hours.txt'));
  write(folder, formFile('desk', 'documents:\n  - path: hours.txt\n'));
  expect(await apply(folder)).toMatchObject({ code: 2, stderr: 'desk.yaml: hours.txt: leads out of the folder.\n' });
  symlinkSync(outside, join(folder, 'linked'));
  await expect(writeDocument(folder, 'linked/new.txt', Buffer.from('x'))).rejects.toThrow('leads out of the folder');
});

it('files of agents made of aliases that multiply are refused', () => {
  const bomb = [
    'a: &a [x,x,x,x,x,x,x,x,x]',
    ...[...'bcdefghij'].map((name, index) => {
      const former = 'abcdefghij'[index];
      return `${name}: &${name} [${Array(9).fill(`*${former}`)}]`;
    }),
  ].join('\n');
  expect(() => parseAgent(bomb)).toThrow('line 2: aliases are not supported: repeat the value.');
});

// Each as large as a file may be.
it.each([
  ['brackets', '['.repeat(500_000)],
  ['anchors', '- &a x\n'.repeat(70_000)],
  ['properties', '&a '.repeat(160_000)],
  ['fields', Array.from({ length: 40_000 }, (_, index) => `k${index}: 1`).join('\n')],
  ['faults', '}'.repeat(500_000)],
])('files of agents made of %s are refused within a minute', { tags: 'heavy', timeout: 120_000 }, async (_, text) => {
  const startedAt = performance.now();
  expect(() => parseAgent(text)).toThrow();
  expect(performance.now() - startedAt).toBeLessThan(60_000);
});

it('files of agents keep line ends, quotes and comments of items when fields are written', async () => {
  const folder = newFolder();
  const text =
    'key: desk # a\r\nname: "Desk"\r\nconfiguration: {}\r\nwebsites:\r\n  - url: https://a.example/\r\n  # second\r\n  - url: https://b.example/\r\n';
  write(folder, text);
  const [file] = await readFolder(folder);
  const changed = withFields(file!.document, {
    name: 'Front desk',
    websites: [{ url: 'https://b.example/', limit: 2 }],
  });
  expect(changed).toBe(
    'key: desk # a\nname: "Front desk"\nconfiguration: {}\nwebsites:\n  # second\n  - url: https://b.example/\n    limit: 2\n',
  );
  expect(read(folder)).toBe(text);
});
