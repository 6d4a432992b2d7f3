import { createWriteStream } from 'node:fs';
import { extname } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { type ApiClient, type CallExport, dataOf } from '../../../functions/openapi/client/client.ts';
import { CommandError } from '../../command-line/exit-codes.ts';
import { say } from '../../command-line/output.ts';

type Request = { uid: string; agentId?: string; from: string; to: string; format: CallExport['format'] };

const pollMilliseconds = 1000;

/** Exports calls to files, waits for the end, and downloads them. Returns the names of the files. */
export const exportToFiles = async (
  api: ApiClient,
  { agentId, ...request }: Request,
  output: string,
): Promise<{ exportId: string; calls: number; files: string[] }> => {
  const agentIds = agentId === undefined ? undefined : [agentId];
  const { exportId } = dataOf(await api.calls.createExport({ ...request, agentIds }));
  const { status, calls, files, error } = await waitForEnd(api, { uid: request.uid, exportId });
  if (status === 'failed') throw new CommandError(error ?? 'The export failed.');
  const names = files.map((_, index) => nameFile(output, index, files.length));
  for (const [index, { url }] of files.entries()) await download(url, names[index] as string);
  return { exportId, calls, files: names };
};

const waitForEnd = async (
  api: ApiClient,
  { uid, exportId }: { uid: string; exportId: string },
): Promise<CallExport> => {
  for (let said = 0; ; ) {
    const found = dataOf(await api.calls.getExport({ uid, exportId }));
    if (found.finishedAt !== undefined) return found;
    if (found.calls > said) say(`${found.calls} calls are exported …`);
    said = found.calls;
    await sleep(pollMilliseconds);
  }
};

/** Returns the name of a file. Several files are numbered: `calls-1.parquet`. */
const nameFile = (output: string, index: number, count: number): string => {
  if (count === 1) return output;
  const extension = extname(output);
  return `${output.slice(0, output.length - extension.length)}-${index + 1}${extension}`;
};

const download = async (url: string, name: string): Promise<void> => {
  const response = await fetch(url);
  if (!response.ok || !response.body) throw new CommandError(`A file could not be downloaded (${response.status}).`);
  await pipeline(Readable.fromWeb(response.body), createWriteStream(name));
};
