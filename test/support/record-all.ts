import { chunks } from '../../functions/domain/chunks.ts';

type Failed = { index: number; error: string; message: string };

/** Records calls by `POST /calls`, and sends those again that a busy machine did not process in time. */
export const recordAll = async <Item>(
  items: Item[],
  send: (items: Item[]) => Promise<{ failed: Failed[] }>,
): Promise<void> => {
  for (const some of chunks(items, 25)) {
    let left = some;
    while (left.length > 0) {
      const { failed } = await send(left);
      const refused = failed.find(({ error }) => error !== 'temporarily_unavailable');
      if (refused) throw new Error(refused.message);
      left = failed.map(({ index }) => left[index] as Item);
    }
  }
};
