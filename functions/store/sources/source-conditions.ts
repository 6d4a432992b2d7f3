import { deleting, pending, type SourceStates } from '../../domain/source-state.ts';
import { when } from '../expressions.ts';
import type { SourceRecord } from './source-reads.ts';
import type { TextReference } from './source-texts.ts';

/** The deletion of the source is in progress. */
export const isBeingDeleted = when`#status = ${deleting}`;

export const isNotBeingDeleted = when`#status <> ${deleting}`;

/** The source exists, and its wait for a file has not expired. */
export const isNotExpired = () =>
  when`attribute_exists(pk) and (attribute_not_exists(fileDeadlineAt) or fileDeadlineAt > ${Date.now()})`;

/** The source is visible to readers. */
export const isVisible = () => when`${isNotExpired()} and ${isNotBeingDeleted}`;

/** The source waits for its file, or waited until the wait expired. */
export const isWaiting = when`attribute_exists(fileDeadlineAt) and ${isNotBeingDeleted}`;

/** The record has not changed since it was read. */
export const isUnchanged = ({ attempt, lastUpdatedAt }: SourceRecord) => {
  const isAtAttempt = attempt === undefined ? when`attribute_not_exists(attempt)` : when`attempt = ${attempt}`;
  return when`${isAtAttempt} and lastUpdatedAt = ${lastUpdatedAt} and ${isNotBeingDeleted}`;
};

/** The source exists, and its attempt is for another file. */
export const isNotAt = (attempt: string) =>
  when`attribute_exists(pk) and ${isNotBeingDeleted} and (attribute_not_exists(attempt) or not begins_with(attempt, ${attempt}))`;

/** The record still has this text, with the same indexes. */
export const hasText = (text: TextReference) => when`${isNotBeingDeleted} and #text = ${text}`;

/** The attempt is the record's, and has not ended. */
export const isMine = (attempt: string, { working }: SourceStates) =>
  when`attempt = ${attempt} and #status in (${pending}, ${working})`;

/** The attempt is the record's, and has not ended, or was given up. */
export const mayStart = (attempt: string, { working }: SourceStates) =>
  when`attempt = ${attempt} and (#status in (${pending}, ${working}) or givenUp = ${true})`;
