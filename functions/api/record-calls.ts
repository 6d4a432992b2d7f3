import * as z from 'zod/mini';
import { toRecording } from '../domain/call-outcomes.ts';
import { CallItem, Revoked } from '../domain/calls.ts';
import { describedObject, listField, textField } from '../domain/describe.ts';
import { noSuchCall } from '../domain/errors.ts';
import { examples } from '../domain/examples.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { limits } from '../domain/limits.ts';
import { list } from '../domain/list.ts';
import { FailedItem, failedItem, ItemIndex } from '../domain/request-items.ts';
import { acceptAgentItems } from '../http/accept-agent-items.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { findLastTableCall } from '../http/last-table-call.ts';
import { calls } from '../store/calls/calls.ts';
import { credentials } from '../store/credentials.ts';

/** Records many calls and sets their outcomes. A malformed item, or one for a foreign agent, does not fail the others. */
export const recordCalls = endpoint({
  name: 'recordCalls',
  method: 'POST',
  path: '/calls',
  summary: 'Record many calls',
  description: `Records up to ${formatLimit('callsPerRequest')} calls in one request, of any agents that the user of the API key may use, and sets the outcomes that are given: as \`PUT\` and \`PATCH /calls/{agentId}/{callIdOrPhone}\` one by one. Items are processed independently: one that is invalid, or has an outcome that the agent does not declare, is in \`failed\`, and so is, as \`temporarily_unavailable\`, one that was not processed before the response was due. Sending the same items again changes nothing.`,
  caller: { kind: 'key', scope: 'calls' },
  services: { calls: calls.for('recordMany'), credentials: credentials.for('readAccess') },
  body: z.object({
    items: list(z.unknown().check(z.meta({ documentAs: CallItem })), { min: 1, max: limits.callsPerRequest }).check(
      z.describe(`1 to ${formatLimit('callsPerRequest')} calls to record.`),
    ),
  }),
  response: describedObject('The result of each item.', {
    recorded: listField(
      z.object({ index: ItemIndex, callId: textField('Id of the call.', examples.callId), revoked: Revoked }),
      'The items that were recorded, in the order sent.',
    ),
    failed: listField(FailedItem, 'The items that were not, in the order sent.'),
  }),
  errorDescriptions: { 400: `There is no item, or there are more than ${formatLimit('callsPerRequest')}.` },

  async handle({ body, principal, receivedAt, ignored }, { calls, credentials }) {
    const until = findLastTableCall(receivedAt);
    const context = { principal, credentials };
    const { accepted, failed } = await acceptAgentItems(body.items, CallItem, context, (item, agent, origin) => {
      if (item.transcript && !agent.outcomeRules.transcripts && !ignored.includes('transcript'))
        ignored.push('transcript');
      return toRecording(item, agent, origin);
    });
    const results = await calls.recordMany(accepted, until);
    const recorded: { index: number; callId: string; revoked?: true }[] = [];
    for (const [place, { index, callId, outcome }] of accepted.entries()) {
      const call = results[place];
      if (call instanceof Error) failed.push(failedItem(index, call));
      // The call was deleted in between, or is older than the retention of calls.
      else if (!call) failed.push(failedItem(index, noSuchCall(callId)));
      else recorded.push({ index, callId, revoked: (outcome?.revocation && call.phone !== undefined) || undefined });
    }
    return { recorded, failed: failed.sort((a, b) => a.index - b.index) };
  },
});

export const handler = lambda(recordCalls);
