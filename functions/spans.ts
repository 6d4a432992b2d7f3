import type { Trace } from './domain/trace.ts';

/** A part of the work of a trace: a request, a job, or a request to a receiver. Times are Unix milliseconds. */
export type Span = {
  trace: Trace;
  spanId: string;
  kind: 'server' | 'job' | 'client';
  name: string;
  startedAt: number;
  endedAt: number;
  isFailed: boolean;
};

let sink: ((span: Span) => void) | undefined;

/** Sends spans somewhere, as a local run does on request. On Lambda, they go nowhere. */
export const sendSpansTo = (next: ((span: Span) => void) | undefined): void => {
  sink = next;
};

export const reportSpan = (span: Span): void => sink?.(span);
