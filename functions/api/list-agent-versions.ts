import * as z from 'zod/mini';
import { AgentIdInPath, Uid } from '../domain/identifiers.ts';
import { fillPage, fromCursor, nextPage, paging } from '../domain/paging.ts';
import { AgentVersion } from '../domain/versions.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agentVersions } from '../store/agents/agent-versions.ts';

/** Lists the versions of an agent, newest first. */
export const listAgentVersions = endpoint({
  name: 'listAgentVersions',
  method: 'GET',
  path: '/agents/{agentId}/versions',
  summary: 'List the versions of an agent',
  description:
    'Returns the history of an agent, newest first: who changed what, when and why. The newest 200 versions are kept, and those that get traffic.',
  caller: { kind: 'key', scope: 'agents', agent: ({ params: { agentId }, query: { uid } }) => ({ agentId, uid }) },
  services: { agentVersions: agentVersions.for('list') },
  params: z.object({ agentId: AgentIdInPath }),
  query: z.object({ uid: Uid, ...paging }),
  response: z
    .object({ versions: z.array(AgentVersion).check(z.describe('The versions, newest first.')), ...nextPage })
    .check(z.describe('A page of versions.')),

  async handle({ agent: { agentId }, query: { limit, cursor } }, { agentVersions }) {
    const collection = `versions:${agentId}`;
    const position = fromCursor(collection, cursor);
    const after = position === undefined ? undefined : Number(position);
    const page = { collection, limit, getPosition: ({ version }: AgentVersion) => String(version) };
    const { items, ...next } = await fillPage(agentVersions.list(agentId, { after, limit: limit && limit + 1 }), page);
    return { versions: items, ...next };
  },
});

export const handler = lambda(listAgentVersions);
