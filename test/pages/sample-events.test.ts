import { expect, it } from 'vitest';
import type { Platform } from '../../functions/hooks/platforms/platform.ts';
import { platforms } from '../../functions/hooks/platforms/platforms.ts';
import { sampleEvents } from '../../functions/pages/console/agents/sample-events.ts';

it.each(Object.entries<Platform>(platforms))('the console plays %s as the service reads it', (name, platform) => {
  const { start, end } = sampleEvents[name as keyof typeof platforms];
  const endedAt = new Date('2026-03-01T10:01:05Z');
  const call = { callId: 'c1', from: '+14155550199', to: '+14155550123', endedAt };
  const [from, to] = [call.from, call.to];
  expect(platform.read({ body: start(call), query: {} })).toMatchObject({
    type: 'start',
    direction: 'inbound',
    from,
    to,
  });
  expect(platform.read({ body: end(call), query: {} })).toMatchObject({
    ...{ type: 'end', callId: 'c1', direction: 'inbound', from, to },
    facts: { startedAt: '2026-03-01T10:00:00.000Z', durationSeconds: 65 },
  });
});
