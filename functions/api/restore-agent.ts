import * as z from 'zod/mini';
import { queueSender } from '../clients/job-queue.ts';
import { Agent, VersionNote } from '../domain/agents.ts';
import { nameKeyId } from '../domain/change-maker.ts';
import { describe } from '../domain/describe.ts';
import { insufficientPermissions } from '../domain/errors.ts';
import { AgentIdInPath, Uid } from '../domain/identifiers.ts';
import { VersionNumber } from '../domain/version-number.ts';
import { noSuchVersion } from '../domain/versions.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agentChanges } from '../store/agents/agent-changes.ts';
import { versionsLookup } from '../store/agents/agent-versions.ts';

/** Restores a version of an agent, as a new version. */
export const restoreAgent = endpoint({
  name: 'restoreAgent',
  method: 'POST',
  path: '/agents/{agentId}/restore',
  summary: 'Restore a version of an agent',
  description:
    'Gives an agent the name and the configuration of an earlier version, as a new version. If they are the same as now, nothing changes. The phone number, the knowledge and the block list stay as they are.',
  caller: {
    kind: 'key',
    scope: 'agents',
    agent: ({ params: { agentId }, body: { uid } }) => ({ agentId, uid }),
    prefetch: ({ params: { agentId }, body: { version } }) => versionsLookup(agentId, [version]),
  },
  services: { agentChanges: agentChanges.for('change'), jobQueue: queueSender('indexKnowledge') },
  params: z.object({ agentId: AgentIdInPath }),
  body: z.object({
    uid: Uid,
    version: VersionNumber.check(describe('The version to restore.', 3)),
    note: z.optional(VersionNote),
  }),
  response: Agent,
  hasETag: true,
  takesIfMatch: true,
  errors: ['version_not_found'],

  async handle(
    { principal, agent: { uid, agentId }, body: { version, note }, ifMatch, creationId, found: [restored] },
    { agentChanges, jobQueue },
  ) {
    if (!restored) throw noSuchVersion();
    const { name, configuration } = restored;
    const origin = { uid: principal.uid, keyId: nameKeyId(principal), note, restoredFrom: version, creationId };
    const restore = (agent: Agent) => ({ ...agent, name, configuration });
    const changed = await agentChanges.change(uid, agentId, restore, { ifMatch, ...origin });
    if (!changed) throw insufficientPermissions();
    // Its language may be different.
    await jobQueue.send({ job: 'indexKnowledge', uid, agentId });
    return changed;
  },
});

export const handler = lambda(restoreAgent);
