import { randomUUID } from 'node:crypto';
import { stat } from 'node:fs/promises';
import { basename } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { limits } from '../../../functions/domain/limits.ts';
import { pathOf } from '../../command-line/arguments.ts';
import { describeFileError } from '../../command-line/describe-error.ts';
import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/output.ts';
import { sendByForm } from '../send-by-form.ts';
import { dataOf } from '../service.ts';
import type { BlockListService } from './command.ts';

const everyMilliseconds = 5000;

/** Creates an import and sends its file. Returns the id of the import. */
export const uploadNumbers = async (
  { api, uid, agentId }: BlockListService,
  file: string,
  { mode, reason }: { mode: 'add' | 'replace'; reason?: string | undefined },
  stop: AbortSignal,
): Promise<string> => {
  const found = await stat(pathOf(file)).catch((error) => {
    throw new CommandError(describeFileError(file, error), exitCodes.usage);
  });
  if (!found.isFile()) throw new CommandError(`${file} is not a file.`, exitCodes.usage);
  if (found.size === 0) throw new CommandError(`${file} is empty.`, exitCodes.usage);
  if (found.size > limits.importBytes) throw new CommandError(`${file} is larger than 64 MB.`, exitCodes.usage);
  const { importId, ...form } = dataOf(
    await api.POST('/block-list-imports', {
      params: { header: { 'Idempotency-Key': randomUUID() } },
      body: { uid, agentId, mode, reason, size: found.size },
    }),
  );
  const error = await sendByForm({ path: file, name: basename(file) }, form, stop);
  if (error) throw new CommandError(error.message);
  return importId;
};

/** Waits for an import and returns its result. Reports progress every few seconds. */
export const importResult = async (
  { api, uid }: BlockListService,
  importId: string,
  stop: AbortSignal,
  isTalkative: boolean,
) => {
  let said = Date.now();
  for (let waited = 200; ; waited = Math.min(waited * 1.5, 2000)) {
    const query = { uid };
    const found = dataOf(await api.GET('/block-list-imports/{importId}', { params: { path: { importId }, query } }));
    const { status, lines, added, alreadyBlocked, removed, failed } = found;
    if (status === 'done' || status === 'failed') return found;
    if (isTalkative && Date.now() - said >= everyMilliseconds) {
      said = Date.now();
      const [all, isAdded, was, isGone, isBad] = [lines, added, alreadyBlocked, removed, failed].map((value) =>
        value.toLocaleString('en'),
      );
      say(`${all} lines: ${isAdded} added, ${was} already blocked, ${isBad} failed; ${isGone} removed.`);
    }
    await sleep(waited, undefined, { signal: stop }).catch(() => {
      throw new CommandError(`Stopped. Import ${importId} goes on.`, exitCodes.unfinished);
    });
  }
};
