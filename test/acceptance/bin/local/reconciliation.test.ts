import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { DynamoDBClient, paginateScan } from '@aws-sdk/client-dynamodb';
import { afterEach, expect, it } from 'vitest';
import { startVoicePlatforms, type VoicePlatforms } from '../../../../bin/local/voice-platforms.ts';
import { newUlid } from '../../../../functions/domain/identifiers.ts';
import { dataOf } from '../../../../functions/openapi/client/client.ts';
import type { Target } from '../../../support/global-setup.ts';
import { platformCall } from '../../../support/platform-calls.ts';
import { until } from '../../../support/until.ts';
import { newFolder, type Run, startRun } from './runs.ts';

const hour = 60 * 60 * 1000;

let run: Run | undefined;
let platforms: VoicePlatforms | undefined;
afterEach(async () => {
  await run?.end();
  await platforms?.stop();
});

/** Returns every item of the table as JSON. */
const readTable = async ({ endpoints, credentials, tableName }: Target): Promise<string> => {
  const client = new DynamoDBClient({ endpoint: endpoints.dynamodb, region: 'us-east-1', credentials });
  const pages = await Array.fromAsync(paginateScan({ client }, { TableName: tableName }));
  return JSON.stringify(pages.flatMap(({ Items = [] }) => Items));
};

/** Returns the bytes of every file in a folder. */
const readFiles = (folder: string): Buffer =>
  Buffer.concat(
    readdirSync(folder, { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map((entry) => readFileSync(join(entry.parentPath, entry.name))),
  );

it('a reconciliation ends after npm start was killed in it, and no table, file or log has the key of the platform', async () => {
  platforms = await startVoicePlatforms();
  platforms.maxPage = 4;
  const apiKey = `the-key-of-retell-${newUlid()}`;
  const calls = Array.from({ length: 11 }, (_, n) =>
    platformCall('retell', { startedAt: Date.now() - (n + 1) * hour }),
  );
  const account = { apiKey, calls };
  platforms.accounts.retell = account;
  const data = newFolder();
  const start = () =>
    startRun(data, ['--demo-days', '0', '--json-log'], { RETELL_API_BASE: platforms?.endpoint ?? '' });
  run = await start();
  const { output, facts, end } = run;
  const { agentId } = facts;
  // The first page is recorded, and a part of the second one.
  let read = 0;
  const killed = new Promise<void>((resolve, reject) => {
    if (!platforms) return;
    platforms.fault = (path) => {
      if (path.startsWith('/v2/get-call') && ++read === 7) end('SIGKILL').then(resolve, reject);
      return undefined;
    };
  });
  const configuration = { platform: { name: 'retell' as const, assistantIds: ['assistant-1'] } };
  dataOf(await run.api.agents.update({ agentId, configuration }));
  dataOf(await run.api.platformKeys.set({ platform: 'retell', apiKey }));
  const period = { from: new Date(Date.now() - 24 * hour).toISOString(), to: new Date().toISOString() };
  const { reconciliationId } = dataOf(await run.api.reconciliations.create({ agentId, ...period }));
  await killed;
  platforms.fault = undefined;

  run = await start();
  const { api } = run;
  const finish = (id: string) =>
    until(
      async () => {
        const found = dataOf(await api.reconciliations.get({ agentId, reconciliationId: id }));
        return found.finishedAt !== undefined && found;
      },
      { seconds: 120 },
    );
  expect(await finish(reconciliationId)).toMatchObject({ status: 'done', listed: 11, recovered: 11, known: 0 });
  const recorded = dataOf(await api.calls.list({ agentId, limit: 1000 })).calls;
  const recovered = recorded.filter(({ details }) => details?.source === 'reconciled');
  expect(recovered.map(({ callId }) => callId)).toEqual(calls.map(({ id }) => `retell:${id}`));

  account.apiKey = 'another';
  const second = dataOf(await api.reconciliations.create({ agentId, ...period }));
  const refused = await finish(second.reconciliationId);
  expect(refused.error).toBe('Retell does not accept the API key (401). Set another one, and try again.');
  const log = JSON.stringify([output, run.output, dataOf(await api.changes.list({ limit: 200 }))]);
  const table = await readTable(run.facts);
  await run.end();
  const files = readFiles(data);
  for (const place of [log, table, files]) {
    expect(place.includes(agentId)).toBe(true);
    expect(place.includes(apiKey)).toBe(false);
  }
});
