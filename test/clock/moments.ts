/** A moment that a run crosses, and the time zone of the machine during it. */
export type Moment = { what: string; at: Date; timeZone: string };

const hourMilliseconds = 3_600_000;

/** Returns the minutes that the clocks of a time zone are ahead of UTC. */
const offsetMinutes = (at: Date, timeZone: string): number => {
  const local = new Date(`${at.toLocaleString('sv-SE', { timeZone }).replace(' ', 'T')}Z`);
  return Math.round((local.getTime() - at.getTime()) / 60_000);
};

/** Returns the next change of the clocks of a time zone: forward in spring, backward in autumn. */
const nextChange = (after: Date, timeZone: string, isForward: boolean): Date => {
  for (let hour = Math.ceil(after.getTime() / hourMilliseconds); ; hour++) {
    const [before, at] = [new Date((hour - 1) * hourMilliseconds), new Date(hour * hourMilliseconds)];
    const change = offsetMinutes(at, timeZone) - offsetMinutes(before, timeZone);
    if (isForward ? change > 0 : change < 0) return at;
  }
};

/** Returns the next moments at which code that reads the clock may be wrong. */
export const momentsAfter = (now: Date): Moment[] => [
  {
    what: 'midnight at the end of a month',
    at: new Date(Date.UTC(now.getUTCFullYear(), now.getUTCMonth() + 1)),
    timeZone: 'Asia/Kathmandu',
  },
  {
    what: 'the beginning of summer time',
    at: nextChange(now, 'Europe/Berlin', true),
    timeZone: 'Europe/Berlin',
  },
  {
    what: 'the end of summer time',
    at: nextChange(now, 'America/New_York', false),
    timeZone: 'America/New_York',
  },
];
