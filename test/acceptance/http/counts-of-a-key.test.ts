import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { apiKeys } from '../../../functions/store/api-keys.ts';
import type { Served, Turn } from '../../support/warm-instance.ts';
import { newUser } from '../../support/world.ts';

const limit = 120;
const minute = 60_000;
const stepMilliseconds = 500;
/** The first moment of a minute. It lies ahead, because the table deletes counts by their time. */
const start = Math.ceil(Date.now() / minute + 10) * minute;
const instanceCount = 10;
const maxSkewMilliseconds = 450;

/** Starts an instance, whose clock is ahead by `skew`. */
const startInstance = (skew: number) => {
  const child = fork(join(import.meta.dirname, '../../support/warm-instance.ts'), {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
  });
  const ended = once(child, 'exit').then(([code]) => Promise.reject(new Error(`An instance ended with ${code}.`)));
  ended.catch(() => {});
  return {
    skew,
    stop: () => child.kill(),
    async serve(apiKey: string, count: number, at: number): Promise<Served> {
      const turn: Turn = { apiKey, count, at: at + skew, elapsed: at };
      const answered = once(child, 'message');
      child.send(turn);
      const [served] = (await Promise.race([answered, ended])) as [Served];
      expect(served.errors).toEqual([]);
      return served;
    },
  };
};

let instances: ReturnType<typeof startInstance>[] = [];
beforeAll(async () => {
  // The instances get the settings of this process, which a first user points at the table.
  await newUser();
  instances = Array.from({ length: instanceCount }, (_, n) => startInstance(n * 100 - maxSkewMilliseconds));
});
afterAll(() => {
  for (const { stop } of instances) stop();
});

/** The requests that an instance gets in a step: together more than twice the limit. */
type Load = (step: number, instance: number) => number;
const loads: Record<string, Load> = {
  steady: (step, instance) => (step % 4 === instance % 4 ? 1 : 0),
  bursty: (step) => (step % 8 === 0 ? 2 : 0),
  parallel: (step) => (step % 4 === 0 ? 2 : 0),
};

/** Returns by how much instances may exceed the limit: what each serves in a second, what is under way, and how clocks differ. */
const findStatedError = (load: Load): number => {
  const steps = Array.from({ length: 8 }, (_, step) => step);
  const ofEach = Array.from({ length: instanceCount }, (_, n) => steps.map((step) => load(step, n)));
  const add = (counts: number[]) => counts.reduce((sum, count) => sum + count, 0);
  const inSecond = ofEach.map((counts) =>
    Math.max(...steps.map((step) => add([...counts, ...counts].slice(step, step + 2)))),
  );
  const underWay = Math.max(...steps.map((step) => add(ofEach.map((counts) => counts[step] ?? 0))));
  return add(inSecond) + underWay + (limit * maxSkewMilliseconds) / minute;
};

it.each(Object.entries(loads))(
  'ten processes with skewed clocks serve a load that is %s within the stated error, and one that waits as it was told serves again',
  { tags: 'heavy' },
  async (name, load) => {
    const { uid } = await newUser();
    const { secret } = await apiKeys.get().create(uid, { name, scopes: undefined, requestsPerMinute: limit });
    /** The requests that were taken, by the minutes of the clocks that counted them. */
    const taken = new Map<number, number>();
    const countTaken = (one: number) => taken.get(one) ?? 0;
    let worst = 0;
    let at = start;
    for (let step = 0; at < start + 2 * minute; step++, at += stepMilliseconds) {
      const busy = instances.flatMap((instance, n) =>
        load(step, n) > 0 ? [{ ...instance, count: load(step, n) }] : [],
      );
      await Promise.all(
        busy.map(async ({ skew, count, serve }) => {
          const served = await serve(secret, count, at);
          const counted = Math.floor((at + skew) / minute);
          taken.set(counted, countTaken(counted) + served.taken);
          for (const seconds of served.waits) expect(seconds >= 1 && seconds <= 60).toBe(true);
        }),
      );
      const present = Math.floor(at / minute);
      const rest = 1 - (at % minute) / minute;
      worst = Math.max(worst, Math.min(limit, countTaken(present - 1)) * rest + countTaken(present));
    }
    expect(worst).toBeLessThanOrEqual(limit + findStatedError(load));
    expect([...taken.values()].reduce((sum, count) => sum + count)).toBeGreaterThan(0.9 * 2 * limit);
    for (const { serve } of instances) {
      let waits: number[] = [];
      while (waits.length === 0) ({ waits } = await serve(secret, 20, at));
      at += Math.max(...waits) * 1000;
      expect(await serve(secret, 1, at)).toMatchObject({ taken: 1 });
    }
  },
);
