import { isDeepStrictEqual } from 'node:util';
import * as z from 'zod/mini';
import { DateTime } from './date-time.ts';
import { invalidField } from './errors.ts';
import { Identifier } from './identifiers.ts';
import { isDeeperThan, jsonBytes } from './json.ts';
import { limits } from './limits.ts';
import { isPhoneNumber, PhoneNumber, restorePlus } from './phone-numbers.ts';
import { text } from './text.ts';

/** Which call of a phone number is meant: the earliest or the most recent. */
export const Preference = z.enum(['first', 'last']);
export type Preference = z.infer<typeof Preference>;

/** The facts of a call, as PUT records or corrects them. */
export const CallFacts = z.object({
  phone: PhoneNumber.check(z.describe('The other party’s number.')),
  direction: z.enum(['inbound', 'outbound']),
  startedAt: DateTime,
  endedAt: z.optional(DateTime),
  durationSeconds: z.optional(z.number().check(z.nonnegative())),
  status: z.optional(text(1, 64)),
});
export type CallFacts = z.infer<typeof CallFacts>;

const isJsonObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

const sizeError = `must be at most ${limits.metadataBytes} bytes of JSON`;
const depthError = `must nest at most ${limits.metadataDepth} levels deep`;

/** Free-form metadata. Handed on as it came, not rebuilt: every key and value comes back as sent. */
export const CallMetadata = z.custom<Record<string, unknown>>(isJsonObject, { error: 'must be an object' }).check(
  z.refine((value) => jsonBytes(value) <= limits.metadataBytes, { error: sizeError }),
  z.refine((value) => !isDeeperThan(value, limits.metadataDepth), { error: depthError }),
);

/** The outcome fields of a call (contract 2.6). */
export const CallOutcome = z.object({
  custom_call_outcome: z.optional(text(0, limits.outcomeCharacters)),
  custom_call_outcome_value: z.optional(z.number()),
  custom_call_metadata: z.optional(CallMetadata),
});
export type CallOutcome = z.infer<typeof CallOutcome>;

/** A change of outcome fields: a field given replaces the former one, `null` clears it, the others stay. */
export const CallOutcomeChange = z.object({
  custom_call_outcome: z.optional(z.nullable(text(0, limits.outcomeCharacters))),
  custom_call_outcome_value: z.optional(z.nullable(z.number())),
  custom_call_metadata: z.optional(z.nullable(CallMetadata)),
});
export type CallOutcomeChange = z.infer<typeof CallOutcomeChange>;

/** Whether metadata replaces what was there, or is merged into it by top-level key. */
export const MetadataMode = z.enum(['replace', 'merge']);
export type MetadataMode = z.infer<typeof MetadataMode>;

/** The outcome fields, in the order of the contract. */
export const outcomeFields = ['custom_call_outcome', 'custom_call_outcome_value', 'custom_call_metadata'] as const;

export const Call = z.object({
  callId: Identifier,
  agentId: Identifier,
  ...CallFacts.shape,
  ...CallOutcome.shape,
  outcomeUpdatedAt: z.optional(z.string()),
  outcomeHistory: z.optional(
    z.array(z.object({ at: z.string(), keyId: z.string(), fields: z.array(z.enum(outcomeFields)) })),
  ),
});
export type Call = z.infer<typeof Call>;

/** The call with its facts recorded or corrected, and its outcome as it was. The same facts again are the same call. */
export const withFacts = (found: Call | undefined, agentId: string, callId: string, facts: CallFacts): Call => {
  const former = Object.entries(found ?? {}).filter(([name]) => !(name in CallFacts.shape));
  const call = { ...Object.fromEntries(former), agentId, callId, ...facts };
  return found && isDeepStrictEqual(call, found) ? found : call;
};

/** How a request names a call: by its id, or as the first or last one with a phone number. */
export type CallReference = { callId: string } | { phone: string; preference: Preference };

/** Reads `callIdOrPhone`. A number whose `+` a client turned into a space is a number. */
export const toCallReference = (callIdOrPhone: string, preference: Preference): CallReference => {
  const phone = restorePlus(callIdOrPhone);
  return isPhoneNumber(phone) ? { phone, preference } : { callId: callIdOrPhone };
};

/** The fields a change names, in the order of the contract. */
export const fieldsOf = (change: CallOutcomeChange) => outcomeFields.filter((field) => change[field] !== undefined);

/** The call with its outcome changed, and the change remembered among the last twenty. */
export const withOutcome = (
  call: Call,
  change: CallOutcomeChange,
  mode: MetadataMode,
  keyId: string,
  at: string,
): Call => {
  const fields = fieldsOf(change);
  if (fields.length === 0) return call;
  const changed: Call = { ...call, outcomeUpdatedAt: at };
  for (const field of fields) {
    const value = change[field];
    if (value === null) delete changed[field];
    else if (field === 'custom_call_metadata' && mode === 'merge')
      changed[field] = merged(call[field], value as object);
    else Object.assign(changed, { [field]: value });
  }
  changed.outcomeHistory = [...(call.outcomeHistory ?? []), { at, keyId, fields }].slice(-limits.outcomeHistory);
  return changed;
};

/** Two documents merged by top-level key stay within the limits of one. */
const merged = (former: object | undefined, added: object) => {
  const metadata = { ...former, ...added } as Record<string, unknown>;
  if (jsonBytes(metadata) > limits.metadataBytes) throw invalidField('custom_call_metadata', `${sizeError}, merged`);
  return metadata;
};
