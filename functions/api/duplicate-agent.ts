import * as z from 'zod/mini';
import { AgentName, nameOfCopy } from '../domain/agents.ts';
import { now } from '../domain/date-time.ts';
import { insufficientPermissions } from '../domain/errors.ts';
import { Identifier, newIdentifier } from '../domain/identifiers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { jobQueue } from '../outside/job-queue.ts';
import { agents } from '../store/agents.ts';
import { duplications } from '../store/duplications.ts';

/** An answer waits this long for the copy; a larger one is finished in the background. */
const patienceMilliseconds = 10_000;
/** When a copy whose function died is taken up again: after no function of the API can still be at it. */
const rescueSeconds = 60;

/** Copies an agent: configuration, knowledge and block list. The copy is whole, or it is not there. */
export const duplicateAgent = endpoint({
  name: 'duplicateAgent',
  method: 'POST',
  path: '/duplicate-agent',
  summary: 'Copy an agent',
  caller: { kind: 'key', scope: 'agents', agent: ({ body }) => body },
  may: ['dynamodb:BatchWriteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
  sends: ['finishDuplication'],
  uses: { agents, duplications, jobQueue },
  body: z.object({ uid: Identifier, agentId: Identifier, name: z.optional(AgentName) }),
  idempotent: true,
  response: z.object({
    uid: z.string(),
    agentId: z.string(),
    name: z.string(),
    copied: z.object({
      status: z.optional(z.literal('pending')),
      configuration: z.boolean(),
      websites: z.number(),
      documents: z.number(),
      blockedNumbers: z.number(),
    }),
    notCopied: z.array(z.string()),
  }),
  errors: { 400: 'The body is invalid.', 401: 'The key is unknown, or its user may not use this agent.' },

  async handle({ agent, body: { uid, name }, creationId }, { agents, duplications, jobQueue }) {
    const until = Date.now() + patienceMilliseconds;
    const source = await agents.find(agent.uid, agent.agentId);
    if (!source) throw insufficientPermissions();
    const { phoneNumber: _, ...travels } = source;
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
    const begun = await duplications.begin(copy, source.agentId);
    await jobQueue.send({ job: 'finishDuplication', agentId: copy.agentId }, rescueSeconds);
    const reached = await duplications.proceed(begun, until);
    const pending = reached.state === 'copying';
    if (pending) await jobQueue.send({ job: 'finishDuplication', agentId: copy.agentId });
    return {
      uid,
      agentId: copy.agentId,
      name: reached.agent.name,
      copied: {
        ...(pending && { status: 'pending' as const }),
        configuration: true,
        websites: 0,
        documents: 0,
        blockedNumbers: reached.blockedNumbers,
      },
      notCopied: ['phoneNumber', 'calls', 'access'],
    };
  },
});

export const handler = lambda(duplicateAgent);
