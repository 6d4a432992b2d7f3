import { exportFiles } from '../clients/files.ts';
import { toInstant } from '../domain/call-exports.ts';
import { exportsFolder } from '../domain/exports.ts';
import { newUlid } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { environment } from '../environment.ts';
import { log } from '../log.ts';
import type { ServicesOf } from '../service.ts';
import { agentAccess } from '../store/agents/agent-access.ts';
import { callLists } from '../store/calls/call-lists.ts';
import { isFinished } from '../store/exports.ts';
import { callExports, type StoredCallExport } from './call-exports.ts';
import { createCsvFile } from './csv-file.ts';
import type { ExportFile } from './export-file.ts';
import { createJsonLinesFile } from './json-lines-file.ts';
import { createParquetFile } from './parquet-file.ts';

export const exportServices = {
  agentAccess: agentAccess.for('allOwned'),
  callLists: callLists.for('listChronologically'),
  callExports: callExports.for('find', 'save', 'finish', 'expire'),
  exportFiles: exportFiles.for('putParts', 'delete'),
};
type Services = ServicesOf<typeof exportServices>;

const createFile: Record<StoredCallExport['format'], () => ExportFile> = {
  parquet: createParquetFile,
  csv: createCsvFile,
  jsonl: createJsonLinesFile,
};

/**
 * Writes the files of an export until a time (Unix milliseconds), and deletes them a day after its end. Returns when it
 * continues; undefined when it is over. A run that is killed is continued after its last whole file.
 */
export const runExport = async (
  { uid, exportId, isRescue }: { uid: string; exportId: string; isRescue?: true },
  until: number,
  services: Services,
): Promise<{ dueAt: number } | undefined> => {
  let found = await services.callExports.find(uid, exportId);
  if (!found || (isRescue && found.status !== 'pending')) return undefined;
  while (!isFinished(found)) {
    const continued = await writeNextFile(found, until, services);
    if (!continued) return undefined;
    found = continued;
    if (Date.now() >= until) return { dueAt: Date.now() };
  }
  return services.callExports.expire(found, services.exportFiles);
};

/** Writes one file, which ends with the calls, at the limits of a file, or at `until`. Undefined: another run has written. */
const writeNextFile = async (
  found: StoredCallExport,
  until: number,
  services: Services,
): Promise<StoredCallExport | undefined> => {
  const { callExports, exportFiles } = services;
  // Each run has its own name: one that was overtaken deletes only what is its own.
  const key = `${exportsFolder}${found.exportId}/${newUlid()}.${found.format}`;
  const begun = await callExports.save(found, { fileKeys: [...found.fileKeys, key] });
  if (!begun) return undefined;
  const read: Read = { calls: 0, position: begun.position, isLast: false };
  const bytes = await exportFiles.putParts(key, writeParts(begun, until, read, services));
  const files = bytes > 0 ? [...begun.files, { key, bytes, calls: read.calls }] : begun.files;
  const continued = read.isLast
    ? await callExports.finish(begun, { files, position: null })
    : await callExports.save(begun, { files, position: read.position });
  if (!continued && bytes > 0) await exportFiles.delete(key);
  if (continued && read.isLast) log('info', { job: 'exportCalls', uid: found.uid, ...describeExport(continued) });
  return continued;
};

/** How far a file has been read: its calls, the place of the last one, and whether none follows. */
type Read = { calls: number; position?: string; isLast: boolean };

/** The size from which a part of a file is sent. S3 takes no smaller one but the last. */
const partBytes = 6 * 1024 * 1024;

/** Reads the calls of the next file, and yields its parts. */
async function* writeParts(
  { uid, agentIds, from, to, format, position: after, files }: StoredCallExport,
  until: number,
  read: Read,
  { agentAccess, callLists }: Services,
): AsyncGenerator<Uint8Array> {
  const owned = (await agentAccess.allOwned(uid)).map(({ agentId }) => agentId);
  const exported = agentIds ? owned.filter((agentId) => agentIds.includes(agentId)) : owned;
  const range = { from: toInstant(from) as string, to: toInstant(to) as string, after };
  const content = createFile[format]();
  const maxCalls = Math.min(environment.callExportFileCalls ?? limits.exportFileCalls, limits.exportFileCalls);
  read.isLast = true;
  for await (const page of callLists.listChronologically(exported, range)) {
    const taken = page.slice(0, maxCalls - read.calls);
    await content.add(taken.map(({ call }) => call));
    read.calls += taken.length;
    read.position = taken.at(-1)?.position ?? read.position;
    const isFull = read.calls === maxCalls || content.bytes >= limits.exportFileBytes;
    if (isFull || Date.now() >= until) {
      read.isLast = false;
      break;
    }
    if (content.pending >= partBytes) yield content.take();
  }
  // An export without calls has one file with the columns; JSON Lines have none.
  if (read.calls > 0 || (read.isLast && files.length === 0)) yield content.finish();
}

const describeExport = ({ exportId, format, files, createdAt }: StoredCallExport) => ({
  exportId,
  format,
  files: files.length,
  calls: files.reduce((sum, { calls }) => sum + calls, 0),
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  seconds: Math.round((Date.now() - Date.parse(createdAt)) / 1000),
});
