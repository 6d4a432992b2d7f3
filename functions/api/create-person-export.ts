import { beginJob, queueSender } from '../clients/job-queue.ts';
import { hashingSecret } from '../clients/secrets.ts';
import { AcceptedExport } from '../domain/exports.ts';
import { newIdentifier } from '../domain/identifiers.ts';
import { PersonExportRequest } from '../domain/person-exports.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { personExports } from '../person-exports/person-exports.ts';
import { hashOfNumber } from '../store/erased-people.ts';

/** Starts an export of the data of a person, identified by phone number. */
export const createPersonExport = endpoint({
  name: 'createPersonExport',
  method: 'POST',
  path: '/person-exports',
  summary: 'Export a person',
  description:
    'Writes the data of a person, identified by phone number, to a file of JSON Lines: calls, transcripts, entries and rules of block lists, consents and attempts to call, of the user and of all agents that the user owns, in both forms of the number. The file has the data that an erasure with `blockList: "remove"` deletes. The export runs in the background; `GET /person-exports/{exportId}` returns its status and the address of the file, which is kept for a day. One export of a user runs at a time. The key must have the scope `privacy`, which a key without a list of scopes does not have.',
  caller: { kind: 'key', scope: 'privacy', user: ({ body }) => body },
  services: {
    personExports: personExports.for('add'),
    jobQueue: queueSender('exportPerson'),
    secret: hashingSecret,
  },
  body: PersonExportRequest,
  response: AcceptedExport,
  errors: ['export_in_progress'],

  async handle({ body: { uid, number }, creationId }, { personExports, jobQueue, secret }) {
    const exportId = newIdentifier('export', creationId);
    const numberHash = hashOfNumber(await secret.read(), uid, number);
    const message = { job: 'exportPerson', uid, exportId } as const;
    const begin = () => personExports.add({ uid, exportId, number, numberHash });
    await beginJob(jobQueue, message, begin, { ...message, isRescue: true });
    return { exportId, status: 'pending' as const };
  },
});

export const handler = lambda(createPersonExport);
