import { addDays, toDateInZone } from '../formats.ts';

/** Days from `from` until the day before `to`. */
export type Period = { from: string; to: string };

export const periods = [
  { value: '30-days', label: 'Last 30 days' },
  { value: '7-days', label: 'Last 7 days' },
  { value: '90-days', label: 'Last 90 days' },
  { value: 'this-week', label: 'This week' },
  { value: 'last-week', label: 'Last week' },
  { value: 'this-month', label: 'This month' },
  { value: 'last-month', label: 'Last month' },
  { value: 'custom', label: 'From … to …' },
];

/** The part of an address that names a period. */
type Filters = { period?: string; from?: string; to?: string };

/** Returns the days that the address names: those of a period until today, or those from `from` through `to`. */
export const readPeriod = ({ period, from, to }: Filters, timeZone: string): Period => {
  const today = toDateInZone(timeZone);
  const tomorrow = addDays(today, 1);
  // Monday is the first day of a week.
  const monday = addDays(today, -((new Date(`${today}T00:00:00Z`).getUTCDay() + 6) % 7));
  const month = `${today.slice(0, 7)}-01`;
  switch (period) {
    case '7-days':
      return { from: addDays(tomorrow, -7), to: tomorrow };
    case '90-days':
      return { from: addDays(tomorrow, -90), to: tomorrow };
    case 'this-week':
      return { from: monday, to: tomorrow };
    case 'last-week':
      return { from: addDays(monday, -7), to: monday };
    case 'this-month':
      return { from: month, to: tomorrow };
    case 'last-month':
      return { from: `${addDays(month, -1).slice(0, 7)}-01`, to: month };
    case 'custom':
      return { from: from ?? addDays(tomorrow, -30), to: to ? addDays(to, 1) : tomorrow };
    default:
      return { from: addDays(tomorrow, -30), to: tomorrow };
  }
};

export const countDays = ({ from, to }: Period): number => Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000);

/** Returns the period of the same length that ends where this one begins. */
export const before = (period: Period): Period => ({
  from: addDays(period.from, -Math.max(0, countDays(period))),
  to: period.from,
});
