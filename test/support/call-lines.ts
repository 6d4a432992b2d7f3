import type { newWorld } from './world.ts';

/** Returns a line of `calls import`. */
export const makeLine = (agentId: string, callId: string, more: object = {}) =>
  JSON.stringify({
    agentId,
    callId,
    phone: '+14155550100',
    direction: 'inbound',
    startedAt: '2026-01-31T12:00:00Z',
    ...more,
  });

/** Lists all calls of the agent of a world. */
export const listCalls = async (world: Awaited<ReturnType<typeof newWorld>>) => {
  const found: { callId: string }[] = [];
  let cursor: string | undefined;
  do {
    const { body } = await world.call('GET', `/calls/${world.agentId}`, { query: { limit: 1000, cursor } });
    found.push(...body.calls);
    cursor = body.nextCursor;
  } while (cursor);
  return found;
};
