import pMap from 'p-map';
import { checkBlockedNumber } from '../../../functions/api/check-blocked-number.ts';
import { checkBlockedNumbers } from '../../../functions/api/check-blocked-numbers.ts';
import { chunks } from '../../../functions/domain/chunks.ts';
import { limits } from '../../../functions/domain/limits.ts';
import { blockedNumberKey } from '../../../functions/store/keys.ts';
import { median, type Row } from '../benchmark.ts';
import { freshNumbers } from '../operations.ts';
import { invoke, type World } from '../world.ts';

/** The count of numbers on each of the two lists: a million with `BLOCKED_NUMBERS=1000000`. */
const many = Number(process.env.BLOCKED_NUMBERS ?? 20_000);
const few = 100;
const rounds = 400;

/** A check among many numbers on both lists against one among few, and a check of many at once against single ones. */
export const blockListChecks: Row = {
  name: 'block-list-checks',
  title: `Checks among ${many.toLocaleString('en')} numbers of the agent and as many of the user`,

  async measure(open, say) {
    const world = await open();
    world.proxy.delay(0);
    const blocked = freshNumbers(2 * many);
    // Both users have an agent of their own.
    const large = { uid: world.uid, agentId: world.agentId, apiKey: world.apiKey };
    const small = { uid: world.otherUid, agentId: world.otherAgentId, apiKey: world.otherApiKey };
    await fill(world, large, blocked);
    say('The lists are filled.');
    await fill(world, small, freshNumbers(2 * few));
    const taken = { large: [] as number[], small: [] as number[] };
    const check = async ({ apiKey, uid, agentId }: Owner, number: string) => {
      const begin = performance.now();
      await invoke(checkBlockedNumber, { apiKey, query: { uid, agentId, number } });
      return performance.now() - begin;
    };
    for (let round = -5; round < rounds; round++) {
      const number = blocked[(round * 7919 + blocked.length) % blocked.length] as string;
      // Each comes first in every other round.
      const order = round % 2 === 0 ? (['large', 'small'] as const) : (['small', 'large'] as const);
      for (const which of order) {
        const milliseconds = await check(which === 'large' ? large : small, number);
        if (round >= 0) taken[which].push(milliseconds);
      }
    }
    const ratio = median(taken.large) / median(taken.small);

    const numbers = blocked.slice(-limits.numbersPerRequest);
    const { uid, agentId, apiKey } = large;
    const begin = performance.now();
    await invoke(checkBlockedNumbers, { apiKey, body: { uid, agentId, numbers } });
    const bulk = performance.now() - begin;
    const singles = median(taken.large) * numbers.length;
    return [
      {
        what: 'one number',
        ours: { value: median(taken.large) * 1000, unit: 'µs' },
        against: {
          what: `among ${few} and ${few}`,
          quantity: { value: median(taken.small) * 1000, unit: 'µs' },
          ratio,
        },
        target: { text: '≤ 1.1×', reached: ratio <= 1.1 },
      },
      {
        what: `${numbers.length.toLocaleString('en')} numbers at once`,
        ours: { value: bulk, unit: 'ms' },
        against: { what: 'as many single checks', quantity: { value: singles, unit: 'ms' }, ratio: singles / bulk },
        target: { text: '≥ 20×', reached: singles / bulk >= 20 },
      },
    ];
  },
};

type Owner = { uid: string; agentId: string; apiKey: string };

/** Puts half of the numbers on the agent's list and half on the user's: items as the first of each list has them. */
const fill = async ({ directly: { blockList, table } }: World, { uid, agentId }: Owner, numbers: string[]) => {
  const half = Math.ceil(numbers.length / 2);
  for (const [owner, [first = '', ...others]] of [
    [{ agentId }, numbers.slice(0, half)],
    [{ uid }, numbers.slice(half)],
  ] as const) {
    await blockList.add(owner, [first]);
    const item = await table.get(blockedNumberKey(owner, first));
    const put = (some: string[]) =>
      table.putMany(some.map((number) => ({ ...item, ...blockedNumberKey(owner, number) })));
    await pMap(chunks(others, 25), put, { concurrency: 8 });
  }
};
