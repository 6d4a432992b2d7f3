import * as z from 'zod/mini';
import {
  CallOutcomeChange,
  fieldsOf,
  MetadataMode,
  outcomeFields,
  Preference,
  toCallReference,
  withOutcome,
} from '../domain/calls.ts';
import { now } from '../domain/date-time.ts';
import { ApiError, insufficientPermissions, noSuchCall } from '../domain/errors.ts';
import { limits } from '../domain/limits.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { check } from '../http/read-form.ts';
import { calls } from '../store/calls.ts';
import { keyring } from '../store/keyring.ts';

const Item = z.extend(CallOutcomeChange, {
  agentId: z.string(),
  callIdOrPhone: z.string(),
  preference: z._default(Preference, 'last'),
  metadataMode: z._default(MetadataMode, 'replace'),
});

/** Sets the outcomes of many calls. A malformed item, or one whose call is missing or foreign, fails alone. */
export const updateCallOutcomes = endpoint({
  name: 'updateCallOutcomes',
  method: 'POST',
  path: '/call-outcomes',
  summary: 'Set the outcomes of many calls',
  caller: { kind: 'key', scope: 'calls' },
  may: ['dynamodb:BatchGetItem', 'dynamodb:DeleteItem', 'dynamodb:GetItem', 'dynamodb:PutItem', 'dynamodb:Query'],
  uses: { calls, keyring },
  body: z.object({
    items: z
      .array(z.unknown())
      .check(z.minLength(1), z.maxLength(limits.outcomesPerRequest), z.describe('1 to 1,000 changes.')),
  }),
  response: z.object({
    updated: z.array(
      z.object({
        index: z.number(),
        call_id: z.string(),
        agent_id: z.string(),
        phone: z.string(),
        updated_fields: z.array(z.enum(outcomeFields)),
      }),
    ),
    failed: z.array(z.object({ index: z.number(), error: z.string(), message: z.string() })),
  }),
  errors: { 400: 'There is no item, or there are more than 1,000.', 401: 'The key is unknown, or not for calls.' },

  async handle({ body, holder }, { calls, keyring }) {
    const items = body.items.map((item) => check(Item, item));
    const access = await keyring.accessTo(items.flatMap(({ data }) => data?.agentId ?? []));
    const refusals = items.map(({ data, refusal }) => {
      if (refusal) return refusal;
      return access.get(data.agentId)?.has(holder.uid) ? undefined : insufficientPermissions();
    });
    const at = now();
    const targets = items.flatMap(({ data }, index) => {
      if (!data || refusals[index]) return [];
      const { agentId, callIdOrPhone, preference, metadataMode } = data;
      return {
        index,
        item: data,
        agentId,
        reference: toCallReference(callIdOrPhone, preference),
        change: (call: Parameters<typeof withOutcome>[0] | undefined) =>
          call && withOutcome(call, data, metadataMode, holder.keyId, at),
      };
    });
    const results = await calls.changeMany(targets);
    const updated = targets.flatMap(({ index, item }, place) => {
      const call = results[place];
      if (!call || call instanceof Error) {
        refusals[index] = call instanceof ApiError ? call : call ? notDone() : noSuchCall(item.callIdOrPhone);
        return [];
      }
      const { callId, agentId, phone } = call;
      return { index, call_id: callId, agent_id: agentId, phone, updated_fields: fieldsOf(item) };
    });
    const failed = refusals.flatMap((refusal, index) =>
      refusal ? { index, error: refusal.code, message: refusal.message } : [],
    );
    return { updated, failed };
  },
});

const notDone = () => new ApiError('internal_error', 'This outcome could not be set. Send it again later.');

export const handler = lambda(updateCallOutcomes);
