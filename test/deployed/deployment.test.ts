import { describe, expect, inject, it } from 'vitest';
import { call, newWorld, target } from '../world.ts';

const deployed = inject('deployed');

describe('the emulated deployment', () => {
  it('answers under its one address and at the API itself', async () => {
    const world = await newWorld();
    const atEdge = await world.call('GET', '/agents', { query: { uid: world.uid } });
    expect(atEdge.status).toBe(200);
    const direct = await fetch(`${deployed.apiUrl}/agents?uid=${world.uid}`, {
      headers: { 'x-authorization': world.apiKey },
    });
    expect(await direct.json()).toEqual(atEdge.body);
  });

  it('says under which request id an answer is in the log', async () => {
    const answer = await call('GET', '/agents', { query: { uid: target.uid }, apiKey: target.apiKey });
    expect(answer.headers.get('x-request-id')).toMatch(/\S{8,}/);
  });
});
