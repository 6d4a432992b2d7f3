import type { Attestation } from '../../domain/attestations.ts';
import type { CallFacts } from '../../domain/calls.ts';
import type { CustomResponse } from '../../domain/custom-response.ts';
import { isJsonObject } from '../../domain/json.ts';
import { parseVersion } from '../../domain/version-number.ts';
import type { Overrides } from '../overrides.ts';
import type { VerifySignature } from '../secrets/signatures.ts';

/** A request of a voice platform: the fields of its body, and the query of its address. */
export type HookRequest = { body: Record<string, unknown>; query: Record<string, string | undefined> };

/** An inbound call, or an outbound call that is about to start. */
type CallStart = {
  type: 'start';
  /** Unique within the platform, where it sends an id with a start. */
  callId: string | undefined;
  direction: 'inbound' | 'outbound';
  from: string | undefined;
  to: string | undefined;
  /** What the carrier attests of the caller's number, if the platform reports it. */
  attestation?: Attestation;
};

/** A call that ended, with the facts that the platform reports. `callId` is unique within the platform. */
export type CallEnd = {
  type: 'end';
  callId: string;
  direction: 'inbound' | 'outbound';
  from: string | undefined;
  to: string | undefined;
  attestation?: Attestation;
  /** The facts of the call, without a start when the platform sends none. */
  facts: Omit<CallFacts, 'phone' | 'agentPhone' | 'direction' | 'startedAt' | 'details'> & {
    startedAt?: string;
    details: CallDetails;
  };
  /** The fields that the platform found, by name, if it sends any. They may include an outcome. */
  findings: Record<string, unknown> | undefined;
  /** What the other party said, if the platform sends a transcript. It is only counted: nothing of it is stored or logged. */
  callerTexts?: string[];
};

/** Details of a call that a platform reports. */
export type CallDetails = {
  attestation?: Attestation;
  endReason?: string;
  recordingUrl?: string;
  summary?: string;
  /** The platform’s analysis of the call, as sent. */
  analysis?: Record<string, unknown>;
  cost?: { amount: number; currency: 'USD' | 'credits' };
};

/**
 * A search of the agent's knowledge during a call: the queries of the tool `search_knowledge`. A tool call without a
 * query has undefined.
 */
type KnowledgeSearches = {
  type: 'searches';
  direction: 'inbound' | 'outbound';
  from: string | undefined;
  to: string | undefined;
  queries: (string | undefined)[];
};

/** An event. `other` has no meaning for this service. */
export type HookEvent = CallStart | CallEnd | KnowledgeSearches | { type: 'other' };

/** The name of the tool with which a platform's agent searches the knowledge. */
export const searchTool = 'search_knowledge';

/** The result of a search as text for the platform's model, or the reason why there is none. */
export type SearchAnswer = { text: string; error?: never } | { error: string; text?: never };

/** The decision on a start. An accepted call gets variables, and overrides if the hook's address requests them. */
type HookDecision = { accept: boolean; variables: Record<string, string>; overrides?: Overrides };

/** A voice platform: reads its events, and forms the responses that it understands. All functions are pure. */
export type Platform = {
  /** The headers in which the platform sends its signature or, unless a user names another header, its secret. */
  signatureHeaders: string[];
  /** Verifies that a request was signed with the user's secret. */
  verify: VerifySignature;
  read(request: HookRequest): HookEvent;
  /** Returns the query parameter without which a start cannot be accepted, if this start needs one. */
  needs?(request: HookRequest): 'next' | 'assistantId' | undefined;
  decide(decision: HookDecision, request: HookRequest): CustomResponse;
  /** Returns the response to searches, in the order of their queries. */
  answer?(answers: SearchAnswer[], request: HookRequest): CustomResponse;
  /** Returns the response to an event that needs no decision. */
  acknowledge(): CustomResponse;
};

export const jsonResponse = (body: object, status = 200): CustomResponse => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(body),
});

/** Returns an object that has fields; undefined for an empty one. */
export const unlessEmpty = (object: Record<string, unknown>) => (Object.keys(object).length === 0 ? undefined : object);

/**
 * Returns a cost with at most six decimals, if the platform sends one. `shift` moves the decimal point exactly: -2 for
 * cents.
 */
export const toCost = (amount: number | undefined, currency: 'USD' | 'credits', shift = 0): CallDetails['cost'] => {
  const millionths = amount === undefined ? Number.NaN : Math.round(movePoint(amount, 6 + shift));
  return Number.isFinite(millionths) ? { amount: movePoint(millionths, -6), currency } : undefined;
};

const movePoint = (value: number, places: number): number => {
  const [digits, exponent] = value.toExponential().split('e');
  return Number(`${digits}e${Number(exponent) + places}`);
};

/** Returns true if a body without an event calls the search tool. Recognizes it by its name or, without a name, by its query. */
export const isSearch = (body: Record<string, unknown>): boolean => {
  const name = textAt(body, 'name') ?? textAt(body, 'tool_name');
  return name === undefined ? textAt(body, 'query') !== undefined : name === searchTool;
};

/** Returns the response to one search of a platform whose model reads any JSON object. */
export const searchResponse = ([answer]: SearchAnswer[]): CustomResponse =>
  jsonResponse(answer?.error === undefined ? { result: answer?.text } : { error: answer.error });

/** Returns the object in a field; an empty one where there is none. Platforms send any type in any field. */
export const objectAt = (body: Record<string, unknown>, name: string): Record<string, unknown> => {
  const value = body[name];
  return isJsonObject(value) ? value : {};
};

export const textAt = (body: Record<string, unknown>, name: string): string | undefined => {
  const value = body[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Returns the number in a field. Programs that pass events on write numbers as texts. */
export const numberAt = (body: Record<string, unknown>, name: string): number | undefined => {
  const value = body[name];
  const number = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

/** Returns the time in a field, which is a text or Unix milliseconds. */
export const timeAt = (body: Record<string, unknown>, name: string): string | undefined =>
  toIsoTime(numberAt(body, name) ?? textAt(body, name));

/**
 * Returns the texts of the other party in a transcript. Each entry has a `role`, and its words in the field `text`.
 * Undefined without a transcript.
 */
export const readCallerTexts = (transcript: unknown, text: 'content' | 'message'): string[] | undefined =>
  Array.isArray(transcript)
    ? transcript.filter(isJsonObject).flatMap((one) => (one.role === 'user' ? (textAt(one, text) ?? []) : []))
    : undefined;

/** Returns the version of the agent among the variables that a platform sends back with the end of a call. */
export const readAgentVersion = (...variables: Record<string, unknown>[]): number | undefined => {
  const value = variables.map(({ agent_version }) => agent_version).find((one) => one !== undefined);
  return typeof value === 'string' || typeof value === 'number' ? parseVersion(String(value)) : undefined;
};

/** Returns an ISO 8601 time from a text or Unix milliseconds; undefined for anything else. */
export const toIsoTime = (value: string | number | undefined): string | undefined => {
  if (value === undefined) return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
};
