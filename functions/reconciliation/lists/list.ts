import type { PlatformRequests } from '../../clients/platform-requests.ts';
import { isJsonObject } from '../../domain/json.ts';

/** The calls that a pass asks for: those that start from `from` until before `to` (Unix milliseconds). */
export type Criteria = { from: number; to: number; assistantIds: string[]; number?: string; accountId?: string };

/** A call of a platform's list. */
export type ListedCall = {
  /** The platform's own id. */
  id: string;
  /** Its start, or its creation if it has none, in Unix milliseconds. */
  startedAt?: number;
  isOver: boolean;
  /** Our side's number, as the platform writes it, if the list has it. */
  own?: string;
  /** The body of the webhook that reports the end of this call, as far as the list tells it. */
  event: Record<string, unknown>;
  /** Reads the rest of that body. Undefined: the platform no longer has the call. */
  complete?: () => Promise<Record<string, unknown> | undefined>;
};

/** A page of a list, and the position of the next one, if any. */
export type CallPage = { calls: ListedCall[]; next?: Position };
/** A position in a list: JSON of the list's own. */
export type Position = Record<string, string | number>;

/** Reads a platform's list of calls page by page. */
export type CallList = {
  headers(apiKey: string, accountId: string | undefined): Record<string, string>;
  open(requests: PlatformRequests, criteria: Criteria): (position: Position | undefined) => Promise<CallPage>;
};

/** Returns the objects of an array, whatever a platform sends. */
export const listObjects = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isJsonObject) : [];

/** Returns the lists of several assistants one after another. A position has the number of the list. */
export const readEach =
  <One>(all: One[], read: (one: One, position: Position | undefined) => Promise<CallPage>) =>
  async (position: Position | undefined): Promise<CallPage> => {
    const list = Number(position?.list ?? 0);
    const { calls, next } = await read(all[list] as One, position);
    if (next) return { calls, next: { ...next, list } };
    return list + 1 < all.length ? { calls, next: { list: list + 1 } } : { calls };
  };
