import { randomBytes } from 'node:crypto';
import { afterEach, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { listWebsites } from '../../../functions/api/list-websites.ts';
import { chunks } from '../../../functions/domain/chunks.ts';
import { pagesText, proseText, type SourceWarning } from '../../../functions/domain/sources.ts';
import { textPieceCollection } from '../../../functions/store/keys.ts';
import type { TextReference } from '../../../functions/store/sources/source-texts.ts';
import { type WebsiteRecord, websiteReads } from '../../../functions/store/sources/website-reads.ts';
import { websites } from '../../../functions/store/sources/websites.ts';
import { type Item, table } from '../../../functions/store/table.ts';
import { itInAnyHistory } from '../../support/any-history.ts';
import { invoke } from '../../support/events.ts';
import { chance, type Fault, injectFaults, noFaults } from '../../support/faults.ts';
import { findWebsite, restartWebsite, websiteRecord } from '../../support/websites.ts';
import { newWorld, type World } from '../../support/world.ts';

let world: World;
beforeAll(async () => {
  world = await newWorld();
});
afterEach(noFaults);

const record = (more: Partial<WebsiteRecord> = {}) => websiteRecord(world, more);
const makeTexts = (content: string, contentMD = content) => ({
  content: proseText(content),
  contentMD: proseText(contentMD),
  index: { packed: Buffer.from(content.slice(0, 100)), format: 1, language: 'en' },
});

/** The revisions under which pieces of a source are stored. */
const revisionsStored = async ({ id }: WebsiteRecord) => {
  const revisions = new Set<string>();
  for await (const { sk } of table.get().query<Item>(textPieceCollection(id)))
    revisions.add(sk.split('#')[0] as string);
  return [...revisions];
};

/** Gives a source a new text, as a job does. */
const bring = async (source: WebsiteRecord, content: string, attempt = 'first', contentMD = content) => {
  const run = await websites.get().start(source, attempt);
  if (!run) return false;
  return websites
    .get()
    .finish(source, { attempt, revision: run.revision }, makeTexts(content, contentMD), { pages: 1 });
};

const readWhole = async (source: WebsiteRecord) => {
  const whole = { content: '', contentMD: '', answers: 0 };
  let cursor: string | undefined;
  do {
    const piece = await websiteReads.get().readTexts(source, cursor);
    if (!piece) return undefined;
    expect(Buffer.byteLength(JSON.stringify(piece))).toBeLessThan(6 * 1024 * 1024);
    whole.content += piece.content;
    whole.contentMD += piece.contentMD;
    whole.answers += 1;
    cursor = piece.nextCursor;
  } while (cursor);
  return whole;
};

it('a character that a piece of a text has no room for is not cut in two', async () => {
  const content = `${'x'.repeat(131_071)}🙂`;
  const source = await websites.get().add(record());
  await bring(source, content, 'first');
  expect((await readWhole(source))?.content.slice(-3)).toBe('x🙂');
});

it('a text of any length is returned as it was stored, in as many responses as necessary', {
  tags: 'heavy',
}, async () => {
  const content = `${'🙂 Grüße, "Welt"\n\n'.repeat(400_000)}the end`;
  const contentMD = '字'.repeat(1_500_001);
  const source = await websites.get().add(record());
  expect(await bring(source, content, 'first', contentMD)).toBe(true);
  const whole = await readWhole(source);
  expect(whole?.content === content).toBe(true);
  expect(whole?.contentMD === contentMD).toBe(true);
  expect(whole?.answers).toBeGreaterThan(2);
  const [listed] = (await websiteReads.get().page(world.agentId, { withTexts: true, limit: 1 })).items;
  expect(listed?.truncated).toBe(true);
  await websites.get().remove(source);
  expect(await revisionsStored(source)).toEqual([]);
});

it('a text is read whole, old or new, while it is replaced again and again', async () => {
  const source = await websites.get().add(record());
  const long = (letter: string) => letter.repeat(150_000);
  await bring(source, long('a'));
  let done = false;
  const write = async () => {
    for (let n = 0; n < 5; n++) {
      await restartWebsite(source, `attempt-${n}`);
      expect(await bring(source, long(String.fromCharCode(98 + n)), `attempt-${n}`)).toBe(true);
    }
    done = true;
  };
  const seen = new Set<string>();
  const read = async () => {
    while (!done) {
      const { items } = await websiteReads.get().page(world.agentId, { withTexts: true });
      const { content = '', contentMD = '' } = items.find(({ id }) => id === source.id) ?? {};
      expect([content === long(content[0] ?? '?'), content === contentMD]).toEqual([true, true]);
      seen.add(content[0] as string);
      const whole = await websiteReads.get().readTexts(source, undefined);
      expect(whole?.content === long(whole?.content[0] ?? '?')).toBe(true);
    }
  };
  await Promise.all([write(), read(), read()]);
  expect(seen.size).toBeGreaterThan(2);
  expect((await revisionsStored(source)).length).toBe(1);
  await websites.get().remove(source);
});

it('the warnings of a source are those of its text: a failure keeps them, a new text replaces or clears them', async () => {
  const source = await websites.get().add(record());
  const warningsAfter = async (attempt: string, warnings?: SourceWarning[]) => {
    if (attempt !== 'first') await restartWebsite(source, attempt);
    const { revision = '' } = (await websites.get().start(source, attempt)) ?? {};
    await websites.get().finish(source, { attempt, revision }, makeTexts('text'), { warnings });
    return (await websiteReads.get().find(source.agentId, source.id))?.warnings;
  };
  const many = Array.from({ length: 12 }, (_, n) => ({ code: 'cut' as const, message: `Page ${n} is cut.` }));
  const stored = [...many.slice(0, 9), { code: 'cut', message: '3 more warnings are not listed.' }];
  expect(await warningsAfter('first', many)).toEqual(stored);
  await restartWebsite(source, 'second');
  await websites.get().fail(source, 'second', 'The host was not found.');
  expect(await websiteReads.get().find(source.agentId, source.id)).toMatchObject({ warnings: stored });
  expect(await warningsAfter('third', many.slice(0, 10))).toEqual(many.slice(0, 10));
  expect(await warningsAfter('fourth', [])).toBeUndefined();
});

it('a text that is read in pieces is of one revision: the cursor of a replaced one is rejected', async () => {
  const source = await websites.get().add(record());
  await bring(source, 'a'.repeat(3_000_000));
  const first = await websiteReads.get().readTexts(source, undefined);
  expect(first?.nextCursor).toBeDefined();
  await restartWebsite(source, 'second');
  await bring(source, 'b'.repeat(3_000_000), 'second');
  await expect(websiteReads.get().readTexts(source, first?.nextCursor)).rejects.toMatchObject({
    code: 'invalid_request',
  });
  await websites.get().remove(source);
});

it('a text is the old or the new one wherever a job is killed, and the next delivery brings the new one', {
  tags: 'heavy',
}, async () => {
  let kills = 0;
  for (let fatal = 0; ; fatal++) {
    const source = await websites.get().add(record());
    await bring(source, 'old '.repeat(60_000));
    await restartWebsite(source, 'second');
    let calls = 0;
    injectFaults(() => (calls++ === fatal ? 'kill' : undefined));
    const outcome = await bring(source, 'new '.repeat(60_000), 'second').catch((error: Error) => error.name);
    noFaults();
    const { content } = (await websiteReads.get().readTexts(source, undefined)) as { content: string };
    expect(['old '.repeat(60_000), 'new '.repeat(60_000)]).toContain(content);
    if (outcome === true) break;
    expect(outcome).toBe('Killed');
    kills += 1;
    await bring(source, 'new '.repeat(60_000), 'second');
    expect((await websiteReads.get().readTexts(source, undefined))?.content).toBe('new '.repeat(60_000));
    expect((await findWebsite(source))?.status).toBe('ready');
    // The next run deletes what a run left when it was killed after its last write.
    await restartWebsite(source, 'third');
    await bring(source, 'newest', 'third');
    expect((await revisionsStored(source)).length).toBe(1);
    await websites.get().remove(source);
    expect(await revisionsStored(source)).toEqual([]);
  }
  expect(kills).toBeGreaterThanOrEqual(4);
});

itInAnyHistory('a text is stored with any faults of DynamoDB', [1, 15], async (runs) => {
  for (let seed = 0; seed < runs; seed++) {
    const next = chance(seed);
    const faults: Fault[] = ['lost response', 'throttle', 'server error', 'slow'];
    injectFaults(() => (next() < 0.2 ? faults[Math.floor(next() * faults.length)] : undefined));
    const source = record();
    const tell = async () => {
      for (let delivery = 0; delivery < 10; delivery++) {
        try {
          await websites.get().add(source);
          return await bring(source, 'text '.repeat(80_000));
        } catch {
          // Delivered again.
        }
      }
    };
    await tell();
    noFaults();
    expect((await findWebsite(source))?.status).toBe('ready');
    expect((await websiteReads.get().readTexts(source, undefined))?.content).toBe('text '.repeat(80_000));
    expect((await revisionsStored(source)).length).toBe(1);
    await websites.get().remove(source);
  }
});

describe('another index of a text', () => {
  const makeIndex = (language: string, bytes: number) => ({ packed: randomBytes(bytes), format: 1, language });
  const pieces = async ({ id }: WebsiteRecord) => {
    const keys: string[] = [];
    for await (const { sk } of table.get().query<Item>(textPieceCollection(id), { keysOnly: true })) keys.push(sk);
    return keys.filter((sk) => sk.includes('#index'));
  };
  const brought = async () => {
    const source = await websites.get().add(record());
    await bring(source, 'text');
    return source;
  };
  const readText = async (source: WebsiteRecord) => (await findWebsite(source))?.text as TextReference;

  const kill = async (first: number, last: number) => {
    let kills = 0;
    for (let fatal = first; fatal <= last; fatal++) {
      const source = await brought();
      await websites.get().reindex(source, await readText(source), makeIndex('en', 100));
      const text = await readText(source);
      let calls = 0;
      injectFaults(() => (calls++ === fatal ? 'kill' : undefined));
      // It is written in two batches.
      const run = websites.get().reindex(source, text, makeIndex('de', 1_500_000));
      const outcome = await run.catch((error: Error) => error.name);
      noFaults();
      const found = (await readText(source)).index;
      expect(['en', 'de']).toContain(found?.language);
      expect((await pieces(source)).filter((sk) => sk.includes(found?.id as string))).toHaveLength(found?.pieces ?? 0);
      if (outcome === true) {
        expect(await pieces(source)).toHaveLength(5);
        break;
      }
      expect(outcome).toBe('Killed');
      kills += 1;
      await websites.get().reindex(source, await readText(source), makeIndex('es', 100));
      expect((await readText(source)).index?.language).toBe('es');
      expect(await pieces(source)).toHaveLength(1);
      await websites.get().remove(source);
      expect(await pieces(source)).toEqual([]);
    }
    return kills;
  };

  it('another index of a text is the former or the new one wherever a run is killed', { tags: 'heavy' }, async () => {
    expect(await kill(0, Number.POSITIVE_INFINITY)).toBe(4);
  });

  it('another index of a text is not written once the source is deleted or has another text', async () => {
    const source = await brought();
    const text = await readText(source);
    await restartWebsite(source, 'second');
    await bring(source, 'new', 'second');
    expect(await websites.get().reindex(source, text, makeIndex('de', 100))).toBe(false);
    expect(await pieces(source)).toHaveLength(1);
    const newText = await readText(source);
    await websites.get().remove(source);
    expect(await websites.get().reindex(source, newText, makeIndex('de', 100))).toBe(false);
    expect(await pieces(source)).toEqual([]);
  });
});

it('a job of an attempt that has ended, was replaced or never existed changes nothing', async () => {
  const source = await websites.get().add(record());
  const late = await websites.get().start(source, 'first');
  await restartWebsite(source, 'second');
  expect(await websites.get().start(source, 'first')).toBeUndefined();
  expect(await bring(source, 'second', 'second')).toBe(true);
  const run = { attempt: 'first', revision: late?.revision as string };
  expect(await websites.get().finish(source, run, makeTexts('first'), {})).toBe(false);
  expect(await websites.get().fail(source, 'first', 'Too late.')).toBe(false);
  expect(await websites.get().start(source, 'second')).toBeUndefined();
  expect(await findWebsite(source)).toMatchObject({ status: 'ready', attempt: 'second' });
  expect((await websiteReads.get().readTexts(source, undefined))?.content).toBe('second');
  expect((await revisionsStored(source)).length).toBe(1);
  await websites.get().remove(source);
});

it('a job whose source is deleted while it runs leaves nothing', async () => {
  const source = await websites.get().add(record());
  const run = await websites.get().start(source, 'first');
  expect(await websites.get().remove(source)).toBe(true);
  const { revision } = run as { revision: string };
  expect(await websites.get().finish(source, { attempt: 'first', revision }, makeTexts('text'), {})).toBe(false);
  expect(await findWebsite(source)).toBeUndefined();
  expect(await revisionsStored(source)).toEqual([]);
  expect(await websites.get().start(source, 'first')).toBeUndefined();
  expect(await findWebsite(source)).toBeUndefined();
});

it('a job that never ends counts as failed when its time is over, and may be started again', async () => {
  const source = await websites.get().add(record({ deadlineAt: Date.now() - 1 }));
  expect(await findWebsite(source)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('did not end'),
  });
  const again = await websites
    .get()
    .restart(source, { attempt: 'second', uid: world.uid }, (status) => status === 'failed');
  expect(again?.restarted).toBe(true);
  const deadlineAt = Date.now() + 60_000;
  expect(await websites.get().start(source, 'second', deadlineAt)).toBeDefined();
  expect((await findWebsite(source))?.status).toBe('crawling');
  vi.useFakeTimers({ toFake: ['Date'], now: deadlineAt + 1 });
  onTestFinished(() => void vi.useRealTimers());
  expect((await findWebsite(source))?.status).toBe('failed');
  await websites.get().remove(source);
});

it('a job that cannot be sent leaves no source that waits for it', async () => {
  const down = () => Promise.reject(new Error('The queue is down.'));
  const added = await websites.get().add(record());
  await expect(websites.get().sendOrRemove(added, down)).rejects.toThrow('The queue is down.');
  expect(await findWebsite(added)).toBeUndefined();
  const other = await websites.get().add(record());
  await bring(other, 'text');
  const restarted = await restartWebsite(other, 'second');
  await expect(websites.get().sendOrFail(restarted, down)).rejects.toThrow('The queue is down.');
  expect(await findWebsite(other)).toMatchObject({
    status: 'failed',
    error: 'The work could not be started. Try again.',
  });
  expect((await websiteReads.get().readTexts(other, undefined))?.content).toBe('text');
  await websites.get().remove(other);
});

it('a deletion that is killed anywhere leaves an invisible source, and deleting it again completes it', async () => {
  let kills = 0;
  for (let fatal = 0; ; fatal++) {
    const source = await websites.get().add(record());
    await bring(source, 'text '.repeat(60_000));
    let calls = 0;
    injectFaults(() => (calls++ === fatal ? 'kill' : undefined));
    const outcome = await websites
      .get()
      .remove(source)
      .catch((error: Error) => error.name);
    noFaults();
    const { items } = await websiteReads.get().page(world.agentId, { withTexts: true });
    const isSeen = items.some(({ id }) => id === source.id);
    expect(isSeen).toBe((await findWebsite(source)) !== undefined);
    if (outcome === true) {
      expect(isSeen).toBe(false);
      break;
    }
    kills += 1;
    if (fatal > 0) expect(isSeen).toBe(false);
    expect(await websites.get().edit(source, { active: false }, world.uid)).toEqual(
      isSeen ? expect.anything() : undefined,
    );
    expect(await websites.get().remove(source)).toBe(true);
    expect(await revisionsStored(source)).toEqual([]);
    expect(await websites.get().remove(source)).toBe(false);
  }
  expect(kills).toBeGreaterThanOrEqual(3);
});

it('a deletion that two callers request at once is done, and reported to both or to one', async () => {
  const source = await websites.get().add(record());
  await bring(source, 'text');
  const results = await Promise.all([websites.get().remove(source), websites.get().remove(source)]);
  expect(results).toContain(true);
  expect(await websites.get().remove(source)).toBe(false);
});

describe('a list', () => {
  const seen: string[] = [];
  const count = () => {
    seen.length = 0;
    injectFaults(
      () => undefined,
      (operation) => seen.push(operation),
    );
  };
  const list = (own: World, query: Record<string, string> = {}) =>
    invoke(listWebsites, { apiKey: own.apiKey, query: { uid: own.uid, agentId: own.agentId, ...query } });

  it('a list of a hundred sources is one query without their texts, and one more read with them', async () => {
    const own = await newWorld();
    const sources = Array.from({ length: 100 }, () => record({ agentId: own.agentId }));
    for (const some of chunks(sources, 50)) await websites.get().addAll(some);
    for (const [n, source] of sources.slice(0, 10).entries()) await bring(source, `text ${n}`);
    count();
    const short = await list(own, { content: 'false' });
    expect([short.body.websites.length, seen]).toEqual([100, ['BatchGetItem', 'Query']]);
    count();
    const long = await list(own);
    expect(long.body.websites.map(({ content }: { content: string }) => content).slice(8, 12)).toEqual([
      'text 8',
      'text 9',
      '[]',
      '[]',
    ]);
    expect(seen).toEqual(['BatchGetItem', 'Query', 'BatchGetItem']);
  });

  it('a list of sources stays below the maximum size of a response, however long their texts are', {
    tags: 'heavy',
  }, async () => {
    const own = await newWorld();
    for (const unit of ['"', '\\', '字', '🙂', 'a\n\n', '\u0001', 'x']) {
      const source = await websites.get().add(record({ agentId: own.agentId }));
      const run = await websites.get().start(source, 'first');
      const text = unit.repeat(3_000_000);
      const page = { url: 'https://example.com/', title: 'Page', text };
      const texts = { content: pagesText([page]), contentMD: proseText(text) };
      await websites.get().finish(source, { attempt: 'first', revision: run?.revision as string }, texts, {});
    }
    const ids = new Set<string>();
    let cursor: string | undefined;
    do {
      const { status, body } = await list(own, cursor ? { cursor } : {});
      expect(status).toBe(200);
      expect(Buffer.byteLength(JSON.stringify(body))).toBeLessThan(5.5 * 1024 * 1024);
      for (const { id, content, truncated } of body.websites) {
        expect(truncated).toBe(true);
        expect(JSON.parse(content).length).toBe(1);
        ids.add(id);
      }
      cursor = body.nextCursor;
    } while (cursor);
    expect(ids.size).toBe(7);
  });
});
