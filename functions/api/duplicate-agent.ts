import * as z from 'zod/mini';
import { AgentToCopy, nameOfCopy } from '../domain/agents.ts';
import { now } from '../domain/date-time.ts';
import { describe, describedObject, flagField, listField, numberField, textField } from '../domain/describe.ts';
import { insufficientPermissions } from '../domain/errors.ts';
import { examples } from '../domain/examples.ts';
import { newIdentifier } from '../domain/identifiers.ts';
import { rescueDelaySeconds } from '../domain/timeouts.ts';
import { beginCopy, continueCopy, copyServices } from '../duplication/copy.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agents } from '../store/agents/agents.ts';
import { agentQuota, sourceQuota } from '../store/quotas.ts';

/** A copy that is incomplete after this time is completed in the background. */
const timeoutMilliseconds = 10_000;

/** Copies an agent: its configuration, knowledge and block list. A copy is complete or does not exist. */
export const duplicateAgent = endpoint({
  name: 'duplicateAgent',
  method: 'POST',
  path: '/duplicate-agent',
  summary: 'Copy an agent',
  description:
    'Copies the configuration, knowledge and block list of an agent to a new agent that belongs to the user of the API key. The phone number, the key, the calls and the access of other users are not copied. A copy is complete or does not exist: a large one is completed in the background (`copied.status` is `pending`), and the new agent does not exist for any operation until then.',
  caller: { kind: 'key', scope: 'agents', agent: ({ body }) => body },
  services: { agents: agents.for('find'), ...copyServices },
  body: AgentToCopy,
  response: describedObject('The new agent, and what was copied to it.', {
    uid: textField('The user who owns the new agent.', examples.uid),
    agentId: textField('Id of the new agent.', 'agent_01KB3N0W7C5M9Y2D4S6V8X1Z3T'),
    name: textField('Name of the new agent.', 'Front desk (Copy)'),
    copied: z
      .object({
        status: z.optional(
          z
            .literal('pending')
            .check(describe('Present while the copy is being completed in the background.', 'pending')),
        ),
        configuration: flagField('Whether the configuration was copied.', true),
        websites: numberField('Number of websites copied so far.', 2),
        documents: numberField('Number of documents copied so far.', 5),
        blockedNumbers: numberField('Number of blocked numbers copied so far.', 120),
      })
      .check(describe('What was copied.', { configuration: true, websites: 2, documents: 5, blockedNumbers: 120 })),
    notCopied: listField(z.string(), 'What was not copied.', ['phoneNumber', 'calls', 'access']),
  }),
  errors: ['quota_exceeded'],

  async handle({ principal: { keyId, ...quotas }, agent, body: { uid, name }, creationId }, services) {
    const { agents, jobQueue } = services;
    const until = Date.now() + timeoutMilliseconds;
    const source = await agents.find(agent.uid, agent.agentId);
    if (!source) throw insufficientPermissions();
    const { phoneNumber: _number, version: _version, split: _split, key, ...travels } = source;
    const createdAt = now();
    const copy = {
      ...travels,
      uid,
      agentId: newIdentifier('agent', creationId),
      name: name ?? nameOfCopy(source.name),
      createdAt,
      updatedAt: createdAt,
      sourceAgentId: source.agentId,
    };
    const ofOwner = { agents: agentQuota(quotas.agentQuota), sources: sourceQuota(quotas.sourceQuota) };
    const begun = await beginCopy({ agent: copy, keyId, sourceAgentId: source.agentId }, services, ofOwner);
    await jobQueue.send({ job: 'finishDuplication', uid, agentId: copy.agentId }, rescueDelaySeconds);
    const reached = await continueCopy(begun, until, services);
    // The source was deleted in the meantime.
    if (!reached) throw insufficientPermissions();
    const pending = reached.state === 'copying';
    if (pending) await jobQueue.send({ job: 'finishDuplication', uid, agentId: copy.agentId });
    return {
      uid,
      agentId: copy.agentId,
      name: reached.agent.name,
      copied: {
        ...(pending && { status: 'pending' as const }),
        configuration: true,
        websites: reached.websites.copied,
        documents: reached.documents.copied,
        blockedNumbers: reached.blockedNumbers,
      },
      notCopied: ['phoneNumber', ...(key ? ['key'] : []), 'calls', 'access'],
    };
  },
});

export const handler = lambda(duplicateAgent);
