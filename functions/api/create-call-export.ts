import { callExports } from '../call-exports/call-exports.ts';
import { beginJob, queueSender } from '../clients/job-queue.ts';
import { CallExportRequest, toInstant } from '../domain/call-exports.ts';
import { insufficientPermissions, invalidField } from '../domain/errors.ts';
import { AcceptedExport } from '../domain/exports.ts';
import { newIdentifier } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { dayMilliseconds } from '../domain/refresh-plan.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agentAccess } from '../store/agents/agent-access.ts';

/** Starts an export of the calls of a user to files. */
export const createCallExport = endpoint({
  name: 'createCallExport',
  method: 'POST',
  path: '/call-exports',
  summary: 'Export calls to files',
  description:
    'Writes the calls of agents that the user owns to files: Parquet, CSV or JSON Lines. It runs in the background; `GET /call-exports/{exportId}` returns its status and the addresses of the files, which are kept for a day. One export of a user runs at a time.',
  caller: { kind: 'key', scope: 'calls', user: ({ body }) => body },
  services: {
    agentAccess: agentAccess.for('allOwned'),
    callExports: callExports.for('add'),
    jobQueue: queueSender('exportCalls'),
  },
  body: CallExportRequest,
  response: AcceptedExport,
  errors: ['export_in_progress'],

  async handle({ body: { uid, agentIds, from, to, format }, creationId }, { agentAccess, callExports, jobQueue }) {
    checkRange(Date.parse(toInstant(from) as string), Date.parse(toInstant(to) as string));
    if (agentIds) {
      const owned = new Set((await agentAccess.allOwned(uid)).map(({ agentId }) => agentId));
      if (!agentIds.every((agentId) => owned.has(agentId))) throw insufficientPermissions();
    }
    const exportId = newIdentifier('export', creationId);
    const message = { job: 'exportCalls', uid, exportId } as const;
    const begin = () => callExports.add({ uid, exportId, agentIds, from, to, format });
    await beginJob(jobQueue, message, begin, { ...message, isRescue: true });
    return { exportId, status: 'pending' as const };
  },
});

const checkRange = (from: number, to: number): void => {
  if (from >= to) throw invalidField('from', 'must be before to');
  if (to - from > limits.exportDays * dayMilliseconds)
    throw invalidField('to', `must be at most ${limits.exportDays} days after from`);
};

export const handler = lambda(createCallExport);
