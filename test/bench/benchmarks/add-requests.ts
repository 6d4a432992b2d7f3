import { addBlockedNumbers } from '../../../functions/api/add-blocked-numbers.ts';
import type { Figure, Row } from '../benchmark.ts';
import { freshNumbers } from '../operations.ts';
import { invoke, type World } from '../world.ts';

/** On a busy machine a request may time out and be sent again, which is not what is counted here. */
const attempts = 3;

/** What adding N numbers asks of the table: one read, for the key and the agent, and a write for every 25. */
export const addRequestsOf = (counts: number[]): Row => ({
  name: 'add-requests',
  title: 'Requests that blocking N numbers makes',

  async measure(open) {
    const world = await open();
    world.proxy.delay(0);
    const agentId = await world.newAgent();
    const figures: Figure[] = [];
    for (const count of counts) {
      const due = { reads: 1, writes: Math.ceil(count / 25) };
      let made = await requestsOf(world, agentId, count);
      for (let again = 1; again < attempts && made.total > due.reads + due.writes; again++) {
        made = await requestsOf(world, agentId, count);
      }
      const { reads, writes, total } = made;
      figures.push({
        what: `${count.toLocaleString('en')} numbers`,
        note: `reads: ${reads}, writes: ${writes}`,
        ours: { value: total, unit: 'requests' },
        target: {
          text: `= ${due.reads} + ${due.writes}`,
          reached: reads === due.reads && writes === due.writes && total === reads + writes,
        },
      });
    }
    return figures;
  },
});

export const addRequests = addRequestsOf([1, 25, 26, 1000, 10_000]);

const requestsOf = async ({ uid, apiKey, proxy }: World, agentId: string, count: number) => {
  await proxy.take();
  await invoke(addBlockedNumbers, { apiKey, body: { uid, agentId, numbers: freshNumbers(count) } });
  const seen = await proxy.take();
  const times = (name: string) => seen.filter(({ operation }) => operation === name).length;
  return { reads: times('BatchGetItem'), writes: times('BatchExecuteStatement'), total: seen.length };
};
