import type { CallItem } from '../../../functions/domain/calls.ts';
import { chooseVersion } from '../../../functions/domain/traffic.ts';
import { WallClocks } from '../../../functions/domain/wall-clocks.ts';

/** A call of the demo, with the time at which its outcome was set. */
export type DemoCall = CallItem & { outcomeAt: string };

/** A kind of result that a call may have, with its frequency as a weight relative to the others. */
type Result = {
  weight: number;
  status: string;
  seconds: [number, number];
  outcome?: string;
  values?: number[];
  /** The weight among calls of an agent's second version, if it differs. */
  weightOfSecondVersion?: number;
};

/** The distribution of an agent's calls: by hour of the day, and on weekdays, Saturdays and Sundays. */
type Pattern = {
  direction: 'inbound' | 'outbound';
  callsPerDay: { weekday: number; saturday: number; sunday: number };
  /** The weight of each hour, from `firstHour`. */
  firstHour: number;
  hours: number[];
  results: Result[];
  /** The share of calls whose number is withheld. */
  withheld: number;
};

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
/** Numbers that are reserved for fiction: 0100 to 0199 of the exchange 555 in each area. */
const areas = ['341', '408', '510', '628', '650', '669', '707', '925'];

const inbound: Pattern = {
  direction: 'inbound',
  callsPerDay: { weekday: 21, saturday: 9, sunday: 3 },
  firstHour: 8,
  hours: [9, 12, 10, 7, 5, 6, 8, 8, 7, 4, 2],
  withheld: 0.06,
  results: [
    {
      weight: 30,
      status: 'completed',
      seconds: [95, 320],
      outcome: 'appointment booked',
      values: [95, 95, 140, 210, 480],
    },
    { weight: 12, status: 'completed', seconds: [60, 180], outcome: 'appointment moved' },
    { weight: 6, status: 'completed', seconds: [40, 120], outcome: 'appointment canceled' },
    { weight: 24, status: 'completed', seconds: [35, 200], outcome: 'question answered' },
    { weight: 11, status: 'completed', seconds: [25, 90], outcome: 'passed on to the team' },
    { weight: 9, status: 'completed', seconds: [8, 60] },
    { weight: 6, status: 'no-answer', seconds: [0, 0] },
    { weight: 2, status: 'failed', seconds: [0, 4] },
  ],
};

const outbound: Pattern = {
  direction: 'outbound',
  callsPerDay: { weekday: 17, saturday: 0, sunday: 0 },
  firstHour: 9,
  hours: [6, 10, 10, 4, 4, 8, 9, 9, 5],
  withheld: 0,
  results: [
    {
      weight: 15,
      weightOfSecondVersion: 24,
      status: 'completed',
      seconds: [80, 260],
      outcome: 'appointment booked',
      values: [95, 95, 140],
    },
    { weight: 15, status: 'completed', seconds: [30, 110], outcome: 'call back later' },
    { weight: 11, weightOfSecondVersion: 7, status: 'completed', seconds: [20, 80], outcome: 'not interested' },
    { weight: 3, status: 'completed', seconds: [20, 60], outcome: 'moved away' },
    { weight: 2, status: 'completed', seconds: [8, 40], outcome: doNotCall },
    { weight: 6, weightOfSecondVersion: 3, status: 'completed', seconds: [4, 25] },
    { weight: 27, status: 'no-answer', seconds: [0, 0] },
    { weight: 15, status: 'completed', seconds: [18, 34], outcome: 'voicemail' },
    { weight: 7, status: 'busy', seconds: [0, 0] },
    { weight: 1, status: 'failed', seconds: [0, 3] },
  ],
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
    ...planCalls(agents.inboundId, inbound, days, until),
    ...planCalls(agents.outboundId, outbound, days, until),
  ];
  const blocked = new Set<string>();
  return calls
    .sort((a, b) => (a.startedAt < b.startedAt ? -1 : 1))
    .flatMap((call) => {
      if (blocked.has(call.phone ?? '')) return call.direction === 'inbound' ? rejected(call) : [];
      if (call.custom_call_outcome === doNotCall) blocked.add(call.phone ?? '');
      return call;
    });
};

/** Returns a call as it is recorded when its number is blocked. */
const rejected = ({ agentId, callId, phone, direction, startedAt, outcomeAt }: DemoCall): DemoCall => ({
  agentId,
  callId,
  phone,
  direction,
  startedAt,
  endedAt: startedAt,
  durationSeconds: 0,
  status: 'rejected',
  details: { cause: 'blocked' },
  outcomeAt,
});

const planCalls = (agentId: string, pattern: Pattern, days: number, until: number): DemoCall[] => {
  const random = randomFrom(pattern.direction === 'inbound' ? 1 : 2);
  return Array.from({ length: days + 1 }, (_, index) => days - index).flatMap((daysAgo) => {
    const midnight = localMidnight(until - daysAgo * dayMilliseconds);
    const growth = 1.15 - (0.4 * daysAgo) / days;
    const starts = Array.from({ length: Math.round(growth * callsOn(midnight, pattern, random)) }, () =>
      startAfter(midnight, pattern, random),
    );
    const isRecent = daysAgo <= splitDays;
    return starts
      .sort((a, b) => a - b)
      .map((startedAt) => callAt(startedAt, { agentId, pattern, isRecent, random }))
      .filter(({ endedAt, outcomeAt }) => Date.parse(endedAt ?? outcomeAt) < until);
  });
};

type Random = () => number;

const callsOn = (midnight: number, { callsPerDay }: Pattern, random: Random): number => {
  const weekday = new Date(midnight + dayMilliseconds / 2).getUTCDay();
  const calls = weekday === 0 ? callsPerDay.sunday : weekday === 6 ? callsPerDay.saturday : callsPerDay.weekday;
  return calls * (0.7 + random() * 0.6);
};

const startAfter = (midnight: number, { firstHour, hours }: Pattern, random: Random): number => {
  const hour = firstHour + pick(hours, (weight) => weight, random).index;
  return midnight + Math.floor((hour + random()) * 3600) * 1000;
};

type Context = { agentId: string; pattern: Pattern; isRecent: boolean; random: Random };

const callAt = (start: number, { agentId, pattern, isRecent, random }: Context): DemoCall => {
  const { direction, results, withheld } = pattern;
  const phone = `+1${areas[Math.floor(random() * areas.length)]}55501${String(Math.floor(random() * 100)).padStart(2, '0')}`;
  const agentVersion = direction === 'outbound' && isRecent ? chooseVersion(agentId, phone, demoSplit) : 1;
  const resultWeight = ({ weight, weightOfSecondVersion = weight }: Result) =>
    agentVersion === 2 ? weightOfSecondVersion : weight;
  const { status, seconds, outcome, values } = pick(results, resultWeight, random).value;
  const durationSeconds = Math.round(between(seconds, random));
  const endedAt = start + durationSeconds * 1000;
  const isWithheld = random() < withheld;
  return {
    agentId,
    callId: `demo-${direction}-${new Date(start).toISOString().slice(0, 19).replaceAll(':', '-')}`,
    phone: isWithheld ? undefined : phone,
    direction,
    startedAt: new Date(start).toISOString(),
    endedAt: new Date(endedAt).toISOString(),
    durationSeconds,
    status,
    agentVersion,
    details: durationSeconds > 0 ? { cost: costAfter(durationSeconds) } : undefined,
    custom_call_outcome: outcome,
    custom_call_outcome_value: values?.[Math.floor(random() * values.length)],
    custom_call_metadata: direction === 'outbound' ? { campaign: 'six-month check-up' } : undefined,
    outcomeAt: new Date(endedAt + 4000).toISOString(),
  };
};

const costAfter = (seconds: number) => ({ amount: Number((seconds * dollarsPerSecond).toFixed(4)), currency: 'USD' });

const between = ([low, high]: [number, number], random: Random) => low + random() * (high - low);

const pick = <T>(items: T[], resultWeight: (item: T) => number, random: Random): { value: T; index: number } => {
  let left = random() * items.reduce((sum, item) => sum + resultWeight(item), 0);
  const index = items.findIndex((item) => {
    left -= resultWeight(item);
    return left < 0;
  });
  return { value: items[index] as T, index };
};

/** Returns the last midnight before a time, in the zone of the practice. */
const localMidnight = (at: number): number => {
  const { offset } = clock(at);
  return Math.floor((at + offset) / dayMilliseconds) * dayMilliseconds - offset;
};

const clock = new WallClocks().of(demoTimeZone);

/** Returns a generator of numbers from 0 to 1 that always yields the same sequence: mulberry32. */
const randomFrom = (seed: number): Random => {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};
