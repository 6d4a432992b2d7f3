import * as z from 'zod/mini';
import { blockingOf, type Call, CallItem, factsIn, fieldsOf, withOutcome } from '../domain/calls.ts';
import { now } from '../domain/date-time.ts';
import { describe } from '../domain/describe.ts';
import { insufficientPermissions, noSuchCall } from '../domain/errors.ts';
import { examples } from '../domain/examples.ts';
import { limits } from '../domain/limits.ts';
import { list } from '../domain/list.ts';
import { FailedItem, failedItem, ItemIndex } from '../domain/request-items.ts';
import { validate } from '../domain/validation.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { lastTableCallAt } from '../http/last-table-call.ts';
import { calls } from '../store/calls/calls.ts';
import { credentials } from '../store/credentials.ts';

/** Records many calls and sets their outcomes. A malformed item, or one of a foreign agent, fails alone. */
export const recordCalls = endpoint({
  name: 'recordCalls',
  method: 'POST',
  path: '/calls',
  summary: 'Record many calls',
  description:
    'Records up to 1,000 calls in one request, of any agents that the user of the API key may use, and sets the outcomes that are given: as `PUT` and `PATCH /calls/{agentId}/{callIdOrPhone}` one by one. Items are processed independently: one that is invalid is in `failed`, and so is, as `temporarily_unavailable`, one that was not carried out before the response was due. Sending the same items again changes nothing.',
  caller: { kind: 'key', scope: 'calls' },
  services: { calls: calls.for('recordMany', 'setOutcomes'), credentials: credentials.for('accessTo') },
  body: z.object({
    items: list(z.unknown().check(z.meta({ documentAs: CallItem })), { min: 1, max: limits.callsPerRequest }).check(
      z.describe('1 to 1,000 calls to record.'),
    ),
  }),
  response: z
    .object({
      recorded: z
        .array(
          z.object({
            index: ItemIndex,
            callId: z.string().check(describe('Id of the call.', examples.callId)),
          }),
        )
        .check(z.describe('The items that were recorded, in the order sent.')),
      failed: z.array(FailedItem).check(z.describe('The items that were not, in the order sent.')),
    })
    .check(z.describe('The result of each item.')),
  errorDescriptions: { 400: 'There is no item, or there are more than 1,000.' },

  async handle({ body, principal, receivedAt }, { calls, credentials }) {
    const until = lastTableCallAt(receivedAt);
    const checked = body.items.map((item) => validate(CallItem, item));
    const access = await credentials.accessTo(checked.flatMap(({ data }) => data?.agentId ?? []));
    const failures: (Error | undefined)[] = checked.map(({ data, error }) =>
      error || access.get(data.agentId)?.has(principal.uid) ? error : insufficientPermissions(),
    );
    const accepted = checked.flatMap(({ data }, index) => (data && !failures[index] ? [{ index, item: data }] : []));
    const recorded = await calls.recordMany(
      accepted.map(({ item }) => factsIn(item)),
      until,
    );
    for (const [place, { index }] of accepted.entries()) {
      const result = recorded[place];
      if (result instanceof Error) failures[index] = result;
    }
    const at = now();
    const withOutcomes = accepted.filter(({ index, item }) => !failures[index] && fieldsOf(item).length > 0);
    const updated = await calls.setOutcomes(
      withOutcomes.map(({ item }) => {
        const { agentId, callId } = item;
        const { owner: uid = '', blockOnOutcomes = [] } = access.get(agentId) ?? {};
        const change = (call: Call) => withOutcome(call, item, 'replace', principal.keyId, at);
        return { agentId, reference: { callId }, change, block: blockingOf(item, { uid, blockOnOutcomes }) };
      }),
      until,
    );
    for (const [place, { index, item }] of withOutcomes.entries()) {
      const result = updated[place];
      // Deleted in between, or older than calls are kept.
      failures[index] = result instanceof Error ? result : result ? undefined : noSuchCall(item.callId);
    }
    return {
      recorded: accepted.flatMap(({ index, item: { callId } }) => (failures[index] ? [] : [{ index, callId }])),
      failed: failures.flatMap((error, index) => (error ? [failedItem(index, error)] : [])),
    };
  },
});

export const handler = lambda(recordCalls);
