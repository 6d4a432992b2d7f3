import pMap from 'p-map';
import { createParquetFile } from '../call-exports/parquet-file.ts';
import { lakeFiles } from '../clients/files.ts';
import { hashingSecret } from '../clients/secrets.ts';
import { now } from '../domain/date-time.ts';
import { daysOfPeriod, isMonth, type LakePeriod, lakeFileKey, monthBefore, toMonth } from '../domain/lake.ts';
import { environment } from '../environment.ts';
import { callFigures } from '../figures/call-figures.ts';
import type { ServicesOf } from '../service.ts';
import { agentAccess } from '../store/agents/agent-access.ts';
import { callLists } from '../store/calls/call-lists.ts';
import type { StoredCall } from '../store/calls/call-records.ts';
import { hashOfNumber } from '../store/erased-people.ts';
import { lakeDays } from './lake-days.ts';

export const lakeServices = {
  lakeDays: lakeDays.for('begin', 'note'),
  lakeFiles: lakeFiles.for('put', 'delete', 'has'),
  callFigures: callFigures.for('read'),
  callLists: callLists.for('listChronologically'),
  agentAccess: agentAccess.for('find'),
  secret: hashingSecret,
};
type Services = ServicesOf<typeof lakeServices>;
type Period = LakePeriod & { uid: string };

/** The maximum number of writes of a period that keeps changing. Its next change writes it again. */
const maxAttempts = 4;
const deletesInFlight = 8;

/**
 * Replaces the file of an agent's day or month in the lake by its calls as they are; a period without calls has none. The file
 * of a month takes the place of those of its days, which queries leave out from its write on. A day of such a month is written
 * with its month. Returns the month to compact next, with the time.
 */
export const writeLakePeriod = async (
  { uid, agentId, day }: Period,
  services: Services,
): Promise<(LakePeriod & { dueAt: number }) | undefined> => {
  const { lakeDays, lakeFiles, agentAccess } = services;
  await lakeDays.begin({ agentId, day });
  const month = { uid, agentId, day: toMonth(day) };
  const isOfMonth = isMonth(day) || (await lakeFiles.has(lakeFileKey(month)));
  const period = isOfMonth ? month : { uid, agentId, day };
  await replaceFile(period, services);
  // The deletion of the agent deletes the files that were there when it began.
  if ((await agentAccess.find(agentId)) === undefined) {
    await lakeFiles.delete(lakeFileKey(period));
    return undefined;
  }
  return isOfMonth ? undefined : noteCompaction(period, services);
};

/** Notes the month of an earlier day, or the month before that of a present one, unless it is compacted. */
const noteCompaction = async ({ uid, agentId, day }: Period, { lakeDays, lakeFiles, callFigures }: Services) => {
  const present = toMonth(now());
  const closed = { uid, agentId, day: toMonth(day) < present ? toMonth(day) : monthBefore(present) };
  if ((await readVersions(closed, callFigures)) === '' || (await lakeFiles.has(lakeFileKey(closed)))) return undefined;
  const noted = await lakeDays.note(closed);
  return noted && { agentId, day: closed.day, ...noted };
};

/**
 * Writes the file of a period. Another run may have read later and written earlier, so the file is written again if the period
 * was counted meanwhile.
 */
const replaceFile = async (period: Period, services: Services): Promise<void> => {
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const before = await readVersions(period, services.callFigures);
    const file = await buildFile(period, services);
    // Where no file of the month hides those of its days, they are deleted first.
    if (!file) await deleteDayFiles(period, services);
    await (file ? services.lakeFiles.put(lakeFileKey(period), file) : services.lakeFiles.delete(lakeFileKey(period)));
    if ((await readVersions(period, services.callFigures)) !== before) continue;
    if (file) await deleteDayFiles(period, services);
    return;
  }
};

/** Returns the versions of the figures of a period, as one text. */
const readVersions = async ({ agentId, day }: LakePeriod, callFigures: Services['callFigures']): Promise<string> => {
  const versions: string[] = [];
  await callFigures.read([agentId], daysOfPeriod(day), (found, { version }) =>
    versions.push(`${found.day} ${version}`),
  );
  return versions.sort().join();
};

const deleteDayFiles = async ({ uid, agentId, day: period }: Period, { lakeFiles }: Services): Promise<void> => {
  if (!isMonth(period)) return;
  const deleteDay = (day: string) => lakeFiles.delete(lakeFileKey({ uid, agentId, day }));
  await pMap(daysOfPeriod(period), deleteDay, { concurrency: deletesInFlight });
};

/** Returns the file of a period; undefined without calls. */
const buildFile = async (
  { uid, agentId, day }: Period,
  { callLists, secret }: Services,
): Promise<Uint8Array | undefined> => {
  const file = createParquetFile();
  const hideNumber = chooseNumber(uid, await secret.read());
  const days = daysOfPeriod(day);
  const range = { from: `${days[0]}T00:00`, to: `${days.at(-1)}T24:00` };
  let calls = 0;
  for await (const page of callLists.listChronologically([agentId], range)) {
    calls += page.length;
    await file.add(page.map(({ call }) => withNumbers(call, hideNumber)));
  }
  return calls > 0 ? file.finish() : undefined;
};

type HideNumber = (number: string) => string | undefined;

/** Returns what stands for a user's numbers. Equal numbers of a user have equal hashes. */
const chooseNumber = (uid: string, secret: string): HideNumber => {
  const mode = environment.lakeNumbers;
  if (mode === 'hash') return (number) => hashOfNumber(secret, uid, number);
  return (number) => (mode === 'clear' ? number : undefined);
};

const withNumbers = (call: StoredCall['call'], hide: HideNumber): StoredCall['call'] => ({
  ...call,
  phone: call.phone && hide(call.phone),
  agentPhone: call.agentPhone && hide(call.agentPhone),
});
