import { expect, it, vi } from 'vitest';
import { receiveHook } from '../../functions/api/receive-hook.ts';
import { invoke } from '../support/events.ts';
import { findStored } from '../support/stored.ts';
import { findings } from '../support/voice-platforms.ts';
import { newWorld, unique, type World } from '../support/world.ts';

/** The end of a call as a platform reports it. `caller` and `agent` are what the two said; without `caller`, there is no transcript. */
type End = {
  platform: string;
  seconds: number | undefined;
  caller: string[] | undefined;
  agent: string;
  label: string;
};

const number = (index: number) => `+1415556${String(index).padStart(4, '0')}`;

const platforms = Object.keys(findings);

const found = { minSeconds: 8, minCallerWords: 4 };
const outcomes = [
  { name: 'do_not_call', blocks: 'found', found },
  { name: 'wrong_number', blocks: 'found', found: { minSeconds: 8 } },
  { name: 'appointment_booked', value: 149.5, blocks: 'found', found: { minCallerWords: 4 } },
];

/** Lengths and sounds of calls in which nobody says anything that a model can judge, with confident labels. */
const nearSilent = (secretWord: string, labels: string[]): End[] => {
  const sounds: [number | undefined, string[] | undefined][] = [
    [0, []],
    [1.4, ['']],
    [2.9, ['…']],
    [3, [`${secretWord}?`]],
    [4.2, ['Hello?', 'Hello?']],
    [5, ['Uh,', 'mhm.']],
    [6.5, ['[noise]', '(…)']],
    [7.9, ['もしもし']],
    [3.3, undefined],
    [undefined, ['Hm.']],
  ];
  const agent = 'Hello, this is Example Dental. Are you still there? I will remove you from our list. Goodbye.';
  const ends = sounds.flatMap(([seconds, caller]) =>
    platforms.flatMap((platform) => labels.map((label) => ({ platform, seconds, caller, agent, label }))),
  );
  // A voicemail is long, but nobody speaks.
  const voicemails = platforms.map((platform) => ({
    ...{ platform, seconds: 45, caller: [`${secretWord}.`], agent, label: 'appointment booked' },
  }));
  return [...ends, ...voicemails];
};

const expectNothing = async (labels: string[]) => {
  const world = await newWorld();
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: { outcomes } } });
  const secretWord = unique('zyzzyva').replaceAll('-', '');
  const ends = nearSilent(secretWord, labels);
  const written: string[] = [];
  const spies = [process.stdout, process.stderr].map((stream) =>
    vi.spyOn(stream, 'write').mockImplementation((text) => written.push(String(text)) > 0),
  );
  for (const [index, end] of ends.entries()) await receive(world, end, `c${index}`, number(index));
  for (const spy of spies) spy.mockRestore();

  const { calls } = (await world.call('GET', `/calls/${world.agentId}`, { query: { limit: 1000 } })).body;
  expect(calls).toHaveLength(ends.length);
  const isUndecided = (call: Record<string, unknown>) =>
    !('custom_call_outcome' in call) && !('custom_call_outcome_value' in call) && 'heldOutcome' in call;
  expect(calls.filter((call: Record<string, unknown>) => !isUndecided(call))).toEqual([]);
  const blocked = await world.call('GET', '/block-list', { query: { uid: world.uid } });
  expect(blocked.body.blockList).toEqual([]);
  expect(await findStored(secretWord)).toEqual([]);
  expect(written.length).toBeGreaterThan(0);
  expect(written.join('')).not.toContain(secretWord);
};

it('near-silent ends of three platforms block no number and set no outcome, and no word of a transcript is stored or logged', () =>
  expectNothing(['do_not_call']));
it('near-silent ends have no effect either with any other label, in any spelling', { tags: 'heavy' }, () =>
  expectNothing(['Do not call', 'DO-NOT-CALL', 'wrong number']),
);

it('an end in which the caller speaks sets the outcome and blocks the number, on every platform', async () => {
  const world = await newWorld();
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration: { outcomes } } });
  const spoken = { seconds: 8, caller: ['Please', 'never call me again!'], agent: 'Hello?', label: 'Do not call' };
  for (const [index, platform] of platforms.entries()) {
    await receive(world, { platform, ...spoken }, 'a', number(index));
    const call = (await world.call('GET', `/calls/${world.agentId}/${platform}:a`)).body;
    expect(call).toMatchObject({ custom_call_outcome: 'do_not_call', custom_call_outcome_value: 50 });
  }
  const { blockList } = (await world.call('GET', '/block-list', { query: { uid: world.uid } })).body;
  expect(blockList).toEqual(platforms.map((_, index) => number(index)));
});

const receive = async ({ uid, agentId, apiKey }: World, end: End, id: string, phone: string) => {
  const { platform, seconds, caller: callerTexts, agent: agentText, label } = end;
  const fields = { custom_call_outcome: label, custom_call_outcome_value: 50 };
  const body = findings[platform]?.({ id, number: phone, fields, callerTexts, agentText, seconds });
  const response = await invoke(receiveHook, { apiKey, params: { platform }, query: { uid, agentId }, body });
  expect(response.status).toBe(200);
};
