import { execFile } from 'node:child_process';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { promisify } from 'node:util';
import { describe, expect, it } from 'vitest';
import type { Received } from '../../support/receiver.ts';
import { newEndpoint, newReceiver } from '../../support/webhooks.ts';
import { newWorld } from '../../support/world.ts';

const run = promisify(execFile);
const guide = readFileSync('functions/openapi/guides/webhooks.md', 'utf8');
const findCode = (language: string) => new RegExp(`^\`\`\`${language}\\n(.*?)^\`\`\``, 'ms').exec(guide)?.[1] ?? '';

/** Runs a program of the guide on a request, and returns its output. */
const programs: Record<string, (secret: string, request: Received) => Promise<string>> = {
  ts: async (secret, request) => {
    const folder = mkdtempSync(join(tmpdir(), 'webhooks-guide-'));
    const client = resolve('functions/openapi/client/client.ts');
    writeFileSync(join(folder, 'verify.ts'), findCode('ts').replace("'voice-agent-platform-client'", `'${client}'`));
    const script = `
      import { eventOf } from './verify.ts';
      const [secret, headers, body] = JSON.parse(process.argv[2]);
      const event = await eventOf(new Request('http://127.0.0.1/', { method: 'POST', headers, body }), secret);
      console.log(JSON.stringify(event));
    `;
    writeFileSync(join(folder, 'main.ts'), script);
    const input = JSON.stringify([secret, request.headers, request.body]);
    return (await run(process.execPath, [join(folder, 'main.ts'), input])).stdout;
  },
  python: async (secret, request) => {
    const folder = mkdtempSync(join(tmpdir(), 'webhooks-guide-'));
    const script = `${findCode('python')}\nimport sys\nprint(json.dumps(event_of(*json.loads(sys.argv[1]))))\n`;
    writeFileSync(join(folder, 'main.py'), script);
    const input = JSON.stringify([secret, request.headers, request.body]);
    return (await run('python3', [join(folder, 'main.py'), input])).stdout;
  },
};

describe.each(Object.keys(programs))('the guide’s verification in %s', (language) => {
  it(`the guide’s verification in ${language} accepts a real delivery, before and after a rotation, and rejects a changed one`, async () => {
    const world = await newWorld();
    const receiver = await newReceiver();
    const { endpointId, secret } = await newEndpoint(world, receiver.url, { events: ['call.recorded'] });
    await world.recordCall('call-1');
    const [delivery] = (await receiver.waitFor(1)) as [Received];
    const verify = programs[language] as (secret: string, request: Received) => Promise<string>;
    expect(JSON.parse(await verify(secret, delivery))).toMatchObject({
      type: 'call.recorded',
      data: { uid: world.uid, call_id: 'call-1', phone: '+14155550100' },
    });
    const body = { uid: world.uid };
    const rotated = (await world.call('POST', `/webhook-endpoints/${endpointId}/rotate-secret`, { body })).body;
    await world.recordCall('call-2');
    const [, next] = (await receiver.waitFor(2)) as [Received, Received];
    for (const one of [secret, rotated.secret]) expect(await verify(one, next)).toContain('call-2');
    await expect(verify(rotated.secret, delivery)).rejects.toThrow();
    const forged = { ...delivery, body: delivery.body.replace('+14155550100', '+14155550199') };
    await expect(verify(secret, forged)).rejects.toThrow();
    const old = { ...delivery, headers: { ...delivery.headers, 'webhook-timestamp': '1700000000' } };
    await expect(verify(secret, old)).rejects.toThrow();
  });
});
