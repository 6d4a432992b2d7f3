import { deleting, pending, type SourceStates } from '../../domain/source-state.ts';
import { when } from '../expressions.ts';
import type { SourceRecord } from './source-reads.ts';
import type { TextReference } from './source-texts.ts';

/** The deletion of the source is under way. */
export const isBeingDeleted = when`#status = ${deleting}`;

const isNotBeingDeleted = when`#status <> ${deleting}`;

/** The source is there, and does not wait in vain for its file. */
export const isNotExpired = () =>
  when`attribute_exists(pk) and (attribute_not_exists(waitsUntil) or waitsUntil > ${Date.now()})`;

/** Readers see the source. */
export const isVisible = () => when`${isNotExpired()} and ${isNotBeingDeleted}`;

/** The source waits for its file, or did until its time was over. */
export const isWaiting = when`attribute_exists(waitsUntil) and ${isNotBeingDeleted}`;

/** The record is as it was read. */
export const isUnchanged = ({ attempt, lastUpdatedAt }: SourceRecord) => {
  const isAtAttempt = attempt === undefined ? when`attribute_not_exists(attempt)` : when`attempt = ${attempt}`;
  return when`${isAtAttempt} and lastUpdatedAt = ${lastUpdatedAt} and ${isNotBeingDeleted}`;
};

/** The source is there, and its attempt is at another file. */
export const isNotAt = (attempt: string) =>
  when`attribute_exists(pk) and ${isNotBeingDeleted} and (attribute_not_exists(attempt) or not begins_with(attempt, ${attempt}))`;

/** The record has this text, with the indexes that it was read with. */
export const hasText = (text: TextReference) => when`${isNotBeingDeleted} and #text = ${text}`;

/** The attempt is the record's, and has not ended. */
export const isMine = (attempt: string, { working }: SourceStates) =>
  when`attempt = ${attempt} and #status in (${pending}, ${working})`;

/** The attempt is the record's, and has not ended, or was given up. */
export const mayStart = (attempt: string, { working }: SourceStates) =>
  when`attempt = ${attempt} and (#status in (${pending}, ${working}) or givenUp = ${true})`;
