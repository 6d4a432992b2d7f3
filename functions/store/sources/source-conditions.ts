import { deleting, pending, type SourceStates } from '../../domain/source-state.ts';
import type { Condition } from '../expressions.ts';
import type { SourceRecord } from './source-reads.ts';
import type { TextReference } from './source-texts.ts';

/** The deletion of the source is under way. */
export const isBeingDeleted: Condition = { expression: '#status = :deleting', values: { deleting } };

/** The source is there, and does not wait in vain for its file. */
export const isNotExpired = (): Condition => ({
  expression: 'attribute_exists(pk) and (attribute_not_exists(fileDeadlineAt) or fileDeadlineAt > :now)',
  values: { now: Date.now() },
});

/** Readers see the source. */
export const isVisible = (): Condition => {
  const { expression, values } = isNotExpired();
  return { expression: `${expression} and #status <> :deleting`, values: { ...values, deleting } };
};

/** The record is as it was read. */
export const isUnchanged = ({ attempt, lastUpdatedAt }: SourceRecord): Condition => ({
  expression: `${attempt ? 'attempt = :formerAttempt' : 'attribute_not_exists(attempt)'} and lastUpdatedAt = :formerTime and #status <> :deleting`,
  values: { formerAttempt: attempt, formerTime: lastUpdatedAt, deleting },
});

/** The source is there, and its attempt is at another file. */
export const isNotAt = (attempt: string): Condition => ({
  expression:
    'attribute_exists(pk) and #status <> :deleting and (attribute_not_exists(attempt) or not begins_with(attempt, :attempt))',
  values: { attempt, deleting },
});

/** The record has this text, with the indexes that it was read with. */
export const hasText = (text: TextReference): Condition => ({
  expression: '#status <> :deleting and #text = :textRead',
  values: { deleting, textRead: text },
});

/** The attempt is the record's, and has not ended. */
export const isMine = (attempt: string, { working }: SourceStates): Condition => ({
  expression: 'attempt = :mine and #status in (:pending, :working)',
  values: { mine: attempt, pending, working },
});

/** The attempt is the record's, and has not ended, or was given up. */
export const mayStart = (attempt: string, states: SourceStates): Condition => {
  const { values } = isMine(attempt, states);
  return {
    expression: 'attempt = :mine and (#status in (:pending, :working) or givenUp = :yes)',
    values: { ...values, yes: true },
  };
};
