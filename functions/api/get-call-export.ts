import * as z from 'zod/mini';
import { callExports, type StoredCallExport } from '../call-exports/call-exports.ts';
import { exportFiles, type Files } from '../clients/files.ts';
import { CallExport } from '../domain/call-exports.ts';
import { ApiError } from '../domain/errors.ts';
import { ExportIdInPath } from '../domain/exports.ts';
import { isIdentifier, Uid } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { isExpired } from '../store/exports.ts';

/** Returns the progress and the files of an export of calls. */
export const getCallExport = endpoint({
  name: 'getCallExport',
  method: 'GET',
  path: '/call-exports/{exportId}',
  summary: 'Get an export of calls',
  description: `Returns the status of an export, and the addresses of its files when it is \`done\`. Each response has new addresses. The files are kept for a day, or until a person is erased from the user's data: the export is then unknown.`,
  caller: { kind: 'key', scope: 'calls', user: ({ query }) => query },
  services: { callExports: callExports.for('find'), exportFiles: exportFiles.for('downloadUrl') },
  params: z.object({ exportId: ExportIdInPath }),
  query: z.object({ uid: Uid }),
  response: CallExport,
  errors: ['not_found'],

  async handle({ params: { exportId }, query: { uid } }, { callExports, exportFiles }) {
    const found = isIdentifier(exportId) ? await callExports.find(uid, exportId) : undefined;
    if (!found || isExpired(found)) throw new ApiError('not_found', 'This user has no such export.');
    return toCallExport(found, exportFiles);
  },
});

const contentTypes = { parquet: 'application/vnd.apache.parquet', csv: 'text/csv', jsonl: 'application/jsonl' };

const toCallExport = (found: StoredCallExport, exportFiles: Pick<Files, 'downloadUrl'>): CallExport => {
  const { exportId, status, format, from, to, files, createdAt, finishedAt, expiresAt, error } = found;
  const linked = files.map(({ key, bytes, calls }, index) => {
    const name = `calls-${index + 1}.${format}`;
    const url = exportFiles.downloadUrl({ key, name, contentType: contentTypes[format] }, limits.exportLinkSeconds);
    return { url, bytes, calls };
  });
  return {
    ...{ exportId, status, format, from, to },
    calls: files.reduce((sum, { calls }) => sum + calls, 0),
    files: status === 'done' ? linked : [],
    ...{ createdAt, finishedAt, expiresAt, error },
  };
};

export const handler = lambda(getCallExport);
