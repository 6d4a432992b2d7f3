import { createParquetFile } from '../call-exports/parquet-file.ts';
import { lakeFiles } from '../clients/files.ts';
import { hashingSecret } from '../clients/secrets.ts';
import { lakeFileKey } from '../domain/lake.ts';
import { environment } from '../environment.ts';
import { type AgentDay, callFigures } from '../figures/call-figures.ts';
import type { ServicesOf } from '../service.ts';
import { callLists } from '../store/calls/call-lists.ts';
import type { StoredCall } from '../store/calls/call-records.ts';
import { hashOfNumber } from '../store/erased-people.ts';
import { lakeDays } from './lake-days.ts';

export const lakeServices = {
  lakeDays: lakeDays.for('begin'),
  lakeFiles: lakeFiles.for('put', 'delete'),
  callFigures: callFigures.for('find'),
  callLists: callLists.for('listChronologically'),
  secret: hashingSecret,
};
type Services = ServicesOf<typeof lakeServices>;

/** The maximum number of writes of a day that keeps changing. Its next change writes it again. */
const maxAttempts = 4;

/**
 * Replaces the file of an agent's day in the lake by its calls as they are; a day without calls has none. Another run may have
 * read later and written earlier, so the file is written again if the day was counted meanwhile.
 */
export const writeLakeDay = async (day: AgentDay & { uid: string }, services: Services): Promise<void> => {
  await services.lakeDays.begin(day);
  for (let attempt = 0; attempt < maxAttempts; attempt++) {
    const before = await services.callFigures.find(day);
    await writeFile(day, services);
    if ((await services.callFigures.find(day)).version === before.version) return;
  }
};

const writeFile = async (
  { uid, agentId, day }: AgentDay & { uid: string },
  { lakeFiles, callLists, secret }: Services,
): Promise<void> => {
  const key = lakeFileKey({ uid, agentId, day });
  const file = createParquetFile();
  const hideNumber = chooseNumber(uid, await secret.read());
  const [from, to] = [`${day}T00:00`, `${day}T24:00`];
  let calls = 0;
  for await (const page of callLists.listChronologically([agentId], { from, to })) {
    calls += page.length;
    await file.add(page.map(({ call }) => withNumbers(call, hideNumber)));
  }
  await (calls > 0 ? lakeFiles.put(key, await file.finish()) : lakeFiles.delete(key));
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
