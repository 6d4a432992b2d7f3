import type { Agent } from '../domain/agents.ts';
import { blockingOf, type Call, CallOutcomeChange, outcomeFields, withOutcome } from '../domain/calls.ts';
import { now } from '../domain/date-time.ts';
import { isJsonObject, parseJson } from '../domain/json.ts';
import { limits } from '../domain/limits.ts';
import { validate } from '../domain/validation.ts';
import type { LocatedAgent } from './call-starts.ts';
import type { PlatformName } from './platforms.ts';

/** Returns the outcome that a platform found: the change to the call, the resulting block, and the errors of its fields. */
export const foundOutcome = (
  findings: Record<string, unknown>,
  { platform, agentId, owner, uid }: LocatedAgent & { platform: PlatformName; uid: string },
  agent: Agent | undefined,
) => {
  const { blockOnOutcomes = [], outcomeFrom } = agent?.configuration ?? {};
  const { change, errors } = outcomeIn(findings, outcomeFrom);
  return {
    change: (call: Call) => withFindings(call, platform, change),
    block: blockingOf(change, { agentId, owner, blockOnOutcomes }, uid),
    errors,
  };
};

/**
 * Returns the outcome among the fields that a platform found for a call, and the errors of invalid fields.
 * A field without a value is not a finding.
 */
const outcomeIn = (
  findings: Record<string, unknown>,
  outcomeFrom: Agent['configuration']['outcomeFrom'] = {},
): { change: CallOutcomeChange; errors: string[] } => {
  const fieldAt = (name: string | undefined) =>
    name !== undefined && Object.hasOwn(findings, name) ? (findings[name] ?? undefined) : undefined;
  const found: Record<(typeof outcomeFields)[number], unknown> = {
    custom_call_outcome: fieldAt(outcomeFrom.outcome) ?? fieldAt('custom_call_outcome'),
    custom_call_outcome_value: fieldAt(outcomeFrom.value) ?? fieldAt('custom_call_outcome_value'),
    custom_call_metadata: objectOf(fieldAt('custom_call_metadata')),
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

/** Returns the object that a text holds: platforms whose fields are only texts and numbers send metadata in this form. */
const objectOf = (value: unknown): unknown => {
  if (typeof value !== 'string' || value.length > limits.metadataBytes) return value;
  try {
    const parsed = parseJson(value);
    return isJsonObject(parsed) ? parsed : value;
  } catch {
    return value;
  }
};

const historyPrefix = 'hook:';

/**
 * Returns a call with the outcome that a platform found. Fields that another writer has set or cleared do not change: the outcome
 * and its value together, and the metadata separately.
 */
const withFindings = (call: Call, platform: PlatformName, change: CallOutcomeChange): Call => {
  if (isOthers(call, 'custom_call_outcome') || isOthers(call, 'custom_call_outcome_value')) return call;
  const { custom_call_metadata, ...others } = change;
  const own = isOthers(call, 'custom_call_metadata') ? others : change;
  return withOutcome(call, own, 'replace', `${historyPrefix}${platform}`, now());
};

/** Returns true if another writer last set or cleared a field. A field with a value counts as set even if its history lacks it. */
const isOthers = (call: Call, field: (typeof outcomeFields)[number]): boolean => {
  const last = call.outcomeHistory?.findLast(({ fields }) => fields.includes(field));
  return last ? !last.keyId.startsWith(historyPrefix) : call[field] !== undefined;
};
