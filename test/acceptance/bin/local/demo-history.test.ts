import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { dataOf } from '../../../../functions/openapi/client/client.ts';
import { until } from '../../../support/until.ts';
import { newFolder, type Run, startRun } from './runs.ts';

const running: Run[] = [];
afterEach(async () => {
  for (const { end } of running.splice(0)) await end();
});
const start = async (data: string) => {
  const run = await startRun(data);
  running.push(run);
  return run;
};

/** Returns the remaining steps of a history. */
const listRest = (data: string): string[] | undefined => {
  const file = join(data, 'demo-history.json');
  return existsSync(file) ? JSON.parse(readFileSync(file, 'utf8')).left : undefined;
};
const isComplete = (data: string) => until(() => listRest(data)?.length === 0, { seconds: 120 });

const listCalls = async ({ api }: Run) => {
  const found = [];
  for await (const { agentId } of api.agents.list())
    for await (const call of api.calls.list({ agentId, limit: 1000 })) found.push(call);
  return found;
};

it('npm start adds 90 days of two agents once, and a restart on the same data adds nothing', {
  tags: 'heavy',
}, async () => {
  const data = newFolder();
  const run = await start(data);
  await isComplete(data);
  const { api, facts } = run;
  expect(run.output.err).not.toContain('demo data is missing');
  const agents = dataOf(await api.agents.list()).agents;
  expect(agents.map(({ name }) => name).sort()).toEqual(['Check-up reminders', 'Front desk']);
  const calls = await listCalls(run);
  expect(calls.length).toBeGreaterThan(2000);
  for (const { agentId } of agents) {
    const own = calls.filter((call) => call.agentId === agentId);
    expect(own.some((call) => call.custom_call_outcome_value !== undefined)).toBe(true);
  }
  const [outbound] = agents.filter(({ name }) => name === 'Check-up reminders');
  expect(outbound?.version).toBe(2);
  const split = calls.filter(({ agentVersion }) => agentVersion === 2);
  expect(split.length).toBeGreaterThan(50);
  expect(split.every(({ agentId }) => agentId === outbound?.agentId)).toBe(true);
  const oldest = calls.map(({ startedAt }) => startedAt).sort()[0] as string;
  expect(Date.now() - Date.parse(oldest)).toBeGreaterThan(85 * 86_400_000);
  // The platform of the demo has lost the ends of two calls.
  const { agentId } = facts;
  const [to, from] = [0, 31].map((days) => new Date(Date.now() - days * 86_400_000).toISOString()) as [string, string];
  const { reconciliationId } = dataOf(await api.reconciliations.create({ agentId, from, to }));
  const find = async () => dataOf(await api.reconciliations.get({ agentId, reconciliationId }));
  const done = await until(async () => (await find()).finishedAt !== undefined && find());
  expect(done).toMatchObject({ status: 'done', recovered: 2, completed: 0, skipped: 0, differing: 0 });
  expect(done.known).toBeGreaterThan(100);
  const recovered = (await listCalls(run)).filter(({ details }) => details?.source === 'reconciled');
  expect(recovered.map(({ custom_call_outcome }) => custom_call_outcome)).toEqual([
    expect.any(String),
    expect.any(String),
  ]);
  await run.end();

  const again = await start(data);
  expect(listRest(data)).toEqual([]);
  expect(await listCalls(again)).toHaveLength(calls.length + 2);
  expect(dataOf(await again.api.webhooks.listEndpoints()).endpoints).toHaveLength(1);
  expect(dataOf(await again.api.documents.list({ agentId: facts.agentId, content: false })).documents).toHaveLength(3);
});
