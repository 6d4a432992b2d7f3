import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, expect, it } from 'vitest';
import { openDataFolder } from '../../../bin/local/data-folder.ts';

const parent = mkdtempSync(join(tmpdir(), 'data-folder-'));
afterAll(() => rmSync(parent, { recursive: true, force: true }));
let count = 0;
const newFolder = () => join(parent, String(++count));

it('a data folder tells its format, and has the same secrets when it is opened again', async () => {
  const path = newFolder();
  const first = openDataFolder(path);
  const secrets = [first.credentials, first.secretFor('chat'), first.secretFor('erasure')];
  await first.stop();
  expect(JSON.parse(readFileSync(join(path, 'format.json'), 'utf8'))).toEqual({ format: 1 });
  const second = openDataFolder(path);
  expect([second.credentials, second.secretFor('chat'), second.secretFor('erasure')]).toEqual(secrets);
  expect(new Set(secrets).size).toBe(3);
  await second.stop();
});

it('a data folder of a newer format, or of a version before 1.0.0, is refused with one sentence, and nothing in it changes', async () => {
  const path = newFolder();
  await openDataFolder(path).stop();
  writeFileSync(join(path, 'format.json'), '{"format":2}');
  const contents = () => readdirSync(path).map((name) => [name, readFileSync(join(path, name), 'utf8')]);
  const before = contents();
  expect(() => openDataFolder(path)).toThrow(
    `${path} has data of format 2, and this version knows formats up to 1: use the version that wrote them, or a newer one.`,
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
