import { describe, expect, it } from 'vitest';
import { Client, callsTool, model, says, straightTo, talk } from '../chat.ts';
import { newWorld } from '../world.ts';

describe('the answer', () => {
  it('is the UI message stream of the AI SDK, event by event', async () => {
    const answer = await talk(model(says('Hel', 'lo.')));
    expect(answer.status).toBe(200);
    expect(answer.text).toMatchInlineSnapshot(`
      "data: {"type":"start"}

      data: {"type":"start-step"}

      data: {"type":"text-start","id":"0"}

      data: {"type":"text-delta","id":"0","delta":"Hel"}

      data: {"type":"text-delta","id":"0","delta":"lo."}

      data: {"type":"text-end","id":"0"}

      data: {"type":"finish-step"}

      data: {"type":"finish","finishReason":"stop"}

      data: [DONE]

      "
    `);
    expect(answer.headers).toMatchInlineSnapshot(`
      {
        "cache-control": "no-cache",
        "content-type": "text/event-stream",
        "x-accel-buffering": "no",
        "x-content-type-options": "nosniff",
        "x-request-id": "request-1e91fcd1252b",
        "x-vercel-ai-ui-message-stream": "v1",
      }
    `);
  });
  it('approval', async () => {
    const world = await newWorld();
    const m = model(callsTool('createAgent', { name: 'Night desk' }), says('Made.'));
    const client = new Client({ send: straightTo(m, { apiKey: world.apiKey }) });
    await client.sendMessage({ text: 'Make an agent' });
    console.log(JSON.stringify(client.messages, null, 1));
    const part = client.last.parts.find((p) => p.type === 'tool-createAgent') as any;
    await client.addToolApprovalResponse({ id: part.approval.id, approved: true });
    await client.settled();
    console.log(client.error, JSON.stringify(client.messages, null, 1));
    console.log((await world.call('GET', '/agents', { query: { uid: world.uid } })).text);
  });
});
