import * as z from 'zod/mini';
import { listField } from '../domain/describe.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { AgentIdInPath, Uid } from '../domain/identifiers.ts';
import { describedPage, paging, readPage } from '../domain/paging.ts';
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
  description: `Returns the history of an agent, newest first: who changed what, when and why. The newest ${formatLimit('versions')} versions are kept, and those that get traffic.`,
  caller: { kind: 'key', scope: 'agents', agent: ({ params: { agentId }, query: { uid } }) => ({ agentId, uid }) },
  services: { agentVersions: agentVersions.for('list') },
  params: z.object({ agentId: AgentIdInPath }),
  query: z.object({ uid: Uid, ...paging }),
  response: describedPage('A page of versions.', { versions: listField(AgentVersion, 'The versions, newest first.') }),

  async handle({ agent: { agentId }, query: { limit, cursor } }, { agentVersions }) {
    const { items, ...next } = await readPage(
      ({ after, limit }) => agentVersions.list(agentId, { after: after === undefined ? after : Number(after), limit }),
      { collection: `versions:${agentId}`, limit, cursor, getPosition: ({ version }) => String(version) },
    );
    return { versions: items, ...next };
  },
});

export const handler = lambda(listAgentVersions);
