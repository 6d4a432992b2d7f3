import * as z from 'zod/mini';
import { exportFiles } from '../clients/files.ts';
import { ApiError } from '../domain/errors.ts';
import { ExportIdInPath } from '../domain/exports.ts';
import { isIdentifier, Uid } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { noPersonCounts, PersonExport } from '../domain/person-exports.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { personExports } from '../person-exports/person-exports.ts';
import { isExpired } from '../store/exports.ts';

/** Returns the progress and the file of an export of a person. */
export const getPersonExport = endpoint({
  name: 'getPersonExport',
  method: 'GET',
  path: '/person-exports/{exportId}',
  summary: 'Get an export of a person',
  description:
    'Returns the status of an export, and the address of its file when it is `done`. Each response has a new address. The file is kept for a day, or until the person is erased: the export is then unknown.',
  caller: { kind: 'key', scope: 'privacy', user: ({ query }) => query },
  services: { personExports: personExports.for('find'), exportFiles: exportFiles.for('downloadUrl') },
  params: z.object({ exportId: ExportIdInPath }),
  query: z.object({ uid: Uid }),
  response: PersonExport,
  errors: ['not_found'],

  async handle({ params: { exportId }, query: { uid } }, { personExports, exportFiles }) {
    const found = isIdentifier(exportId) ? await personExports.find(uid, exportId) : undefined;
    if (!found || isExpired(found)) throw new ApiError('not_found', 'This user has no such export.');
    const { status, counts = noPersonCounts, files, createdAt, finishedAt, expiresAt, error } = found;
    const [file] = files;
    const download = file && { key: file.key, name: 'person.jsonl', contentType: 'application/jsonl' };
    const url = download && exportFiles.downloadUrl(download, limits.exportLinkSeconds);
    return { exportId, status, counts, url, bytes: file?.bytes, createdAt, finishedAt, expiresAt, error };
  },
});

export const handler = lambda(getPersonExport);
