import type { CallFacts } from '../domain/calls.ts';
import type { CustomResponse } from '../domain/custom-response.ts';
import { isJsonObject } from '../domain/json.ts';

/** What a voice platform sent: the fields of its body, JSON or form, and the query of the address it was given. */
export type HookRequest = { body: Record<string, unknown>; query: Record<string, string | undefined> };

/** A call that comes in, or is about to go out. */
type CallStart = {
  type: 'start';
  direction: 'inbound' | 'outbound';
  from: string | undefined;
  to: string | undefined;
};

/** A call that ended, with what the platform says of it. `callId` is unique within the platform. */
export type CallEnd = {
  type: 'end';
  callId: string;
  direction: 'inbound' | 'outbound';
  from: string | undefined;
  to: string | undefined;
  /** Without a start when the platform sends none. */
  facts: Omit<CallFacts, 'phone' | 'direction' | 'startedAt'> & { startedAt?: string | undefined };
};

/** `other` is an event that this service does nothing with. */
export type HookEvent = CallStart | CallEnd | { type: 'other' };

/** The decision on a start, and the variables that an accepted call gets. */
type HookDecision = { accept: boolean; variables: Record<string, string> };

/** A voice platform: reads its events, and shapes the responses that it understands. All functions are pure. */
export type Platform = {
  read(request: HookRequest): HookEvent;
  /** The name of the query parameter without which a start cannot be accepted, if this start needs one. */
  needs?(request: HookRequest): 'next' | 'assistantId' | undefined;
  decide(decision: HookDecision, request: HookRequest): CustomResponse;
  /** The response to an event that needs no decision. */
  acknowledge(): CustomResponse;
};

export const jsonResponse = (body: object, status = 200): CustomResponse => ({
  status,
  contentType: 'application/json',
  body: JSON.stringify(body),
});

/** The object in a field of a body; empty where there is none. What a platform sends has the shape that it chooses. */
export const objectAt = (body: Record<string, unknown>, name: string): Record<string, unknown> => {
  const value = body[name];
  return isJsonObject(value) ? value : {};
};

export const textAt = (body: Record<string, unknown>, name: string): string | undefined => {
  const value = body[name];
  return typeof value === 'string' && value !== '' ? value : undefined;
};

export const numberAt = (body: Record<string, unknown>, name: string): number | undefined => {
  const value = body[name];
  return typeof value === 'number' && Number.isFinite(value) ? value : undefined;
};

/** An ISO 8601 time, of a text or of Unix milliseconds; undefined for what is no time. */
export const timeOf = (value: string | number | undefined): string | undefined => {
  if (value === undefined) return undefined;
  const date = new Date(value);
  return Number.isNaN(date.getTime()) ? undefined : date.toISOString();
};
