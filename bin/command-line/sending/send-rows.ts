import { pMapIterable } from 'p-map';
import { limits } from '../../../functions/domain/limits.ts';
import type { Pace } from './pace.ts';
import { callReference, type Item } from './sender.ts';

/** The maximum size of the items of a request. It leaves room for the rest of the request. */
export const maxItemsBytes = limits.bodyBytes - 16 * 1024;

/** A row of a file. One without an item is not sent. */
type Row = { item?: Item };

/** A row, and the outcome of its item. */
export type SentRow<R, O> = { row: R; outcome?: O };

/**
 * Sends the items of rows in batches, several at once. Yields the rows with their outcomes, batch by batch, in the order of the
 * file. At its end, also at an early one, it aborts the requests that still run.
 */
export async function* sendRows<R extends Row, O>(
  rows: AsyncIterable<R>,
  send: (rows: R[], signal: AbortSignal) => Promise<O[]>,
  { pace, concurrency, signal }: { pace: Pace; concurrency: number; signal: AbortSignal },
): AsyncGenerator<SentRow<R, O>[]> {
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  const latest = new Map<string, Promise<unknown>>();
  const sendBatch = async (batch: R[]) => {
    const sent = batch.filter(({ item }) => item !== undefined);
    const calls = new Set(sent.map(({ item }) => callReference(item as Item)));
    // The last row of a call wins, so its batch waits for batches with earlier rows of the call.
    const before = new Set([...calls].flatMap((call) => latest.get(call) ?? []));
    const sending = Promise.allSettled(before).then(() => (sent.length > 0 ? send(sent, stop) : []));
    for (const call of calls) latest.set(call, sending);
    const outcomes = await sending;
    for (const call of calls) if (latest.get(call) === sending) latest.delete(call);
    let next = 0;
    return batch.map((row) => ({ row, outcome: row.item && outcomes[next++] }));
  };
  try {
    yield* pMapIterable(collectBatches(rows, pace), sendBatch, { concurrency });
  } finally {
    ended.abort();
  }
}

async function* collectBatches<R extends Row>(rows: AsyncIterable<R>, pace: Pace): AsyncGenerator<R[]> {
  let batch: R[] = [];
  let bytes = 0;
  for await (const row of rows) {
    const itemBytes = row.item ? Buffer.byteLength(JSON.stringify(row.item)) + 1 : 0;
    if (batch.length >= pace.rows || bytes + itemBytes > maxItemsBytes) {
      yield batch;
      batch = [];
      bytes = 0;
    }
    batch.push(row);
    bytes += itemBytes;
  }
  if (batch.length > 0) yield batch;
}
