import { Agent, NewAgent, toNewAgent, withWarnings } from '../domain/agents.ts';
import { newIdentifier } from '../domain/identifiers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agentChanges } from '../store/agents/agent-changes.ts';
import { agentQuota } from '../store/quotas.ts';

/** Creates an agent that belongs to the key's user. */
export const createAgent = endpoint({
  name: 'createAgent',
  method: 'POST',
  path: '/agents',
  summary: 'Create an agent',
  description: 'Creates an agent that belongs to the user of the API key. The service generates its id.',
  caller: { kind: 'key', scope: 'agents', user: ({ body }) => body },
  services: { agentChanges: agentChanges.for('create') },
  body: NewAgent,
  errors: ['phone_number_in_use', 'key_in_use', 'quota_exceeded'],
  response: Agent,
  hasETag: true,

  async handle({ principal: { keyId, agentQuota: quota }, body: { note, ...body }, creationId }, { agentChanges }) {
    const agent = toNewAgent(body, newIdentifier('agent', creationId));
    const created = await agentChanges.create(agent, { keyId, note }, agentQuota(quota));
    return withWarnings(created, body.configuration);
  },
});

export const handler = lambda(createAgent);
