import * as z from 'zod/mini';
import { Agent } from '../domain/agents.ts';
import { insufficientPermissions } from '../domain/errors.ts';
import { AgentIdInPath } from '../domain/identifiers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agents } from '../store/agents/agents.ts';

/** Returns an agent. */
export const getAgent = endpoint({
  name: 'getAgent',
  method: 'GET',
  path: '/agents/{agentId}',
  summary: 'Get an agent',
  description: 'Returns the complete record of an agent that the user of the API key may use.',
  caller: { kind: 'key', scope: 'agents', agent: ({ params }) => params },
  services: { agents: agents.for('find') },
  params: z.object({ agentId: AgentIdInPath }),
  response: Agent,
  hasETag: true,

  async handle({ agent: { uid, agentId } }, { agents }) {
    const found = await agents.find(uid, agentId);
    if (!found) throw insufficientPermissions();
    return found;
  },
});

export const handler = lambda(getAgent);
