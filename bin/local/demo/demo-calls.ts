import type { CallItem } from '../../../functions/domain/calls.ts';
import { chooseVersion } from '../../../functions/domain/traffic.ts';
import { WallClocks } from '../../../functions/domain/wall-clocks.ts';
import type { PlatformCall } from '../voice-platforms.ts';

/** A call of the demo, with the time at which its outcome was set. */
export type DemoCall = CallItem & { outcomeAt: string };

const dayMilliseconds = 86_400_000;
/** Both agents work for a practice in this zone. */
export const demoTimeZone = 'America/Los_Angeles';
/** The number of days for which the callers of the outbound agent have been split between its two versions. */
const splitDays = 21;
export const demoSplit = [
  { version: 1, percent: 50 },
  { version: 2, percent: 50 },
];
/** The outcome that blocks a number. */
export const doNotCall = 'do not call';
/** The voice platform of the demo is paid by the second: 9 cents a minute. */
const dollarsPerSecond = 0.0015;
/** The voice platform of the agent that answers calls: a fake. */
export const demoPlatform = { name: 'vapi', apiKey: 'the-demo-key-at-vapi', assistantId: 'demo-assistant' } as const;
/** The number of calls whose end the platform has not reported. */
const lostCalls = 2;
const platformDays = 31;
/** Numbers that are reserved for fiction: 0100 to 0199 of the exchange 555 in each area. */
const areas = ['341', '408', '510', '628', '650', '669', '707', '925'];

/** The calls on a day, from Sunday to Saturday, and the weight of each hour from `firstHour`. */
const patterns = {
  inbound: { callsOnDay: [3, 21, 21, 21, 21, 21, 9], firstHour: 8, hours: [9, 12, 10, 7, 5, 6, 8, 8, 7, 4, 2] },
  outbound: { callsOnDay: [0, 17, 17, 17, 17, 17, 0], firstHour: 9, hours: [6, 10, 10, 4, 4, 8, 9, 9, 5] },
};
type Direction = keyof typeof patterns;

/** The weights of a result with an agent's first and second version, its status, its seconds from and to, its outcome and values. */
type Result = [number, number, string, number, number, string?, number[]?];
const results: Record<Direction, Result[]> = {
  inbound: [
    [30, 30, 'completed', 95, 320, 'appointment booked', [95, 95, 140, 210, 480]],
    [12, 12, 'completed', 60, 180, 'appointment moved'],
    [6, 6, 'completed', 40, 120, 'appointment canceled'],
    [24, 24, 'completed', 35, 200, 'question answered'],
    [11, 11, 'completed', 25, 90, 'passed on to the team'],
    [9, 9, 'completed', 8, 60],
    [6, 6, 'no-answer', 0, 0],
    [2, 2, 'failed', 0, 4],
  ],
  outbound: [
    [15, 24, 'completed', 80, 260, 'appointment booked', [95, 95, 140]],
    [15, 15, 'completed', 30, 110, 'call back later'],
    [11, 7, 'completed', 20, 80, 'not interested'],
    [3, 3, 'completed', 20, 60, 'moved away'],
    [2, 2, 'completed', 8, 40, doNotCall],
    [6, 3, 'completed', 4, 25],
    [27, 27, 'no-answer', 0, 0],
    [15, 15, 'completed', 18, 34, 'voicemail'],
    [7, 7, 'busy', 0, 0],
    [1, 1, 'failed', 0, 3],
  ],
};

/** What a call with an outcome was about, in the words of the voice platform. */
const summaries: Record<string, string> = {
  'appointment booked': 'An appointment for a check-up is booked. A message confirms it.',
  'appointment moved': 'The check-up moves to another day.',
  'appointment canceled': 'The appointment is canceled. The caller calls again for another one.',
  'question answered': 'The caller asks when the practice is open.',
  'passed on to the team': 'The caller asks about a bill. The team calls back.',
  'call back later': 'The patient is at work, and asks for a call in the evening.',
  'not interested': 'The patient has another dentist.',
  'moved away': 'The patient has moved to another city.',
  [doNotCall]: 'The patient asks for no more calls.',
};

/**
 * Returns the demo calls of two agents, oldest first: those of `days` days that have ended before `until` (Unix
 * milliseconds). The same arguments return the same calls.
 */
export const demoCalls = (
  agents: { inboundId: string; outboundId: string },
  days: number,
  until: number,
): DemoCall[] => {
  const calls = [
    ...planCalls(agents.inboundId, 'inbound', days, until),
    ...planCalls(agents.outboundId, 'outbound', days, until),
  ];
  const blocked = new Set<string>();
  return calls
    .sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
    .flatMap((call) => {
      if (blocked.has(call.phone ?? '')) return call.direction === 'inbound' ? reject(call) : [];
      if (call.custom_call_outcome === doNotCall) blocked.add(call.phone ?? '');
      return call;
    });
};

/** Returns the calls whose end never arrived: the last ones with an outcome that the platform found. */
export const findLostCalls = (calls: DemoCall[]): DemoCall[] =>
  calls.filter((call) => isOfPlatform(call) && call.custom_call_outcome !== undefined).slice(-lostCalls);

/** Returns the calls of the last days, as the platform lists them. Of calls that began in the same second, the first is kept. */
export const listPlatformCalls = (calls: DemoCall[], own: string, until: number): PlatformCall[] =>
  uniqueById(calls)
    .filter((call) => isOfPlatform(call) && Date.parse(call.startedAt) > until - platformDays * dayMilliseconds)
    .map(({ callId, phone, startedAt, endedAt = startedAt, details, ...call }) => ({
      id: callId.slice(demoPlatform.name.length + 1),
      ...{
        assistantId: demoPlatform.assistantId,
        direction: 'inbound',
        own,
        other: phone ?? undefined,
        status: 'ended',
      },
      ...{ startedAt: Date.parse(startedAt), endedAt: Date.parse(endedAt) },
      cost: (details?.cost as { amount: number } | undefined)?.amount,
      summary: details?.summary as string | undefined,
      findings: {
        custom_call_outcome: call.custom_call_outcome,
        custom_call_outcome_value: call.custom_call_outcome_value,
      },
    }));

const uniqueById = (calls: DemoCall[]) => [...new Map(calls.toReversed().map((call) => [call.callId, call])).values()];

const isOfPlatform = ({ direction, status }: DemoCall) => direction === 'inbound' && status !== 'rejected';

/** Returns a call as it is recorded when its number is blocked. */
const reject = ({ agentId, callId, phone, direction, startedAt, outcomeAt }: DemoCall): DemoCall => {
  const end = { endedAt: startedAt, durationSeconds: 0, status: 'rejected', details: { cause: 'blocked' } };
  return { agentId, callId, phone, direction, startedAt, ...end, outcomeAt };
};

const planCalls = (agentId: string, direction: Direction, days: number, until: number): DemoCall[] => {
  const random = seedRandom(direction === 'inbound' ? 1 : 2);
  const { callsOnDay, firstHour, hours } = patterns[direction];
  return Array.from({ length: days + 1 }, (_, index) => days - index).flatMap((daysAgo) => {
    const midnight = localMidnight(until - daysAgo * dayMilliseconds);
    const growth = 1.15 - (0.4 * daysAgo) / days;
    const weekday = new Date(midnight + dayMilliseconds / 2).getUTCDay();
    const count = Math.round(growth * (callsOnDay[weekday] ?? 0) * (0.7 + random() * 0.6));
    const starts = Array.from({ length: count }, () => {
      const hour = firstHour + pick(hours, random);
      return midnight + Math.floor((hour + random()) * 3600) * 1000;
    });
    return starts
      .sort((a, b) => a - b)
      .map((startedAt) => planCall(startedAt, { agentId, direction, isSplit: daysAgo <= splitDays, random }))
      .filter(({ endedAt, outcomeAt }) => Date.parse(endedAt ?? outcomeAt) < until);
  });
};

type Random = () => number;
type Context = { agentId: string; direction: Direction; isSplit: boolean; random: Random };

const planCall = (start: number, { agentId, direction, isSplit, random }: Context): DemoCall => {
  const phone = `+1${areas[Math.floor(random() * areas.length)]}55501${String(Math.floor(random() * 100)).padStart(2, '0')}`;
  const agentVersion = direction === 'outbound' && isSplit ? chooseVersion(agentId, phone, demoSplit) : 1;
  const weights = results[direction].map(([first, second]) => (agentVersion === 2 ? second : first));
  const [, , status, low, high, outcome, values] = results[direction][pick(weights, random)] as Result;
  const durationSeconds = Math.round(low + random() * (high - low));
  const endedAt = start + durationSeconds * 1000;
  const cost = { amount: Number((durationSeconds * dollarsPerSecond).toFixed(4)), currency: 'USD' };
  const summary = outcome && summaries[outcome];
  return {
    agentId,
    callId: `${direction === 'inbound' ? `${demoPlatform.name}:` : ''}demo-${direction}-${new Date(start).toISOString().slice(0, 19).replaceAll(':', '-')}`,
    // Some callers withhold their number.
    phone: direction === 'inbound' && random() < 0.06 ? undefined : phone,
    direction,
    startedAt: new Date(start).toISOString(),
    endedAt: new Date(endedAt).toISOString(),
    durationSeconds,
    status,
    agentVersion,
    details: durationSeconds > 0 ? { cost, ...(summary && { summary }) } : undefined,
    custom_call_outcome: outcome,
    custom_call_outcome_value: values?.[Math.floor(random() * values.length)],
    custom_call_metadata: direction === 'outbound' ? { campaign: 'six-month check-up' } : undefined,
    outcomeAt: new Date(endedAt + 4000).toISOString(),
  };
};

/** Returns the place of a random one of these weights. */
const pick = (weights: number[], random: Random): number => {
  let left = random() * weights.reduce((sum, weight) => sum + weight, 0);
  return weights.findIndex((weight) => {
    left -= weight;
    return left < 0;
  });
};

/** Returns the last midnight before a time, in the zone of the practice. */
const localMidnight = (at: number): number => {
  const { offset } = clock(at);
  return Math.floor((at + offset) / dayMilliseconds) * dayMilliseconds - offset;
};

const clock = new WallClocks().of(demoTimeZone);

/** Returns a generator of numbers from 0 to 1 that always yields the same sequence: mulberry32. */
const seedRandom = (seed: number): Random => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
