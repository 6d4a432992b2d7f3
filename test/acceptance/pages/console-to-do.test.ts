import { expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { send } from '../../support/voice-platforms.ts';
import { newEndpoint, newReceiver } from '../../support/webhooks.ts';
import { newWorld, type World } from '../../support/world.ts';
import { findViolations, useBrowser } from './browser.ts';
import { openConsole, shown } from './open-console.ts';

useBrowser();

const configuration = { outcomes: [{ name: 'booked', found: { minCallerWords: 4 } }] };

/** Records a call in which the platform supposed a booking. */
const recordHeldCall = async (world: World, id: string) => {
  const analysis = { structuredData: { custom_call_outcome: 'booked', custom_call_outcome_value: 90 } };
  const call = { id, customer: { number: '+14155550100' } };
  const message = { type: 'end-of-call-report', durationSeconds: 60, call, analysis };
  expect((await send(world, 'vapi', { body: { message } })).status).toBe(200);
};

/** A user whose platform supposed a booking in some calls, too short to be sure. */
const newHeldCalls = async (ids: string[]) => {
  const world = await newWorld();
  await world.call('PATCH', `/agents/${world.agentId}`, { body: { configuration } });
  for (const id of ids) await recordHeldCall(world, id);
  const [from, to] = [-30, 1].map((days) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10));
  const figures = () => world.call('GET', '/call-figures', { query: { uid: world.uid, from, to } });
  await until(async () => (await figures()).body.totals.held === ids.length);
  return world;
};

it('“What needs doing?” leads to the held outcomes, which are decided together or one after the other', async () => {
  const world = await newHeldCalls(['a', 'b', 'c', 'd']);
  const { page, complaints } = await openConsole(world.apiKey);
  await page.getByRole('navigation', { name: 'Console' }).getByText('4 held outcomes').waitFor();
  const held = page.getByRole('link', { name: '4 outcomes are held: set or clear them' });
  await held.waitFor();
  expect(await findViolations(page)).toEqual([]);
  await held.click();
  await page
    .getByRole('row', { name: /Held: booked/ })
    .nth(3)
    .waitFor();
  await page.getByRole('checkbox', { name: /vapi:a/ }).check();
  await page.getByRole('checkbox', { name: /vapi:b/ }).check();
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Set 2 chosen' }).click();
  await page.getByText('Outcomes decided: 2.').waitFor();
  const rows = page.getByRole('row', { name: /Held: booked/ });
  await expect.poll(() => rows.count()).toBe(2);
  // A decision about one leads to the next one.
  await rows.first().getByRole('link').click();
  const opened = () => new URL(page.url()).searchParams.get('callId');
  const first = opened();
  await page.getByRole('dialog').getByRole('button', { name: 'Clear', exact: true }).click();
  await expect.poll(opened).not.toBe(first);
  await page.getByRole('dialog').getByText('The platform found').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await page.getByRole('button', { name: 'Clear all 1' }).click();
  await page.getByText('No call matches these filters').waitFor();
  const { calls } = (await world.call('GET', '/calls', { query: { uid: world.uid, agentId: world.agentId } })).body;
  const outcomes = calls.map((call: { callId: string; custom_call_outcome?: string }) => [
    call.callId,
    call.custom_call_outcome,
  ]);
  expect(Object.fromEntries(outcomes)).toEqual({ 'vapi:a': 'booked', 'vapi:b': 'booked' });
  expect(complaints).toEqual([]);
});

it('of held calls of two agents with the same id, the chosen one is decided, and the other one stays', async () => {
  const world = await newWorld();
  const { uid, agentId, apiKey, call } = world;
  await call('PATCH', `/agents/${agentId}`, { body: { configuration } });
  const second = (await call('POST', '/agents', { body: { uid, name: 'Second', configuration } })).body.agentId;
  await recordHeldCall(world, 'a');
  await recordHeldCall({ ...world, agentId: second }, 'a');
  const { page, complaints } = await openConsole(apiKey, '/console/calls?held=true');
  const rows = page.getByRole('row', { name: /Held: booked/ });
  const box = { name: 'Choose booked of call vapi:a' };
  const [ofSecond, ofFirst] = ['Second', 'Agent'].map((name) =>
    rows.filter({ has: page.getByText(name, { exact: true }) }),
  );
  await ofSecond?.getByRole('checkbox', box).check();
  expect(await ofFirst?.getByRole('checkbox', box).isChecked()).toBe(false);
  await page.getByRole('button', { name: 'Set 1 chosen' }).click();
  await page.getByText('Outcomes decided: 1.').waitFor();
  await expect.poll(() => rows.count()).toBe(1);
  await ofFirst?.getByRole('checkbox', { ...box, checked: false }).waitFor();
  const read = async (id: string) => (await call('GET', `/calls/${id}/vapi:a`, { query: { uid } })).body;
  expect((await read(second)).custom_call_outcome).toBe('booked');
  expect((await read(agentId)).heldOutcome.custom_call_outcome).toBe('booked');
  // An open call of the one is not taken for that of the other.
  await ofFirst?.getByRole('link').click();
  await page.getByRole('dialog').getByRole('button', { name: 'Clear', exact: true }).click();
  await page.getByText('No call matches these filters').waitFor();
  expect((await read(second)).custom_call_outcome).toBe('booked');
  expect((await read(agentId)).heldOutcome).toBeUndefined();
  expect(complaints).toEqual([]);
});

it('a webhook that fails is to do with its reason, and nothing is while nothing waits', async () => {
  const world = await newWorld();
  const { page } = await openConsole(world.apiKey);
  await page.getByText('the way to the first one').waitFor();
  await shown(page);
  expect(await page.getByRole('heading', { name: 'To do' }).count()).toBe(0);
  const receiver = await newReceiver({ status: 500 });
  await newEndpoint(world, receiver.url);
  await world.recordCall('call-1');
  await until(async () => {
    const { endpoints } = (await world.call('GET', '/webhook-endpoints', { query: { uid: world.uid } })).body;
    return endpoints[0].failingSince !== undefined;
  });
  await page.reload();
  await page.getByRole('link', { name: /^The webhook .* fails: The receiver answered with status 500/ }).click();
  await page.getByRole('row', { name: /Failing Since .*: The receiver answered with status 500/ }).waitFor();
});
