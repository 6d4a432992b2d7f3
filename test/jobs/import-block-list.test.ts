import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { Worker } from 'node:worker_threads';
import fc from 'fast-check';
import { beforeAll, expect, it } from 'vitest';
import { BlockListImports, toImportResponse } from '../../functions/block-list-import/block-list-imports.ts';
import { runImport } from '../../functions/block-list-import/run-import.ts';
import { Files } from '../../functions/clients/files.ts';
import { type ImportMode, importFileKey } from '../../functions/domain/block-list-imports.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { normalizePhoneNumber } from '../../functions/domain/phone-numbers.ts';
import { environment } from '../../functions/environment.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { BlockList } from '../../functions/store/block-list/block-list.ts';
import { BlockListPages } from '../../functions/store/block-list/block-list-pages.ts';
import { credentials } from '../../functions/store/credentials.ts';
import { table } from '../../functions/store/table.ts';
import { users } from '../../functions/store/users.ts';
import { writeQuota } from '../../functions/store/write-quota.ts';
import { itInAnyHistory } from '../support/any-history.ts';
import { chance, openFaultyTable, tenPercent } from '../support/faults.ts';
import { emulatorHeaders, target, unique, useTargetInThisProcess } from '../support/world.ts';

/** A bucket without notifications: the imports run here, where faults can be put between them and the table. */
const bucket = unique('imports');
let files: Files;
let sound: Stores;
beforeAll(async () => {
  useTargetInThisProcess();
  await fetch(`${target.endpoints.s3}/${bucket}`, { method: 'PUT', headers: emulatorHeaders });
  files = new Files({ ...environment.s3, bucket });
  sound = makeStores(() => undefined);
});

type Stores = { blockList: BlockList; imports: BlockListImports };

type Choice = Parameters<typeof openFaultyTable>[0];

const makeStores = (choose: Choice): Stores => {
  const table = openFaultyTable(choose);
  return { blockList: new BlockList(table), imports: new BlockListImports(table) };
};

const makeServices = (stores: Stores, send: (message: object, delay?: number) => Promise<void> = async () => {}) => ({
  ...stores,
  ...{ credentials: credentials.get(), writeQuota: writeQuota.get(), files, jobQueue: { send } },
});

type Reference = { uid: string; importId: string };

/** Runs an import as messages deliver it, until none is left. Each run has the faults that `choose` returns. */
const deliver = async (
  reference: Reference,
  choose: () => Choice,
  until: () => number = () => Number.POSITIVE_INFINITY,
  rowsPerStep = 3,
): Promise<number> => {
  let messages = 1;
  let deliveries = 0;
  while (messages > 0) {
    deliveries += 1;
    expect(deliveries).toBeLessThan(300);
    const services = makeServices(makeStores(choose()), async () => {
      messages += 1;
    });
    try {
      await runImport(reference, services, until(), { rowsPerStep });
      messages -= 1;
    } catch {
      // It is delivered again.
    }
  }
  return deliveries;
};

const startImport = async (content: string | Buffer, mode: ImportMode = 'add', uid = unique('user')) => {
  const reference = { uid, importId: newIdentifier('import') };
  await users.get().create(uid);
  const { keyId } = await apiKeys.get().create(uid, { name: 'import' });
  await sound.imports.add({ ...reference, keyId, mode, reason: 'Imported' });
  await files.put(importFileKey(reference), Buffer.from(content));
  return reference;
};

const readResult = async (reference: Reference) => {
  const record = await sound.imports.find(reference);
  if (!record) throw new Error('The import has no record.');
  return toImportResponse(record);
};

const readList = async (uid: string) => {
  const found: string[] = [];
  for await (const { number } of new BlockListPages(table.get()).list({ uid })) found.push(number);
  return found;
};

const phones = Array.from({ length: 25 }, (_, n) => `+141555502${String(n).padStart(2, '0')}`);
const past = '2020-01-01T00:00:00Z';
const row = fc.oneof(
  { weight: 8, arbitrary: fc.constantFrom(...phones).map((number) => ({ number, expiresAt: '' })) },
  {
    weight: 2,
    arbitrary: fc
      .constantFrom(...phones)
      .map((one) => ({ number: `${one.slice(0, 5)} (${one.slice(5, 8)}) ${one.slice(8)}`, expiresAt: '' })),
  },
  { weight: 2, arbitrary: fc.constantFrom('12345', '+0123', 'x', '').map((number) => ({ number, expiresAt: '' })) },
  { weight: 1, arbitrary: fc.constantFrom(...phones).map((number) => ({ number, expiresAt: past })) },
  { weight: 1, arbitrary: fc.constantFrom(...phones).map((number) => ({ number, expiresAt: '2099-01-01T00:00:00Z' })) },
);
const file = fc.record({
  rows: fc.array(row, { minLength: 0, maxLength: 30 }),
  isCsv: fc.boolean(),
  mode: fc.constantFrom<ImportMode>('add', 'replace'),
});
type File = { rows: { number: string; expiresAt: string }[]; isCsv: boolean; mode: ImportMode };

const makeContent = ({ rows, isCsv }: File) =>
  isCsv
    ? `number,reason,expiresAt\n${rows.map(({ number, expiresAt }) => `${number},,${expiresAt}`).join('\n')}\n`
    : rows.map(({ number }) => `${number}\n`).join('');

/** A model of an import in the simplest code. */
const applyTo = (list: Set<string>, { rows, isCsv, mode }: File) => {
  const counts = { lines: 0, added: 0, alreadyBlocked: 0, removed: 0, failed: 0 };
  const inFile = new Set<string>();
  const good: string[] = [];
  const failedLines: number[] = [];
  for (const [index, { number, expiresAt }] of rows.entries()) {
    if (number === '') continue;
    counts.lines += 1;
    const phone = normalizePhoneNumber(number);
    if (phone) inFile.add(phone);
    if (phone && !(isCsv && expiresAt === past)) good.push(phone);
    else failedLines.push(index + (isCsv ? 2 : 1));
  }
  counts.failed = failedLines.length;
  if (mode === 'replace' && good.length === 0) {
    return {
      status: 'failed',
      counts: { lines: 0, added: 0, alreadyBlocked: 0, removed: 0, failed: 0 },
      failedLines: [],
    };
  }
  for (const phone of good) {
    counts[list.has(phone) ? 'alreadyBlocked' : 'added'] += 1;
    list.add(phone);
  }
  if (mode === 'replace') {
    for (const phone of list) {
      if (inFile.has(phone)) continue;
      list.delete(phone);
      counts.removed += 1;
    }
  }
  return { status: 'done', counts, failedLines };
};

itInAnyHistory(
  'an import does what a plain model does in any history, with faults, and killed at any write',
  [1, 30],
  (numRuns) =>
    fc.assert(
      fc.asyncProperty(
        fc.array(file, { minLength: 1, maxLength: 3 }),
        fc.array(fc.constantFrom(...phones), { maxLength: 10 }),
        fc.integer(),
        async (history, initial, seed) => {
          const uid = unique('user');
          const next = chance(seed);
          const model = new Set(initial);
          await sound.blockList.add({ uid }, [...model]);
          for (const [index, one] of history.entries()) {
            const content = makeContent(one);
            // S3 accepts no empty file by a form.
            if (content === '') continue;
            const reference = await startImport(content, one.mode, uid);
            const faults = tenPercent(seed + index);
            const kills = () => {
              let left = 1 + Math.floor(next() * 14);
              return () => (--left < 0 ? ('kill' as const) : faults());
            };
            await deliver(
              reference,
              () => (next() < 0.5 ? kills() : faults),
              () => (next() < 0.5 ? 0 : Number.POSITIVE_INFINITY),
            );
            const { status, failures, ...result } = await readResult(reference);
            const expected = applyTo(model, one);
            expect({ status, ...result }).toMatchObject({ status: expected.status, ...expected.counts });
            expect(failures.map(({ line }) => line)).toEqual(expected.failedLines);
            expect(await readList(uid)).toEqual([...model].sort());
            expect(await files.head(importFileKey(reference))).toBeUndefined();
            expect(await sound.imports.isRunning({ uid })).toBe(false);
          }
        },
      ),
      { numRuns },
    ),
);

it.concurrent('an import that replaces a list never unblocks a number that is in both, and keeps numbers that others add during the import', async () => {
  const uid = unique('user');
  await sound.blockList.add({ uid }, phones);
  const kept = phones.slice(0, 12);
  const reference = await startImport(kept.join('\n'), 'replace', uid);
  const missing: string[] = [];
  let isOver = false;
  const watch = (async () => {
    while (!isOver) {
      const found = await sound.blockList.find({ uid, agentId: 'none' }, kept);
      missing.push(...kept.filter((phone) => !found.has(phone)));
      await sleep(5);
    }
  })();
  let step = 0;
  await deliver(
    reference,
    () => {
      step += 1;
      if (step === 3) void sound.blockList.add({ uid }, ['+14155550999']);
      return () => undefined;
    },
    () => 0,
  );
  isOver = true;
  await watch;
  expect(missing).toEqual([]);
  expect(await readList(uid)).toEqual([...kept, '+14155550999'].sort());
  expect(await readResult(reference)).toMatchObject({ status: 'done', added: 0, alreadyBlocked: 12, removed: 13 });
});

it.concurrent('an import only reads the numbers of a list that is imported again, after its first step', async () => {
  const uid = unique('user');
  await sound.blockList.add({ uid }, phones);
  const reference = await startImport([...phones, '+14155550998'].join('\n'), 'add', uid);
  let writes = 0;
  const count = (operation: string) => {
    if (operation === 'BatchExecuteStatement') writes += 1;
    return undefined;
  };
  await deliver(reference, () => count, undefined, 5);
  // Five numbers of the first step, and one that is new in the last.
  expect(writes).toBe(2);
  expect(await readResult(reference)).toMatchObject({ status: 'done', lines: 26, added: 1, alreadyBlocked: 25 });
});

it.concurrent('an import of which the table never accepts all numbers ends as failed after a day', async () => {
  const reference = await startImport(phones.join('\n'));
  const record = await sound.imports.find(reference);
  if (!record) throw new Error('The import has no record.');
  const yesterday = new Date(Date.now() - 24 * 60 * 60 * 1000).toISOString();
  await sound.imports.begin({ ...record, startedAt: yesterday }, 'etag');
  expect(await readResult(reference)).toMatchObject({ status: 'failed', error: expect.stringContaining('in time') });
  expect(await sound.imports.isRunning({ uid: reference.uid })).toBe(false);
});

it.concurrent('an import that replaces a list fails for a file without a valid number, and changes nothing', async () => {
  const uid = unique('user');
  await sound.blockList.add({ uid }, phones.slice(0, 2));
  const reference = await startImport('\n\nno number\n12345\n', 'replace', uid);
  await deliver(reference, () => () => undefined);
  expect(await readResult(reference)).toMatchObject({
    status: 'failed',
    error: expect.stringMatching(/no row that can be imported, so nothing is replaced\. Line 3: .+\.$/),
    ...{ lines: 0, removed: 0 },
  });
  expect(await readList(uid)).toEqual(phones.slice(0, 2));
});

it.concurrent('an import that replaces a list keeps a number that has spaces of another encoding in the file', async () => {
  const uid = unique('user');
  await sound.blockList.add({ uid }, phones.slice(0, 3));
  const content = Buffer.from('number\n+1\xa0415\xa05550200\n+14155550201\n', 'latin1');
  const reference = await startImport(content, 'replace', uid);
  await deliver(reference, () => () => undefined);
  expect(await readResult(reference)).toMatchObject({ status: 'done', alreadyBlocked: 1, failed: 1, removed: 1 });
  expect(await readList(uid)).toEqual(phones.slice(0, 2));
});

it.concurrent('an import waits for another import of the list, and keeps waiting after its form would have ended', async () => {
  const uid = unique('user');
  const first = await startImport(phones.slice(0, 6).join('\n'), 'add', uid);
  const second = await startImport(phones.slice(3, 9).join('\n'), 'add', uid);
  const sent: [object, number | undefined][] = [];
  const services = makeServices(sound, async (message, delay) => void sent.push([message, delay]));
  await runImport(first, services, 0, { rowsPerStep: 3 });
  expect((await readResult(first)).status).toBe('running');
  expect(await sound.imports.isRunning({ uid })).toBe(true);
  await runImport(second, services, 0, { rowsPerStep: 3 });
  expect(await readResult(second)).toMatchObject({ status: 'awaiting_upload', lines: 0 });
  expect((await sound.imports.find(second))?.fileDeadlineAt).toBeUndefined();
  expect(sent).toEqual([
    [{ job: 'importBlockList', ...first, continues: true }, undefined],
    [{ job: 'importBlockList', ...second }, expect.any(Number)],
  ]);
  await deliver(first, () => () => undefined);
  await deliver(second, () => () => undefined);
  expect(await readResult(first)).toMatchObject({ status: 'done', added: 6 });
  expect(await readResult(second)).toMatchObject({ status: 'done', added: 3, alreadyBlocked: 3 });
});

it.concurrent('a second file by the form of an import that runs does not end it, and the run counts what it imports', async () => {
  const reference = await startImport(phones.slice(0, 6).join('\n'));
  const sent: object[] = [];
  const services = makeServices(sound, async (message) => void sent.push(message));
  // The second file arrives when the first one is read and its numbers are about to be added.
  const blockList = {
    ...{ remove: sound.blockList.remove, shardPages: sound.blockList.shardPages },
    addAll: async (...added: Parameters<BlockList['addAll']>) => {
      await files.put(importFileKey(reference), Buffer.from('+14155550999\n'));
      await runImport(reference, services, 0);
      return sound.blockList.addAll(...added);
    },
  };
  await runImport(reference, { ...services, blockList } as typeof services, Number.POSITIVE_INFINITY);
  expect(sent).toEqual([{ job: 'importBlockList', ...reference }]);
  expect(await readResult(reference)).toMatchObject({ status: 'done', lines: 6, added: 6 });
});

it.concurrent('an import fails when its file is replaced while it runs', async () => {
  const reference = await startImport(phones.join('\n'));
  const services = makeServices(sound);
  await runImport(reference, services, 0, { rowsPerStep: 3 });
  await files.put(importFileKey(reference), Buffer.from('+14155550999\n'));
  await runImport(reference, services, 0, { rowsPerStep: 3, continues: true });
  expect(await readResult(reference)).toMatchObject({
    status: 'failed',
    lines: 3,
    error: expect.stringContaining('replaced'),
  });
  expect(await sound.imports.isRunning({ uid: reference.uid })).toBe(false);
});

it.each([
  ['of bad lines alone', '12345\n'.repeat(10_000), 10_000],
  ['of control characters', `${'\u0001'.repeat(100)}\n`.repeat(2000), 2000],
  ['of the longest characters', `${'\u{1f600}'.repeat(100)}\n`.repeat(2000), 2000],
])(
  'an import reports the first 1,000 failures of a file %s',
  async (_, content, lines) => {
    const reference = await startImport(content);
    await deliver(reference, () => () => undefined, undefined, 50_000);
    const { failures, ...result } = await readResult(reference);
    expect(result).toMatchObject({ status: 'done', lines, failed: lines, added: 0 });
    expect(failures.map(({ line }) => line)).toEqual(Array.from({ length: 1000 }, (_, index) => index + 1));
    expect(failures.every(({ number }) => number.isWellFormed())).toBe(true);
  },
  60_000,
);

it('an import of a million invalid lines takes bounded memory', { tags: 'heavy', timeout: 300_000 }, async () => {
  const reference = await startImport('no number\n'.repeat(1_000_000));
  const worker = new Worker(new URL('../bench/import-file.ts', import.meta.url), {
    argv: [reference.uid, reference.importId],
    env: { ...process.env, FILES_BUCKET: bucket },
    resourceLimits: { maxOldGenerationSizeMb: 64, maxYoungGenerationSizeMb: 32 },
    stdout: true,
  });
  expect(await once(worker, 'exit')).toEqual([0]);
  const { failures, ...result } = await readResult(reference);
  expect(result).toMatchObject({ status: 'done', lines: 1_000_000, failed: 1_000_000, added: 0 });
  expect(failures.length).toBe(1000);
});

it('an import accepts a file of exactly 64 MB, and fails with one byte more', { tags: 'heavy' }, async () => {
  const number = '+14155550100';
  const blank = `${' '.repeat(60_000)}\n`;
  const content = Buffer.alloc(64 * 1024 * 1024, blank);
  content.write(`${number}\n`);
  const reference = await startImport(content);
  await deliver(reference, () => () => undefined);
  expect(await readResult(reference)).toMatchObject({ status: 'done', lines: 1, added: 1 });
  const larger = await startImport(Buffer.concat([content, Buffer.from('\n')]));
  await deliver(larger, () => () => undefined);
  expect(await readResult(larger)).toMatchObject({
    status: 'failed',
    lines: 0,
    error: 'The file is larger than 64 MB.',
  });
  expect(await files.head(importFileKey(larger))).toBeUndefined();
  expect(await readList(larger.uid)).toEqual([]);
});

it('an import without a file, or whose job never ends it, fails after its deadline', async () => {
  const record = { ...(await sound.imports.find(await startImport('+14155550100'))) } as Parameters<
    typeof toImportResponse
  >[0];
  const ago = Date.now() - 1000;
  expect(toImportResponse({ ...record, fileDeadlineAt: ago })).toMatchObject({
    status: 'failed',
    error: expect.any(String),
    finishedAt: new Date(ago).toISOString(),
  });
  const { fileDeadlineAt: _, ...running } = record;
  expect(toImportResponse({ ...running, status: 'running', deadlineAt: ago })).toMatchObject({
    status: 'failed',
    error: expect.any(String),
  });
  expect(toImportResponse({ ...running, status: 'running', deadlineAt: Date.now() + 1000 }).status).toBe('running');
});
