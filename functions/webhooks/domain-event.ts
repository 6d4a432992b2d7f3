import type { EventType } from '../domain/webhooks.ts';
import type { EventSubject } from '../store/keys.ts';

/** An event with its data. The same change always has the same `eventId`. */
export type DomainEvent = {
  eventId: string;
  type: EventType;
  timestamp: string;
  /** The id of the request that caused it. */
  requestId?: string;
  subject: EventSubject;
  ids: Record<string, string>;
  details: Record<string, unknown>;
  /** The numbers of a block list, from which an erasure takes single numbers. */
  numbers?: EventNumbers;
  /** Users who get the event without access to the agent. */
  recipients?: string[];
};

/** The counts of added and removed numbers, and the first of each. */
export type EventNumbers = { counts: { added: number; removed: number }; added: string[]; removed: string[] };
