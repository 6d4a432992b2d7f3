import { randomUUID } from 'node:crypto';
import { beforeAll, expect, it } from 'vitest';
import type { CallsQuery } from '../../../functions/domain/call-lists.ts';
import { limits } from '../../../functions/domain/limits.ts';
import { CallLists } from '../../../functions/store/calls/call-lists.ts';
import { CallRecords } from '../../../functions/store/calls/call-records.ts';
import { Calls } from '../../../functions/store/calls/calls.ts';
import { table } from '../../../functions/store/table.ts';
import { useTargetInThisProcess } from '../../support/world.ts';

let lists: CallLists;
beforeAll(() => {
  useTargetInThisProcess();
  lists = new CallLists(table.get(), new CallRecords(table.get()));
});

/** Records calls of an agent, the last one first in a list. */
const record = async (agentId: string, starts: string[], facts: { status?: string; phone?: string } = {}) => {
  const items = starts.map((start, n) => {
    const startedAt = `2026-03-01T00:00:0${start}.000Z`;
    return { agentId, callId: `call-${n}`, facts: { direction: 'inbound' as const, startedAt, ...facts } };
  });
  expect(await new Calls(table.get()).recordMany(items, Date.now() + 30_000)).not.toContain(undefined);
};

/** Reads all pages of a list, and names its calls by agent and start. */
const allPages = async (agentIds: string[], query: CallsQuery, clock?: () => number) => {
  const pages: { found: string[]; searchedBackTo: string | undefined }[] = [];
  let cursor: string | undefined;
  do {
    const page = await lists.page('test', agentIds, { ...query, cursor }, clock);
    pages.push({
      found: page.calls.map(({ agentId, startedAt }) => `${agentId.slice(-1)}${startedAt[18]}`),
      searchedBackTo: page.searchedBackTo?.slice(17, 19),
    });
    cursor = page.nextCursor;
  } while (cursor);
  return pages;
};

const agentNames = () => {
  const prefix = `agent-${randomUUID()}`;
  return { a: `${prefix}-a`, b: `${prefix}-b`, c: `${prefix}-c` };
};

it.each([1, 2, 3, 100])('calls of several agents are listed once, newest first, %i a page', async (limit) => {
  const { a, b, c } = agentNames();
  await record(a, ['1', '4', '4', '7']);
  // Calls of different agents may have the same id and the same start.
  await record(b, ['1', '4', '5']);
  const pages = await allPages([c, b, a], { limit });
  expect(pages.flatMap(({ found }) => found)).toEqual(['a7', 'b5', 'a4', 'a4', 'b4', 'a1', 'b1']);
  expect(pages).toHaveLength(Math.ceil(7 / limit));
});

it.each([1, 2, 100])('calls with a number are listed in both of its forms, newest first, %i a page', async (limit) => {
  const { a, b } = agentNames();
  await record(a, ['1', '4'], { phone: '+525512345678' });
  await record(b, ['2', '4', '5'], { phone: '+5215512345678' });
  for (const phone of ['+525512345678', '+5215512345678']) {
    const pages = await allPages([a, b], { limit, phone });
    expect(pages.flatMap(({ found }) => found)).toEqual(['b5', 'a4', 'b4', 'b2', 'a1']);
  }
});

it('calls of several agents with one number, in a range of time, have every match', async () => {
  const { a, b } = agentNames();
  const phone = '+14155550100';
  await record(a, ['1', '2', '5'], { phone });
  await record(b, ['2', '4', '7'], { phone });
  await record(`${b}-2`, ['3'], { phone: '+14155550199' });
  const range = { from: '2026-03-01T00:00:02.000Z', to: '2026-03-01T00:00:05.000Z' };
  const pages = await allPages([a, b, `${b}-2`], { phone, ...range, limit: 2 });
  expect(pages.flatMap(({ found }) => found)).toEqual(['b4', 'a2', 'b2']);
});

it('a search for a rare call ends its page after its time, and says how far it has searched', async () => {
  const { a, b } = agentNames();
  await record(a, ['1', '3', '5', '7', '9']);
  await record(b, ['4'], { status: 'busy' });
  let now = 0;
  // Every look at the clock takes a third of the time of a search: a page examines two calls.
  const clock = () => (now += (limits.callSearchSeconds * 1000) / 3);
  expect(await allPages([a, b], { status: 'Busy', limit: 5 }, clock)).toEqual([
    { found: [], searchedBackTo: '07' },
    { found: ['b4'], searchedBackTo: '04' },
    { found: [], searchedBackTo: undefined },
  ]);
  expect(await allPages([a, b], { limit: 5 }, clock)).toHaveLength(2);
});
