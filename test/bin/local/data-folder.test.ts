import { chmodSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openDataFolder } from '../../../bin/local/data-folder.ts';
import { keepFile, readKeptFile } from '../../../bin/local/kept-files.ts';
import { knownFormat } from '../../../functions/store/format.ts';

const parent = mkdtempSync(join(tmpdir(), 'data-folder-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));
let count = 0;
const newFolder = () => join(parent, String(++count));

it('a data folder tells its format, and has the same secrets when it is opened again', async () => {
  const path = newFolder();
  const first = openDataFolder(path);
  const secrets = [first.credentials, first.getSecret('chat'), first.getSecret('erasure')];
  await first.stop();
  expect(JSON.parse(readFileSync(join(path, 'format.json'), 'utf8'))).toEqual({ format: knownFormat });
  const second = openDataFolder(path);
  expect([second.credentials, second.getSecret('chat'), second.getSecret('erasure')]).toEqual(secrets);
  expect(new Set(secrets).size).toBe(3);
  await second.stop();
});

it('a data folder of a newer format, or of a version before 1.0.0, is refused with one sentence, and nothing in it changes', async () => {
  const path = newFolder();
  await openDataFolder(path).stop();
  writeFileSync(join(path, 'format.json'), JSON.stringify({ format: knownFormat + 1 }));
  const contents = () => readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]);
  const before = contents();
  expect(() => openDataFolder(path)).toThrow(
    `${path} has data of format ${knownFormat + 1}, and this version knows formats up to ${knownFormat}: use the version that wrote them, or a newer one.`,
  );
  expect(contents()).toEqual(before);
  rmSync(join(path, 'format.json'));
  expect(() => openDataFolder(path)).toThrow(
    `${path} has data of a version before 1.0.0, which this version cannot read`,
  );
});

it('a folder that has other files than data can keep them', async () => {
  const path = mkdtempSync(join(parent, 'used-'));
  writeFileSync(join(path, 'notes.txt'), 'mine');
  await openDataFolder(path).stop();
  expect(readFileSync(join(path, 'notes.txt'), 'utf8')).toBe('mine');
});

it('a file is refused as a data folder with one sentence, and keeps its mode and content', () => {
  const path = newFolder();
  writeFileSync(path, 'mine');
  chmodSync(path, 0o644);
  expect(() => openDataFolder(path)).toThrow(
    `The data cannot be kept in ${path} (ENOTDIR): name a writable folder, as in \`npm start -- --data data\`.`,
  );
  expect(statSync(path).mode & 0o777).toBe(0o644);
  expect(readFileSync(path, 'utf8')).toBe('mine');
});

it.each([
  ['key', 'is empty'],
  ['credentials.json', 'cannot be read'],
  ['format.json', 'cannot be read'],
])('a data folder whose %s was emptied by a power cut is refused with one sentence', async (name, reason) => {
  const path = newFolder();
  await openDataFolder(path).stop();
  writeFileSync(join(path, name), '');
  expect(() => openDataFolder(path)).toThrow(`${join(path, name)} ${reason}`);
});

it('a kept file that cannot be replaced as a whole keeps its former content', () => {
  const path = mkdtempSync(join(parent, 'replaced-'));
  const file = join(path, 'position.json');
  keepFile(file, '{"at":1}');
  // The new content cannot be written beside the file.
  mkdirSync(`${file}.new`);
  expect(() => keepFile(file, '{"at":2}')).toThrow('EISDIR');
  rmSync(`${file}.new`, { recursive: true });
  expect(readKeptFile(file)).toEqual({ at: 1 });
  keepFile(file, '{"at":3}');
  expect(readKeptFile(file)).toEqual({ at: 3 });
  expect(readdirSync(path)).toEqual(['position.json']);
});
