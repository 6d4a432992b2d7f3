import * as z from 'zod/mini';

/** An ISO 8601 date-time with its offset, kept as UTC to the millisecond so that text order is time order. */
export const DateTime = z.pipe(
  z.iso.datetime({ offset: true, error: 'must be an ISO 8601 date-time with an offset, such as 2026-01-31T12:00:00Z' }),
  z.transform((value) => new Date(value).toISOString()),
);

export const now = () => new Date().toISOString();
