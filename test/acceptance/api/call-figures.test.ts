import { DatabaseSync } from 'node:sqlite';
import { isDeepStrictEqual } from 'node:util';
import pMap from 'p-map';
import { expect, it } from 'vitest';
import type { Call } from '../../../functions/domain/calls.ts';
import { chunks } from '../../../functions/domain/chunks.ts';
import { until } from '../../support/until.ts';
import { call, newUser } from '../../support/world.ts';

/** With `CALLS=100000`, the whole of a busy quarter. */
const count = Number(process.env.CALLS ?? 1000);
const perRequest = 250;
const first = Date.parse('2026-01-15T00:00:00Z');
const days = 90;

const sums = `count(*) AS calls, count(outcome) AS withOutcome, coalesce(sum(seconds), 0) AS durationSeconds,
  coalesce(sum(micros), 0) AS micros, count(micros) AS "values", sum(value IS NOT NULL AND micros IS NULL) AS valuesLeftOut`;
/** Berlin has summer time from March 29 on. */
const berlin = `datetime(startedAt, iif(startedAt >= '2026-03-29T01', '+2 hours', '+1 hour'))`;
const kathmandu = `datetime(startedAt, '+345 minutes')`;
const monday = (at: string) => `date(${at}, '-6 days', 'weekday 1')`;

type Question = { query: Record<string, string>; keys: Record<string, string>; where?: string };

const whole = { from: '2026-01-10', to: '2026-05-01' };
/** The questions to the service, and the same in SQL. */
const questions = (agentId: string): Question[] => [
  { query: {}, keys: {} },
  { query: { by: 'day' }, keys: { day: 'date(startedAt)' } },
  { query: { by: 'day,outcome' }, keys: { day: 'date(startedAt)', outcome: 'outcome' } },
  { query: { by: 'day,outcome', timeZone: 'Europe/Berlin' }, keys: { day: `date(${berlin})`, outcome: 'outcome' } },
  { query: { by: 'week,agent', timeZone: 'Europe/Berlin' }, keys: { week: monday(berlin), agent: 'agentId' } },
  {
    query: { by: 'month,direction', timeZone: 'Asia/Kathmandu' },
    keys: { month: `strftime('%Y-%m', ${kathmandu})`, direction: 'direction' },
  },
  {
    query: { by: 'hour', timeZone: 'Asia/Kathmandu', from: '2026-02-10', to: '2026-02-13' },
    keys: { hour: `strftime('%Y-%m-%dT%H:00:00+05:45', ${kathmandu})` },
    where: `date(${kathmandu}) BETWEEN '2026-02-10' AND '2026-02-12'`,
  },
  {
    query: { by: 'hour,status', timeZone: 'Europe/Berlin', from: '2026-03-29', to: '2026-03-30' },
    keys: {
      hour: `strftime('%Y-%m-%dT%H:00:00', ${berlin}) || iif(startedAt >= '2026-03-29T01', '+02:00', '+01:00')`,
      status: 'status',
    },
    where: `date(${berlin}) = '2026-03-29'`,
  },
  { query: { by: 'version' }, keys: { version: 'version' } },
  { query: { by: 'status', direction: 'outbound' }, keys: { status: 'status' }, where: `direction = 'outbound'` },
  {
    query: { by: 'week,version', outcome: 'booked', status: 'completed' },
    keys: { week: monday('startedAt'), version: 'version' },
    where: `outcome = 'booked' AND status = 'completed'`,
  },
  {
    query: { by: 'day,direction', agentId },
    keys: { day: 'date(startedAt)', direction: 'direction' },
    where: `agentId = '${agentId}'`,
  },
  {
    query: { by: 'outcome', version: '2', timeZone: 'Asia/Kathmandu', from: '2026-03-01', to: '2026-04-01' },
    keys: { outcome: 'outcome' },
    where: `version = 2 AND strftime('%Y-%m', ${kathmandu}) = '2026-03'`,
  },
];

it(`figures of ${count} calls of five agents over 90 days are those of a database, to a dozen questions`, {
  tags: 'heavy',
  timeout: 3_600_000,
}, async () => {
  const { uid, apiKey } = await newUser();
  const agentIds: string[] = [];
  for (let n = 0; n < 5; n++)
    agentIds.push((await call('POST', '/agents', { apiKey, body: { uid, name: `Agent ${n}` } })).body.agentId);
  const send = (path: string, items: object[]) =>
    pMap(
      chunks(items, perRequest),
      async (some) => {
        // Items that a busy machine did not process in time are sent again.
        for (let left = some; left.length > 0; ) {
          const { status, body } = await call('POST', path, { apiKey, body: { items: left } });
          if (status === 503) continue;
          expect(status).toBe(200);
          const failed: { index: number; error: string }[] = body.failed;
          expect(failed.filter(({ error }) => error !== 'temporarily_unavailable')).toEqual([]);
          left = failed.map(({ index }) => left[index] as object);
        }
      },
      { concurrency: 4 },
    );
  await send(
    '/calls',
    Array.from({ length: count }, (_, n) => anyCall(n, agentIds)),
  );
  // Some are corrected, moved and deleted.
  await send(
    '/call-outcomes',
    Array.from({ length: count / 4 }, (_, n) => ({
      ...nameOf(4 * n, agentIds),
      custom_call_outcome: pick(n, outcomes) ?? null,
      custom_call_outcome_value: n % 3 === 0 ? null : n / 100,
    })),
  );
  await send(
    '/calls',
    Array.from({ length: count / 20 }, (_, n) => ({ ...anyCall(20 * n, agentIds), startedAt: startOf(20 * n + 7) })),
  );
  for (let n = 0; n < 40; n++) {
    const { agentId, callIdOrPhone } = nameOf(Math.floor((n * count) / 40), agentIds);
    await call('DELETE', `/calls/${agentId}/${callIdOrPhone}`, { apiKey });
  }
  const database = await databaseOf(agentIds, apiKey);
  const ask = async (query: Record<string, string>) =>
    (await call('GET', '/call-figures', { apiKey, query: { uid, ...whole, ...query } })).body;
  const [all] = questions('') as [Question];
  await until(
    async () => {
      const { totals, pending } = await ask({});
      return pending === undefined && isDeepStrictEqual(totals, { ...answersOf(database, all)[0] });
    },
    { seconds: 1800 },
  );
  for (const question of questions(agentIds[2] as string)) {
    const { rows, totals, pending } = await ask(question.query);
    expect(pending).toBeUndefined();
    const expected = answersOf(database, question);
    const [{ calls: total }] = database.prepare(`SELECT count(*) AS calls FROM calls ${whereOf(question)}`).all() as [
      { calls: number },
    ];
    expect(totals.calls).toBe(total);
    const found =
      Object.keys(question.keys).length === 0 ? [totals] : rows.filter(({ calls }: { calls: number }) => calls > 0);
    expect(found.length).toBeGreaterThan(0);
    expect(inOrder(found)).toEqual(inOrder(expected));
  }
});

const outcomes = ['booked', 'no_interest', 'call_back', '=1+1', undefined];
const pick = <T>(n: number, values: T[]) => values[(n * 7) % values.length];
const startOf = (n: number) =>
  new Date(first + Math.floor(((n * 7919) % count) * ((days * 86_400_000) / count))).toISOString();
const nameOf = (n: number, agentIds: string[]) => ({ agentId: agentIds[n % 5] as string, callIdOrPhone: `call-${n}` });
const anyCall = (n: number, agentIds: string[]) => ({
  ...{
    agentId: agentIds[n % 5],
    callId: `call-${n}`,
    startedAt: startOf(n),
    phone: `+1415555${String(n % 10_000).padStart(4, '0')}`,
  },
  direction: n % 3 === 0 ? 'outbound' : 'inbound',
  durationSeconds: n % 400,
  ...(n % 7 > 0 && { status: pick(n, ['completed', 'busy', 'no-answer']) }),
  ...(n % 11 > 0 && { agentVersion: 1 + (n % 3) }),
  ...(pick(n, outcomes) !== undefined && { custom_call_outcome: pick(n, outcomes) }),
  ...(n % 2 === 0 && { custom_call_outcome_value: n % 1000 === 0 ? 1e300 : ((n % 5000) - 1000) / 100 }),
});

/** Loads the calls as the service lists them into a database in memory. */
const databaseOf = async (agentIds: string[], apiKey: string): Promise<DatabaseSync> => {
  const database = new DatabaseSync(':memory:');
  database.exec('CREATE TABLE calls (agentId, startedAt, direction, status, outcome, version, seconds, value, micros)');
  const insert = database.prepare('INSERT INTO calls VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)');
  for (const agentId of agentIds) {
    let cursor: string | undefined;
    do {
      const { body } = await call('GET', `/calls/${agentId}`, { apiKey, query: { limit: 1000, cursor } });
      for (const one of body.calls as Call[]) {
        const { custom_call_outcome_value: value = null } = one;
        insert.run(
          ...[agentId, one.startedAt, one.direction, one.status ?? null, one.custom_call_outcome ?? null],
          ...[one.agentVersion ?? null, one.durationSeconds ?? null, value],
          value !== null && Math.abs(value) < 1e12 ? Math.round(value * 1e6) : null,
        );
      }
      cursor = body.nextCursor;
    } while (cursor);
  }
  return database;
};

const whereOf = ({ where }: Question) => (where ? `WHERE ${where}` : '');

const answersOf = (database: DatabaseSync, question: Question): Record<string, unknown>[] => {
  const keys = Object.entries(question.keys);
  const select = [...keys.map(([name, sql]) => `${sql} AS "${name}"`), sums].join(', ');
  const group = keys.length > 0 ? `GROUP BY ${keys.map((_, index) => index + 1).join(', ')}` : '';
  const rows = database.prepare(`SELECT ${select} FROM calls ${whereOf(question)} ${group}`).all();
  return rows.map(({ micros, ...row }) => {
    const { calls, withOutcome, durationSeconds, values, valuesLeftOut, ...by } = row;
    return { ...by, calls, withOutcome, values, valuesLeftOut, durationSeconds, value: String(Number(micros) / 1e6) };
  });
};

const inOrder = (rows: object[]) => rows.map((row) => JSON.stringify(Object.entries(row).sort())).sort();
