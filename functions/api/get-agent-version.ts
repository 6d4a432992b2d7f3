import * as z from 'zod/mini';
import { describe } from '../domain/describe.ts';
import { AgentIdInPath, Uid } from '../domain/identifiers.ts';
import { parseVersion, VersionInPath, VersionInQuery } from '../domain/version-number.ts';
import { AgentVersionContent, changesBetween, noSuchVersion } from '../domain/versions.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { versionsLookup } from '../store/agents/agent-versions.ts';

/** Returns a version of an agent, and its differences from another version. */
export const getAgentVersion = endpoint({
  name: 'getAgentVersion',
  method: 'GET',
  path: '/agents/{agentId}/versions/{version}',
  summary: 'Get a version of an agent',
  description:
    'Returns a version of an agent with its name and its configuration. With `against`, also what changed from that version to this one.',
  caller: {
    kind: 'key',
    scope: 'agents',
    agent: ({ params: { agentId }, query: { uid } }) => ({ agentId, uid }),
    prefetch: ({ params: { agentId, version }, query: { against } }) =>
      versionsLookup(agentId, [parseVersion(version), against ?? parseVersion(version)]),
  },
  params: z.object({ agentId: AgentIdInPath, version: VersionInPath }),
  query: z.object({
    uid: Uid,
    against: z.optional(VersionInQuery.check(describe('Another version, to compare with.', 3, { type: 'integer' }))),
  }),
  response: AgentVersionContent,
  errors: ['version_not_found'],

  async handle({ query: { against }, found: [version, other] }) {
    if (!version || !other) throw noSuchVersion();
    return { ...version, changes: against === undefined ? undefined : changesBetween(other, version) };
  },
});

export const handler = lambda(getAgentVersion);
