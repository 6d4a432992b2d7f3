import { expect, it } from 'vitest';
import {
  attemptAtFile,
  documentStates,
  fileWaitSeconds,
  hasEnded,
  hasFailed,
  isOverdue,
  isUnfinished,
  maxMessageAgeSeconds,
  newAttempt,
  retryAttempt,
  running,
  visible,
  waitingForFile,
  websiteStates,
} from '../../functions/domain/source-state.ts';

const now = Date.parse('2026-03-01T10:00:00Z');
const minutes = (count: number) => count * 60_000;

it.each([
  ['website', websiteStates, 60, 'crawling'],
  ['document', documentStates, 30, 'processing'],
] as const)(
  'the state of a %s with an attempt that never ends is failed, while it is pending and while it runs',
  (_, states, limit, working) => {
    const attempt = newAttempt(states, 'first', now);
    const run = { ...attempt, ...running(states, undefined, now + minutes(5)) };
    expect([attempt.status, run.status]).toEqual(['pending', working]);
    expect(visible(states, attempt, now + minutes(limit) - 1)).toBe(attempt);
    expect(visible(states, attempt, now + minutes(limit))).toMatchObject({
      status: 'failed',
      error: states.overdueError,
    });
    // A run that begins late has the whole time again: it is not shown as failed while it works.
    expect(visible(states, run, now + minutes(limit))).toBe(run);
    expect(visible(states, run, now + minutes(limit + 5))?.status).toBe('failed');
    // The last delivery ends when its function does.
    expect(visible(states, { ...attempt, ...running(states, now + 90_000) }, now + 90_000)?.status).toBe('failed');
  },
);

it('the state of a source that has ended stays, however old it is', () => {
  for (const status of ['ready', 'failed']) {
    const state = { status, deadlineAt: now };
    expect([isUnfinished(documentStates, state), isOverdue(documentStates, state, now + minutes(99))]).toEqual([
      false,
      false,
    ]);
    expect(visible(documentStates, state, now + minutes(99))).toBe(state);
  }
});

it('a source that waits for its file is shown for an hour, and its record outlives every message about it', () => {
  const waiting = waitingForFile(now);
  expect(visible(documentStates, waiting, now + fileWaitSeconds * 1000 - 1)).toBe(waiting);
  expect(visible(documentStates, waiting, now + fileWaitSeconds * 1000)).toBeUndefined();
  expect(waiting.ttlSeconds * 1000).toBeGreaterThanOrEqual(waiting.fileDeadlineAt + maxMessageAgeSeconds * 1000);
});

it('a source is not shown while it is deleted', () => {
  expect(visible(documentStates, { status: 'deleting' }, now)).toBeUndefined();
});

it('an attempt at a source is named after the file, even when it is retried', () => {
  expect(attemptAtFile('etag', undefined)).toBe('etag');
  expect(attemptAtFile('etag', 'etag')).toBe('etag');
  expect(attemptAtFile('etag', retryAttempt('etag', 'x'))).toBe('etag:x');
  expect(attemptAtFile('etag-2', 'etag')).toBe('etag-2');
  expect(retryAttempt(retryAttempt('etag', 'x'), 'y')).toBe('etag:y');
  expect(retryAttempt(undefined, 'x')).toBe(':x');
});

it('an attempt at a source may be followed by another only when it has ended', () => {
  const statuses = ['pending', 'crawling', 'processing', 'ready', 'failed', 'deleting'];
  expect(statuses.filter(hasEnded)).toEqual(['ready', 'failed']);
  expect(statuses.filter(hasFailed)).toEqual(['failed']);
});
