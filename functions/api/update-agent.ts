import * as z from 'zod/mini';
import { Agent, AgentChange, withChange } from '../domain/agents.ts';
import { insufficientPermissions } from '../domain/errors.ts';
import { AgentIdInPath } from '../domain/identifiers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agents } from '../store/agents.ts';

/** Changes an agent. The configuration is merged by top-level field, and `null` clears one. */
export const updateAgent = endpoint({
  name: 'updateAgent',
  method: 'PATCH',
  path: '/agents/{agentId}',
  summary: 'Change an agent',
  description:
    'Fields that are not sent stay as they are. `configuration` is merged by top-level field, and `null` clears a field. `agentId` and `uid` never change.',
  caller: { kind: 'key', scope: 'agents', agent: ({ params }) => params },
  services: { agents: agents.for('change') },
  params: z.object({ agentId: AgentIdInPath }),
  body: AgentChange,
  response: Agent,
  errors: ['phone_number_in_use'],

  async handle({ agent: { uid, agentId }, body }, { agents }) {
    const changed = await agents.change(uid, agentId, (found) => withChange(found, body));
    if (!changed) throw insufficientPermissions();
    return changed;
  },
});

export const handler = lambda(updateAgent);
