/**
 * The states of a knowledge source's text:
 *
 *   waiting for its file ─→ pending ─→ working ─→ ready | failed ─→ pending (another attempt) …
 *   any of them          ─→ deleting ─→ gone
 *
 * A record names the attempt at its text, and only the job of that attempt moves it on. Work whose message was lost or
 * whose function died ends by the clock: after `deadlineAt` it reads as failed, until a late run of its job ends it itself.
 */
export type SourceState = {
  /** `pending`, the kind's word for work in progress, `ready`, `failed`, or `deleting`. */
  status: string;
  /** The reason for a failure, as a sentence. */
  error?: string;
  /** The attempt at the text. A job of another attempt changes nothing. */
  attempt?: string;
  /** Unix milliseconds. Work that has not ended by then reads as failed. */
  deadlineAt?: number;
  /** The attempt failed because its job was given up. If an operator sends its message again, the attempt begins again. */
  givenUp?: boolean;
  /** Unix milliseconds. A source that still waits for its file after this time is no longer shown. */
  fileDeadlineAt?: number;
};

/** The differences between the kinds of sources. */
export type SourceStates = {
  /** The status while the job is at work. */
  working: string;
  /** The timeout of an attempt, including all its deliveries. */
  timeoutSeconds: number;
  /** The error of an attempt that never ended. */
  overdueError: string;
};

export const websiteStates: SourceStates = {
  working: 'crawling',
  timeoutSeconds: 60 * 60,
  overdueError: 'The crawl did not end in time. Refresh the website to try again.',
};

export const documentStates: SourceStates = {
  working: 'processing',
  timeoutSeconds: 30 * 60,
  overdueError: 'The document could not be read because of a problem in the service. Try again.',
};

export const pending = 'pending';
/** A deletion in progress: the source is no longer shown, and deleting it again completes the deletion. */
export const deleting = 'deleting';

/** The time for which a source that waits for its file is shown. */
export const fileWaitSeconds = 60 * 60;
/** The maximum age of a message, including its time as a dead letter. Until then, a late job still finds its record. */
export const maxMessageAgeSeconds = 14 * 24 * 60 * 60;

/** Returns the fields of a record that waits for a file, and expires when no file can be notified. */
export const waitingForFile = (now = Date.now()) => ({
  status: 'pending' as const,
  fileDeadlineAt: now + fileWaitSeconds * 1000,
  ttlSeconds: Math.floor(now / 1000) + fileWaitSeconds + 2 * maxMessageAgeSeconds,
});

/** Returns the fields of a record whose attempt begins. */
export const newAttempt = <A extends string | undefined>(states: SourceStates, attempt: A, now = Date.now()) => ({
  status: 'pending' as const,
  attempt,
  deadlineAt: now + states.timeoutSeconds * 1000,
});

/** The fields that a new attempt clears: the former error, and the wait for a file. */
export const clearedByAttempt = { error: null, fileDeadlineAt: null, ttlSeconds: null };

/** Returns the fields of a record whose job runs. The last run ends at `endsAt` in any case; an earlier one may be repeated. */
export const running = ({ working, timeoutSeconds }: SourceStates, endsAt?: number, now = Date.now()) => ({
  status: working,
  deadlineAt: endsAt ?? now + timeoutSeconds * 1000,
});

export const isUnfinished = ({ working }: SourceStates, { status }: SourceState) =>
  status === pending || status === working;

export const isOverdue = (states: SourceStates, state: SourceState, now = Date.now()) =>
  isUnfinished(states, state) && state.deadlineAt !== undefined && state.deadlineAt <= now;

/** Returns a record as readers see it: none while it is deleted or its file is overdue, and failed when its work is overdue. */
export const visible = <S extends SourceState>(states: SourceStates, state: S, now = Date.now()): S | undefined => {
  if (state.status === deleting) return undefined;
  if (state.fileDeadlineAt !== undefined && state.fileDeadlineAt <= now) return undefined;
  return isOverdue(states, state, now) ? { ...state, status: 'failed', error: states.overdueError } : state;
};

export const hasFailed = (status: string) => status === 'failed';
export const hasEnded = (status: string) => status === 'ready' || status === 'failed';

/** Returns the attempt of a file's notification: the ETag, which a second delivery repeats. */
export const attemptAtFile = (etag: string, current: string | undefined): string =>
  current?.split(':')[0] === etag ? current : etag;

/** Returns the MD5 of the file that an attempt reads: the ETag that a bucket gives a file that is uploaded in one piece. */
export const md5OfAttempt = (attempt: string | undefined) => /^[0-9a-f]{32}(?=:|$)/.exec(attempt ?? '')?.[0];

/** Returns another attempt at the same file. */
export const retryAttempt = (attempt: string | undefined, id: string) => `${attempt?.split(':')[0] ?? ''}:${id}`;
