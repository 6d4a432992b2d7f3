import { decideOutcome, keyIdOfPlatform } from '../domain/call-outcomes.ts';
import { CallOutcomeChange, outcomeFields } from '../domain/calls.ts';
import { now } from '../domain/date-time.ts';
import { isJsonObject, parseJson } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { cut } from '../domain/text.ts';
import { validate } from '../domain/validation.ts';
import type { PlatformName } from '../domain/voice-platforms.ts';
import type { LocatedAgent, OutcomeSettings } from './call-starts.ts';

/** The fields that a platform found, and the other party's words. */
type Findings = { fields: Record<string, unknown>; callerTexts?: readonly string[] };

/** Returns the found outcome as the agent decides, and the errors of invalid fields. */
export const foundOutcome = (
  { fields, callerTexts }: Findings,
  { platform, agentId, owner, uid }: LocatedAgent & { platform: PlatformName; uid: string },
  { outcomeFrom, outcomeRules }: OutcomeSettings,
) => {
  const { change, errors } = readOutcome(fields, outcomeFrom, outcomeRules);
  const origin = { uid, keyId: keyIdOfPlatform(platform), at: now(), found: { callerTexts } };
  return { ...decideOutcome(change, { agentId, owner, outcomeRules }, origin), errors };
};

/** Returns the outcome among found fields that have a value, and the errors of invalid fields. */
const readOutcome = (
  findings: Record<string, unknown>,
  outcomeFrom: OutcomeSettings['outcomeFrom'] = {},
  { outcomes }: OutcomeSettings['outcomeRules'],
): { change: CallOutcomeChange; errors: string[] } => {
  const findField = (name: string | undefined) =>
    name !== undefined && Object.hasOwn(findings, name) ? (findings[name] ?? undefined) : undefined;
  const label = findField(outcomeFrom.outcome) ?? findField('custom_call_outcome');
  const found: Record<(typeof outcomeFields)[number], unknown> = {
    // No agent declares a sentence, which it refuses with its beginning.
    custom_call_outcome: outcomes && typeof label === 'string' ? labelWithin(label) : label,
    custom_call_outcome_value: findField(outcomeFrom.value) ?? findField('custom_call_outcome_value'),
    custom_call_metadata: parseMetadata(findField('custom_call_metadata')),
  };
  const change: CallOutcomeChange = {};
  const errors: string[] = [];
  for (const field of outcomeFields) {
    if (found[field] === undefined) continue;
    const { data, error } = validate(CallOutcomeChange, { [field]: found[field] });
    if (error) errors.push(error.message);
    else Object.assign(change, data);
  }
  return { change, errors };
};

const labelWithin = (label: string) =>
  cut(label.slice(0, 2 * limits.outcomeCharacters).toWellFormed(), limits.outcomeCharacters);

/** Returns the object in a text: some platforms have only texts and numbers. */
const parseMetadata = (value: unknown): unknown => {
  if (typeof value !== 'string' || value.length > limits.metadataBytes) return value;
  try {
    const parsed = parseJson(value);
    return isJsonObject(parsed) ? parsed : value;
  } catch {
    return value;
  }
};
