import { afterEach, expect, it, vi } from 'vitest';
import data from '../../functions/calling/number-time-zones.json' with { type: 'json' };
import { checkCallPermission, OpenHours } from '../../functions/domain/call-permission.ts';
import { WallClocks } from '../../functions/domain/wall-clocks.ts';

const zones = Object.keys(data.zones).map((names) => names.split('&'));

afterEach(() => void vi.restoreAllMocks());

it.each([
  { from: '09:00', to: '17:00' },
  { from: '12:00', to: '12:01' },
  { from: '12:00', to: '12:01', days: ['sun' as const] },
])('a thousand numbers in any time zones read few clocks for %j, also where the hours never meet', (hours) => {
  const conversions = vi.spyOn(Intl.DateTimeFormat.prototype, 'formatToParts');
  let reads = 0;
  const createClock = WallClocks.prototype.of;
  vi.spyOn(WallClocks.prototype, 'of').mockImplementation(function (this: WallClocks, timeZone) {
    const clock = createClock.call(this, timeZone);
    return (moment) => {
      reads += 1;
      return clock(moment);
    };
  });
  const openHours = new OpenHours();
  for (let index = 0; index < 1000; index += 1) {
    const timeZones = zones[index % zones.length] ?? [];
    checkCallPermission({ hours }, { at: Date.UTC(2026, 1), timeZones, attempts: [] }, openHours);
  }
  expect(conversions.mock.calls.length).toBeLessThan(5000);
  expect(reads).toBeLessThan(15_000);
});
