import { expect, it } from 'vitest';
import { operator, runOperator, settings } from '../../support/operator-command.ts';
import { newWorld, unique } from '../../support/world.ts';

it('webhooks listen reports unusable options', async () => {
  const { uid } = await newWorld();
  const run = (...args: string[]) => operator('webhooks', 'listen', ...args);
  const to = ['--forward-to', 'http://127.0.0.1:9/'];
  expect(await run('--forward-to', 'nowhere', '--uid', uid)).toMatchObject({ code: 2 });
  expect(await run(...to)).toMatchObject({ code: 2, stderr: expect.stringContaining('--uid is required') });
  expect(await run(...to, '--uid', unique('nobody'))).toMatchObject({ code: 1 });
  const bad = await runOperator({ ...settings, VAP_WEBHOOK_SECRET: 'short' }, [
    'webhooks',
    'listen',
    ...to,
    '--uid',
    uid,
  ]);
  expect(bad).toMatchObject({ code: 2, stderr: expect.stringContaining('VAP_WEBHOOK_SECRET') });
  const wrong = await run(...to, '--uid', uid, '--event', 'call.happened');
  expect(wrong).toMatchObject({ code: 2, stderr: expect.stringContaining('events') });
  const foreign = (await newWorld()).agentId;
  expect(await run(...to, '--uid', uid, '--agent-id', foreign)).toMatchObject({
    code: 1,
    stderr: `User ${uid} has no access to agent ${foreign}.\n`,
  });
});
