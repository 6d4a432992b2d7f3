import { decideCallStart } from '../../../functions/api/decide-call-start.ts';
import { type Share, versionFor } from '../../../functions/domain/traffic.ts';
import { type Figure, median, type Row } from '../benchmark.ts';
import { freshNumbers } from '../operations.ts';
import { invoke } from '../world.ts';

const callers = 1_000_000;
const rounds = 400;
const configurationCharacters = 4000;

/** Measures the split of an agent's callers: its shares, the callers that move when a share is raised, and its cost at the start of a call. */
export const traffic: Row = {
  name: 'traffic',
  title: 'Callers split among versions of an agent',

  async measure(open) {
    const before = shares(60, 30, 10);
    const [first, second] = [versionsOf(before), versionsOf(shares(40, 20, 40))];
    const off = before.map(({ version, percent }) => Math.abs(shareOf(version, first) - percent));
    const largest = Math.max(...off);
    const moved = first.filter((version, n) => version !== second[n] && second[n] !== 3).length;
    return [
      {
        what: `the share of ${callers.toLocaleString('en')} numbers that is furthest off, in points`,
        ours: { value: largest, unit: '%' },
        target: { text: '≤ 0.2', reached: largest <= 0.2 },
      },
      {
        what: 'numbers that a raised share moves between the others',
        ours: { value: moved, unit: 'numbers' },
        target: { text: '0', reached: moved === 0 },
      },
      await callStarts(open),
    ];
  },
};

const shares = (...percents: number[]): Share[] => percents.map((percent, n) => ({ version: n + 1, percent }));
const versionsOf = (split: Share[]) =>
  Array.from({ length: callers }, (_, n) =>
    versionFor('agent_01KA8QF0X2V5TJ9W3N6YBD4C7E', `+1${2_000_000_000 + n}`, split),
  );
const shareOf = (version: number, versions: (number | undefined)[]) =>
  (100 * versions.filter((one) => one === version).length) / versions.length;

/** Both agents have the same configuration: one as its newest version, one as a version of its split. */
const callStarts = async (open: Parameters<Row['measure']>[0]): Promise<Figure> => {
  const world = await open();
  world.proxy.delay(0);
  const { uid, apiKey, directly } = world;
  const newAgent = async () => {
    const agentId = await world.newAgent();
    const configuration = {
      instructions: 'Be kind. '.repeat(configurationCharacters / 9),
      variables: { offer: 'new' },
    };
    await directly.agents.change(uid, agentId, (agent) => ({ ...agent, configuration }));
    await directly.agents.change(uid, agentId, (agent) => ({ ...agent, name: 'Renamed' }));
    return agentId;
  };
  const [whole, split] = [await newAgent(), await newAgent()];
  await directly.agents.setTraffic(uid, split, [
    { version: 2, percent: 90 },
    { version: 3, percent: 10 },
  ]);
  const taken: Record<string, number[]> = { [whole]: [], [split]: [] };
  for (const [round, from] of freshNumbers(rounds + 20).entries()) {
    for (const agentId of round % 2 === 0 ? [whole, split] : [split, whole]) {
      const begin = performance.now();
      await invoke(decideCallStart, { apiKey, body: { uid, agentId, from, include: ['variables'] } });
      if (round >= 20) taken[agentId]?.push(performance.now() - begin);
    }
  }
  const [ours, others] = [median(taken[split] ?? []), median(taken[whole] ?? [])];
  const ratio = ours / others;
  return {
    what: 'a call start with a split of two versions',
    ours: { value: ours * 1000, unit: 'µs' },
    against: { what: 'without one', quantity: { value: others * 1000, unit: 'µs' }, ratio },
    target: { text: '≤ 1.05×', reached: ratio <= 1.05 },
  };
};
