import { openAsBlob } from 'node:fs';
import { formatLimit } from '../../../functions/domain/format-limit.ts';
import { limits } from '../../../functions/domain/limits.ts';
import { type BlockListImport, dataOf } from '../../../functions/openapi/client/client.ts';
import { resolvePath } from '../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../command-line/exit-codes.ts';
import { statFile } from '../../command-line/input-file.ts';
import { say } from '../../command-line/output.ts';
import type { BlockListService } from '../service.ts';

/** The interval between progress messages: longer in a log, which is read afterwards, than on a terminal. */
const everyMilliseconds = process.stderr.isTTY ? 5000 : 30_000;

/** Creates an import and sends its file. Returns the id of the import. */
export const uploadNumbers = async (
  { api, uid, agentId }: BlockListService,
  file: string,
  options: Parameters<BlockListService['api']['blockList']['importFile']>[0],
  stop: AbortSignal,
): Promise<string> => {
  const { size } = await statFile(file);
  if (size === 0) throw new CommandError(`${file} is empty.`, exitCodes.usage);
  if (size > limits.importBytes)
    throw new CommandError(`${file} is larger than ${formatLimit('importBytes')}.`, exitCodes.usage);
  const numbers = await openAsBlob(resolvePath(file));
  const { importId } = dataOf(await api.blockList.importFile({ uid, agentId, ...options }, numbers, { signal: stop }));
  return importId;
};

/** Waits for an import and returns its result. Reports progress. */
export const importResult = async (
  { api, uid }: BlockListService,
  importId: string,
  stop: AbortSignal,
  isTalkative: boolean,
) => {
  let said = { at: Date.now(), lines: 0 };
  const report = ({ lines, added, alreadyBlocked, removed, failed }: BlockListImport) => {
    if (!isTalkative || Date.now() - said.at < everyMilliseconds || lines === said.lines) return;
    said = { at: Date.now(), lines };
    const [all, isAdded, was, isGone, isBad] = [lines, added, alreadyBlocked, removed, failed].map((value) =>
      value.toLocaleString('en'),
    );
    say(`${all} lines: ${isAdded} added, ${was} already blocked, ${isBad} failed; ${isGone} removed.`);
  };
  const options = { signal: stop, maxWaitSeconds: Number.POSITIVE_INFINITY, onProgress: report };
  const waiting = api.blockList.waitUntilImported({ uid, importId }, options).catch((error) => {
    throw stop.aborted
      ? new CommandError(
          `Stopped. Import ${importId} continues: the console and GET /block-list-imports/${importId} show its progress.`,
          exitCodes.unfinished,
        )
      : error;
  });
  return dataOf(await waiting);
};
