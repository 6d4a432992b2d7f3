import {
  type Call,
  type CallItem,
  type CallOutcomeChange,
  listOutcomeFields,
  type MetadataMode,
  metadataSizeError,
  outcomeFields,
} from './calls.ts';
import type { NamedKey } from './change-maker.ts';
import type { DeclaredOutcome, OutcomeRules } from './declared-outcomes.ts';
import { invalidField, unknownOutcome } from './errors.ts';
import { jsonBytes, mergeJson } from './json.ts';
import { limits } from './limits.ts';
import { isSameLabel } from './outcome-labels.ts';
import { hasWords } from './text.ts';
import { toStoredTranscript } from './transcripts.ts';

/** The agent of a call: its owner, and its rules for outcomes. */
export type AgentOfCall = { agentId: string; owner: string; outcomeRules: OutcomeRules };

/** Who changes an outcome, and when. `found`: a voice platform found the outcome in a call in which the other party said this. */
type Origin = NamedKey & {
  uid: string;
  at: string;
  mode?: MetadataMode;
  found?: { callerTexts?: readonly string[] };
};

/** The label that the service last refused. The details, which also have it, may be the words of a caller. */
export type RefusedOutcome = { refusedOutcome?: string };

/** What a change of an outcome does. */
export type OutcomeEffect = {
  /** Returns the call after the change, or the same call if nothing changes. */
  change: (call: Call) => Call;
  /** The list on which the call's number is put if the outcome is set, and the reason. */
  block?: { owner: { uid: string } | { agentId: string }; reason: string };
  /** The user whose consents of the call's number are revoked if the outcome is set. */
  revocation?: { uid: string; outcome: string };
  /** Returns the fields that the change sets or clears, in the order of responses, for the call after it. */
  fields: (call: Call) => ReturnType<typeof listOutcomeFields>;
};

/** Checks whether setting an outcome also writes something about the number of the call, in the same transaction. */
export const concernsNumber = ({ block, revocation }: { block?: object; revocation?: object }): boolean =>
  block !== undefined || revocation !== undefined;

/** What the agent says about an outcome. */
type Rule = DeclaredOutcome & { blocks: NonNullable<DeclaredOutcome['blocks']> };

/** Decides whether an outcome is set, held or refused, and what it does to the number. Undeclared labels throw. */
export const decideOutcome = (
  sent: CallOutcomeChange,
  { agentId, owner, outcomeRules }: AgentOfCall,
  { uid, at, mode = 'replace', found, ...key }: Origin,
): OutcomeEffect => {
  const { custom_call_outcome: label } = sent;
  const rule = typeof label === 'string' ? findOutcomeRule(label, outcomeRules) : undefined;
  if (rule === 'undeclared') {
    if (!found) throw unknownOutcome(outcomeRules.outcomes?.map(({ name }) => name) ?? []);
    return { change: (call) => withRefusal(call, label as string), fields: () => [] };
  }
  const change = rule ? { ...sent, custom_call_outcome: rule.name } : sent;
  const set = (call: Call, change: CallOutcomeChange) =>
    withOutcome(call, call.custom_call_outcome_value === undefined ? withValue(change, rule) : change, mode, key, at);
  const applies = (how: DeclaredOutcome['blocks']) => how === 'found' || (how === 'set' && !found);
  return {
    change: (call) => (found ? withFinding(call, change, { rule, set, ...found }) : set(call, change)),
    block:
      rule && applies(rule.blocks) ? { owner: uid === owner ? { uid } : { agentId }, reason: rule.name } : undefined,
    revocation: rule && applies(rule.revokes) ? { uid: owner, outcome: rule.name } : undefined,
    fields: (call) =>
      listOutcomeFields(call.custom_call_outcome_value === rule?.value ? withValue(change, rule) : change),
  };
};

const findOutcomeRule = (label: string, { outcomes, blockOnOutcomes = [] }: OutcomeRules): Rule | 'undeclared' => {
  const declared: DeclaredOutcome | undefined = outcomes
    ? outcomes.find(({ name }) => isSameLabel(name, label))
    : { name: label };
  if (!declared) return 'undeclared';
  const isBlockedOn = blockOnOutcomes.some((one) => isSameLabel(one, label));
  const { blocks = 'never' } = declared;
  return { ...declared, blocks: blocks === 'never' && isBlockedOn ? 'set' : blocks };
};

/** Returns a change with the value that the agent declares for the outcome, unless it has a value or clears it. */
const withValue = (change: CallOutcomeChange, rule: Rule | undefined): CallOutcomeChange =>
  change.custom_call_outcome_value === undefined && rule?.value !== undefined
    ? { ...change, custom_call_outcome_value: rule.value }
    : change;

/** Returns a call with its outcome and history changed. The same values return the same call. */
export const withOutcome = (
  call: Call,
  change: CallOutcomeChange,
  mode: MetadataMode,
  { keyId, keyName }: NamedKey,
  at: string,
): Call => {
  const fields = listOutcomeFields(change);
  if (fields.length === 0) return call;
  const changed: Call = { ...call };
  for (const field of fields) {
    const value = change[field];
    if (value === null) delete changed[field];
    else if (field === 'custom_call_metadata' && mode === 'merge')
      changed[field] = mergeMetadata(call[field], value as object);
    else Object.assign(changed, { [field]: value });
  }
  if (fields.includes('custom_call_outcome')) delete changed.heldOutcome;
  if ([...outcomeFields, 'heldOutcome' as const].every((field) => isSameJson(call[field], changed[field]))) return call;
  const { custom_call_outcome, custom_call_outcome_value } = change;
  const entry = { at, keyId, keyName, fields, custom_call_outcome, custom_call_outcome_value };
  const outcomeHistory = [...(call.outcomeHistory ?? []), entry].slice(-limits.outcomeHistory);
  return { ...changed, outcomeUpdatedAt: at, outcomeHistory };
};

/** Compares values in their written form, in which they are stored. */
const isSameJson = (one: unknown, other: unknown) => JSON.stringify(one) === JSON.stringify(other);

/** Merges two documents by top-level key. Throws if the result exceeds the limits of a document. */
const mergeMetadata = (former: object | undefined, added: object) => {
  const metadata = mergeJson(former ?? {}, added) as Record<string, unknown>;
  if (jsonBytes(metadata) > limits.metadataBytes)
    throw invalidField('custom_call_metadata', `${metadataSizeError}, merged`);
  return metadata;
};

/** Returns a call with the found outcome, or holds it. Fields that somebody set do not change. */
const withFinding = (
  call: Call,
  change: CallOutcomeChange,
  finding: {
    rule: Rule | undefined;
    callerTexts?: readonly string[];
    set: (call: Call, change: CallOutcomeChange) => Call;
  },
): Call => {
  if (isDecided(call)) return call;
  const { custom_call_metadata, ...others } = change;
  const own = isSetBySomebody(call, 'custom_call_metadata') ? others : change;
  const causes = finding.rule ? unmetConditions(finding.rule, call, finding.callerTexts) : [];
  if (causes.length === 0) return finding.set(call, own);
  const heldOutcome = { ...own, causes } as NonNullable<Call['heldOutcome']>;
  const isKnown = call.custom_call_outcome === heldOutcome.custom_call_outcome;
  return isKnown || isSameJson(call.heldOutcome, heldOutcome) ? call : { ...call, heldOutcome };
};

/** Returns the conditions of an outcome that a call does not meet. An unknown duration, and words without a transcript, meet none. */
const unmetConditions = (
  { found: { minSeconds, minCallerWords } = {} }: Rule,
  { startedAt, endedAt, durationSeconds = (Date.parse(endedAt ?? '') - Date.parse(startedAt)) / 1000 }: Call,
  callerTexts?: readonly string[],
) => {
  const isLong = minSeconds === undefined || durationSeconds >= minSeconds;
  const isSpoken = minCallerWords === undefined || (callerTexts !== undefined && hasWords(callerTexts, minCallerWords));
  return [...(isLong ? [] : ['too_short' as const]), ...(isSpoken ? [] : ['too_few_words' as const])];
};

/** Returns a call whose details name the outcome that the agent does not declare, as far as the text fits into them. */
const withRefusal = (call: Call & RefusedOutcome, refusedOutcome: string): Call & RefusedOutcome => {
  const isRefused = [call.refusedOutcome, call.details?.refusedOutcome].every((label) => label === refusedOutcome);
  if (isDecided(call) || isRefused) return call;
  const details = mergeJson(call.details ?? {}, { refusedOutcome }) as Record<string, unknown>;
  return jsonBytes(details) > limits.metadataBytes ? call : { ...call, details, refusedOutcome };
};

/** The prefix of the key id of an outcome that a voice platform found. */
const platformPrefix = 'hook:';

/** Returns the key id under which the history lists what a platform found. */
export const keyIdOfPlatform = (platform: string) => `${platformPrefix}${platform}`;

/** Checks whether the outcome or its value is the word of somebody. A platform does not change it. */
const isDecided = (call: Call) =>
  isSetBySomebody(call, 'custom_call_outcome') || isSetBySomebody(call, 'custom_call_outcome_value');

/** Checks whether somebody last set or cleared a field. A field with a value counts as set even if its history lacks it. */
const isSetBySomebody = (call: Call, field: (typeof outcomeFields)[number]): boolean => {
  const last = call.outcomeHistory?.findLast(({ fields }) => fields.includes(field));
  return last ? !last.keyId.startsWith(platformPrefix) : call[field] !== undefined;
};

/** Splits an item into its facts and, if it names one, its outcome. Throws for a label that the agent does not declare. */
export const toRecording = (
  {
    agentId,
    callId,
    transcript,
    custom_call_outcome,
    custom_call_outcome_value,
    custom_call_metadata,
    ...facts
  }: CallItem,
  { owner, outcomeRules, discloses }: Omit<AgentOfCall, 'agentId'> & { discloses?: boolean },
  origin: Origin,
) => {
  const sent = { custom_call_outcome, custom_call_outcome_value, custom_call_metadata };
  const outcome = decideOutcome(sent, { agentId, owner, outcomeRules }, origin);
  return {
    agentId,
    callId,
    facts,
    discloses,
    hasHistory: outcomeRules.hasHistory,
    transcript: toStoredTranscript(transcript, 'api', outcomeRules.transcripts),
    outcome: listOutcomeFields(sent).length > 0 ? outcome : undefined,
  };
};
