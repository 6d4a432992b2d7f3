import type { Attestation } from '../../domain/attestations.ts';
import type { CallFacts } from '../../domain/calls.ts';
import type { CustomResponse } from '../../domain/custom-response.ts';
import { isJsonObject } from '../../domain/json.ts';
import type { Turn } from '../../domain/transcripts.ts';
import { parseVersion } from '../../domain/version-number.ts';
import { jsonResponse } from '../../http/response.ts';
import type { Overrides } from '../overrides.ts';
import type { VerifySignature } from '../secrets/signatures.ts';

/** A request of a voice platform: its body's fields, and its query. */
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

/** A call that ended, as reported. `callId` is unique within the platform. */
export type CallEnd = {
  type: 'end';
  callId: string;
  /** The place of the event among those of its call. Without one, it is the last that arrived. */
  order?: number;
  direction: 'inbound' | 'outbound';
  from: string | undefined;
  to: string | undefined;
  attestation?: Attestation;
  /** The facts of the call, without a start when the platform sends none. */
  facts: Omit<CallFacts, 'phone' | 'agentPhone' | 'direction' | 'startedAt' | 'details'> & {
    startedAt?: string;
    details: CallDetails;
  };
  /** The fields that the platform found, perhaps with an outcome. */
  findings: Record<string, unknown> | undefined;
  /** What was said, if the platform sent a transcript. It is never logged. */
  turns?: Turn[];
};

/** Details of a call that a platform reports. */
export type CallDetails = {
  attestation?: Attestation;
  endReason?: string;
  recordingUrl?: string;
  summary?: string;
  /** The platform’s analysis of the call, as sent. */
  analysis?: Record<string, unknown>;
  cost?: { amount: number; currency: string };
  /** The call was found in the platform's list of calls. */
  source?: 'reconciled';
};

/** Queries of the tool `search_knowledge` during a call; undefined if a tool call has none. */
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

/** The result of a search for the platform's model, or its error. */
export type SearchAnswer = { text: string; error?: never } | { error: string; text?: never };

/** The decision on a start. Only an accepted call gets variables, and overrides on request. */
type HookDecision = { accept: boolean; variables: Record<string, string>; overrides?: Overrides };

type PlatformParameter = 'next' | 'assistantId' | 'overrides';

/** The secret by which the requests of a platform are recognized, as the user sets it. */
type PlatformSecret = {
  /** The field that has the secret: with a public key, the platform alone can sign. */
  field: 'secret' | 'publicKey';
  /** The headers of the platform's signature, or of its secret by default. */
  headers: string[];
  /** What is in the header that the user may choose, and the name that it has otherwise. */
  customHeader?: { holds: string; name: string };
  /** The user may choose the hash of the signature. */
  hasAlgorithm?: true;
  /** The signature covers names without separators, so that the user's own names must be known. */
  hasParameters?: true;
};

/** A voice platform: its events and responses. All functions are pure. */
export type Platform = {
  secret: PlatformSecret;
  /** The parameters of the query that the platform has a use for. */
  parameters: readonly PlatformParameter[];
  /** Verifies that a request was signed with the user's secret. */
  verify: VerifySignature;
  read(request: HookRequest): HookEvent;
  /** Returns the body of a request that reports the start of a call: nobody's call warms the function. */
  makeUpStart(call: { callId: string; from: string; to: string }): string;
  /** Returns the query parameter that accepting this start needs, if any. */
  needs?(request: HookRequest): Exclude<PlatformParameter, 'overrides'> | undefined;
  decide(decision: HookDecision, request: HookRequest): CustomResponse;
  /** Returns the response to searches, in the order of their queries. */
  answer?(answers: SearchAnswer[], request: HookRequest): CustomResponse;
  /** Returns the response to an event that needs no decision. */
  acknowledge(): CustomResponse;
};

/** Returns an object that has fields; undefined for an empty one. */
export const unlessEmpty = (object: Record<string, unknown>) => (Object.keys(object).length === 0 ? undefined : object);

/** Returns a cost with six decimals at most. `shift` moves the decimal point: -2 for cents. */
export const toCost = (amount: number | undefined, currency: string, shift = 0): CallDetails['cost'] => {
  const millionths = amount === undefined ? Number.NaN : Math.round(movePoint(amount, 6 + shift));
  return Number.isFinite(millionths) ? { amount: movePoint(millionths, -6), currency } : undefined;
};

const movePoint = (value: number, places: number): number => {
  const [digits, exponent] = value.toExponential().split('e');
  return Number(`${digits}e${Number(exponent) + places}`);
};

/** Checks for the search tool by its name or, without a name, by its query. */
export const isSearch = (body: Record<string, unknown>): boolean => {
  const name = readText(body, 'name') ?? readText(body, 'tool_name');
  return name === undefined ? readText(body, 'query') !== undefined : name === searchTool;
};

/** Returns the response to one search of a platform whose model reads any JSON object. */
export const searchResponse = ([answer]: SearchAnswer[]): CustomResponse =>
  jsonResponse(answer?.error === undefined ? { result: answer?.text } : { error: answer.error });

/** Returns the object in a field, or an empty object: platforms send any type. */
export const readObject = (body: Record<string, unknown>, name: string): Record<string, unknown> => {
  const value = body[name];
  return isJsonObject(value) ? value : {};
};

/** Returns the first object that has a field, or the first of all. Programs that pass events on may unwrap them. */
export const chooseObject = (name: string, ...objects: Record<string, unknown>[]): Record<string, unknown> =>
  objects.find((object) => object[name] !== undefined) ?? objects[0] ?? {};

export const readText = (body: Record<string, unknown>, name: string): string | undefined => {
  const value = body[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

/** Returns the number in a field. Intermediaries write numbers as texts. */
export const readNumber = (body: Record<string, unknown>, name: string): number | undefined => {
  const value = body[name];
  const number = typeof value === 'string' && /^\d+(\.\d+)?$/.test(value) ? Number(value) : value;
  return typeof number === 'number' && Number.isFinite(number) ? number : undefined;
};

/** Returns the time in a field, which is a text or Unix milliseconds. */
export const readTime = (body: Record<string, unknown>, name: string): string | undefined =>
  toIsoTime(readNumber(body, name) ?? readText(body, name));

/** Returns the agent's version, which a platform sends back with the end. */
export const readAgentVersion = (...variables: Record<string, unknown>[]): number | undefined => {
  const value = variables.map(({ agent_version }) => agent_version).find((one) => one !== undefined);
  return typeof value === 'string' || typeof value === 'number' ? parseVersion(String(value)) : undefined;
};

/** Returns an ISO 8601 time from a text, or from Unix milliseconds or seconds, if valid. */
export const toIsoTime = (value: string | number | undefined): string | undefined => {
  if (value === undefined) return undefined;
  // As milliseconds, these are times before 1973.
  const isSeconds = typeof value === 'number' && value < 1e11;
  const date = new Date(isSeconds ? value * 1000 : value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
};
