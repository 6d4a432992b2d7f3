import * as z from 'zod/mini';
import { describedObject, textField } from '../domain/describe.ts';
import { insufficientPermissions } from '../domain/errors.ts';
import { examples } from '../domain/examples.ts';
import { AgentIdInPath, Uid } from '../domain/identifiers.ts';
import { NewSplit, Split } from '../domain/traffic.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agentChanges } from '../store/agents/agent-changes.ts';

/** Sets which versions of an agent callers get. */
export const setAgentTraffic = endpoint({
  name: 'setAgentTraffic',
  method: 'PUT',
  path: '/agents/{agentId}/traffic',
  summary: 'Split the traffic of an agent',
  description:
    'Sets which versions of an agent callers get, and in what shares. While a split is in effect, newer versions get no calls. The same number always gets the same version, and raising a share moves callers only to that version. An empty list ends the split: everybody gets the newest version.',
  caller: { kind: 'key', scope: 'agents', agent: ({ params: { agentId }, body: { uid } }) => ({ agentId, uid }) },
  services: { agentChanges: agentChanges.for('setTraffic') },
  params: z.object({ agentId: AgentIdInPath }),
  body: z.object({ uid: Uid, split: NewSplit }),
  response: describedObject('The split as it is now.', {
    agentId: textField('Id of the agent.', examples.agentId),
    split: Split,
  }),
  errors: ['version_not_found'],

  async handle({ principal: { keyId }, agent: { uid, agentId }, body: { split } }, { agentChanges }) {
    if (!(await agentChanges.setTraffic(uid, agentId, split, { keyId }))) throw insufficientPermissions();
    return { agentId, split };
  },
});

export const handler = lambda(setAgentTraffic);
