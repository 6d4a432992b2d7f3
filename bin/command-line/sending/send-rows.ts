import { pMapIterable } from 'p-map';
import { limits } from '../../../functions/domain/limits.ts';
import type { Pace } from './pace.ts';
import type { Operation } from './sender.ts';

/** The maximum size of the items of a request. It leaves room for the rest of the request. */
export const maxItemsBytes = limits.bodyBytes - 16 * 1024;

/** A row of a file. One without an item is not sent. */
type Row<Item> = { item?: Item };

/** A row, and the outcome of its item. */
export type SentRow<R, O> = { row: R; outcome?: O };

/**
 * Sends the items of rows in batches, several at once. Yields the rows with their outcomes, batch by batch, in the order of the
 * file. At its end, also at an early one, it aborts the requests that still run.
 */
export async function* sendRows<Item, R extends Row<Item>, O>(
  rows: AsyncIterable<R>,
  send: (rows: R[], signal: AbortSignal) => Promise<O[]>,
  {
    operation: { reference },
    pace,
    concurrency,
    signal,
  }: { operation: Operation<Item, string>; pace: Pace; concurrency: number; signal: AbortSignal },
): AsyncGenerator<SentRow<R, O>[]> {
  const ended = new AbortController();
  const stop = AbortSignal.any([signal, ended.signal]);
  const latest = new Map<string, Promise<unknown>>();
  const sendBatch = async (batch: R[]) => {
    const sent = batch.filter(({ item }) => item !== undefined);
    const references = new Set(sent.map(({ item }) => reference(item as Item)));
    // The last row of a call wins, so its batch waits for batches with earlier rows of the call. So it is for a person.
    const before = new Set([...references].flatMap((one) => latest.get(one) ?? []));
    const sending = Promise.allSettled(before).then(() => (sent.length > 0 ? send(sent, stop) : []));
    for (const one of references) latest.set(one, sending);
    const outcomes = await sending;
    for (const one of references) if (latest.get(one) === sending) latest.delete(one);
    let next = 0;
    return batch.map((row) => ({ row, outcome: row.item && outcomes[next++] }));
  };
  try {
    yield* pMapIterable(collectBatches(rows, pace), sendBatch, { concurrency });
  } finally {
    ended.abort();
  }
}

async function* collectBatches<R extends Row<unknown>>(rows: AsyncIterable<R>, pace: Pace): AsyncGenerator<R[]> {
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
