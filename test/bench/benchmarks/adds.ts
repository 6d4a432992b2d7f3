import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { addBlockedNumbers } from '../../../functions/api/add-blocked-numbers.ts';
import { blockedNumberKey } from '../../../functions/store/keys.ts';
import { median, type Row, ratioOfRounds } from '../benchmark.ts';
import { freshNumbers } from '../operations.ts';
import { invoke, type World } from '../world.ts';

const count = 1000;
const rounds = 5;
const eachWayMilliseconds = 5;

/**
 * The whole operation with its key, against a naive implementation: a conditional put for each number, one after the other, or
 * fifty at a time. Every round measures each of them, so that a busy machine affects all.
 */
export const adds: Row = {
  name: 'adds',
  title: `Blocking ${count.toLocaleString('en')} numbers, ${eachWayMilliseconds} ms each way`,

  async measure(open, say) {
    const world = await open();
    world.proxy.delay(eachWayMilliseconds);
    const agentId = await world.newAgent();
    const ways = {
      ours: (numbers: string[]) => add(world, agentId, numbers),
      parallel: (numbers: string[]) => put(world, agentId, numbers, 50),
      sequential: (numbers: string[]) => put(world, agentId, numbers, 1),
    };
    for (const way of Object.values(ways)) await way(freshNumbers(100));
    const taken = { ours: [] as number[], parallel: [] as number[], sequential: [] as number[] };
    for (let round = 1; round <= rounds; round++) {
      for (const way of ['ours', 'parallel', 'sequential'] as const) {
        const numbers = freshNumbers(count);
        await sleep(50);
        const begin = performance.now();
        await ways[way](numbers);
        taken[way].push(performance.now() - begin);
      }
      say(`Round ${round} of ${rounds}.`);
    }
    const against = (way: 'parallel' | 'sequential', what: string, least: number) => {
      const ratio = ratioOfRounds(taken[way], taken.ours);
      return {
        what: `${count.toLocaleString('en')} adds`,
        ours: { value: median(taken.ours), unit: 'ms' as const },
        against: { what, quantity: { value: median(taken[way]), unit: 'ms' as const }, ratio },
        target: { text: `≥ ${least}×`, reached: ratio >= least },
      };
    };
    return [
      against('sequential', 'conditional puts, one after the other', 12),
      against('parallel', 'conditional puts, 50 at a time', 1.5),
    ];
  },
};

const add = async ({ uid, apiKey }: World, agentId: string, numbers: string[]) => {
  await invoke(addBlockedNumbers, { apiKey, body: { uid, agentId, numbers } });
};

const put = async ({ stores }: World, agentId: string, numbers: string[], concurrency: number) => {
  const blockedAt = new Date().toISOString();
  await pMap(
    numbers,
    async (phone) => {
      const item = { ...blockedNumberKey({ agentId }, phone), blockedAt };
      await stores.table.putNew(item);
    },
    { concurrency },
  );
};
