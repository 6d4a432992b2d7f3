import { addBlockedNumbers } from '../../../functions/api/add-blocked-numbers.ts';
import { freshNumbers } from '../operations.ts';
import type { Figure, Row } from '../row.ts';
import { invoke } from '../world.ts';

/** What adding N numbers asks of the table: one read, for the key and the agent, and a write for every 25. */
export const addRequests: Row = {
  name: 'add-requests',
  title: 'Requests that blocking N numbers makes',

  async measure({ uid, apiKey, proxy, newAgent }) {
    const agentId = await newAgent();
    proxy.delay(0);
    const figures: Figure[] = [];
    for (const count of [1, 25, 26, 1000, 10_000]) {
      await proxy.take();
      await invoke(addBlockedNumbers, { apiKey, body: { uid, agentId, numbers: freshNumbers(count) } });
      const seen = await proxy.take();
      const reads = seen.filter(({ operation }) => operation === 'BatchGetItem').length;
      const writes = seen.filter(({ operation }) => operation === 'BatchExecuteStatement').length;
      const due = Math.ceil(count / 25);
      figures.push({
        what: `${count.toLocaleString('en')} numbers`,
        note: `reads: ${reads}, writes: ${writes}`,
        ours: { value: seen.length, unit: 'requests' },
        target: { text: `= 1 + ${due}`, reached: reads === 1 && writes === due && seen.length === 1 + due },
      });
    }
    return figures;
  },
};
