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
  exportFiles: exportFiles.for('put', 'delete'),
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
  const { content, calls, position, isLast } = await readCalls(found, until, services);
  // An export without calls has one file with the columns; JSON Lines have none.
  const isFile = calls > 0 || (isLast && found.files.length === 0 && content.bytes > 0);
  const file = isFile ? await putFile(found, content, calls, exportFiles) : undefined;
  const all = file ? [...found.files, file] : found.files;
  const continued = isLast
    ? await callExports.finish(found, { files: all, position: null })
    : await callExports.save(found, { files: all, position });
  if (!continued && file) await exportFiles.delete(file.key);
  if (continued && isLast) log('info', { job: 'exportCalls', uid: found.uid, ...describeExport(continued) });
  return continued;
};

const putFile = async (
  { exportId, format }: StoredCallExport,
  content: ExportFile,
  calls: number,
  exportFiles: Pick<Services['exportFiles'], 'put'>,
): Promise<StoredCallExport['files'][number]> => {
  // Each run has its own name: one that was overtaken deletes only what is its own.
  const key = `${exportsFolder}${exportId}/${newUlid()}.${format}`;
  const bytes = await content.finish();
  await exportFiles.put(key, bytes);
  return { key, bytes: bytes.length, calls };
};

type ReadCalls = { content: ExportFile; calls: number; position?: string; isLast: boolean };

/** Reads the calls of the next file. */
const readCalls = async (
  { uid, agentIds, from, to, format, position: after }: StoredCallExport,
  until: number,
  { agentAccess, callLists }: Services,
): Promise<ReadCalls> => {
  const owned = (await agentAccess.allOwned(uid)).map(({ agentId }) => agentId);
  const exported = agentIds ? owned.filter((agentId) => agentIds.includes(agentId)) : owned;
  const range = { from: toInstant(from) as string, to: toInstant(to) as string, after };
  const content = createFile[format]();
  const maxCalls = Math.min(environment.callExportFileCalls ?? limits.exportFileCalls, limits.exportFileCalls);
  let calls = 0;
  let position = after;
  for await (const page of callLists.listChronologically(exported, range)) {
    const taken = page.slice(0, maxCalls - calls);
    await content.add(taken.map(({ call }) => call));
    calls += taken.length;
    position = taken.at(-1)?.position ?? position;
    const isFull = calls === maxCalls || content.bytes >= limits.exportFileBytes;
    if (isFull || Date.now() >= until) return { content, calls, position, isLast: false };
  }
  return { content, calls, isLast: true };
};

const describeExport = ({ exportId, format, files, createdAt }: StoredCallExport) => ({
  exportId,
  format,
  files: files.length,
  calls: files.reduce((sum, { calls }) => sum + calls, 0),
  bytes: files.reduce((sum, { bytes }) => sum + bytes, 0),
  seconds: Math.round((Date.now() - Date.parse(createdAt)) / 1000),
});
