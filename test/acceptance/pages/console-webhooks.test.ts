import { expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { newEndpoint, newReceiver, verified } from '../../support/webhooks.ts';
import { newWorld, type World } from '../../support/world.ts';
import { findViolations, useBrowser } from './browser.ts';
import { openConsole } from './open-console.ts';

useBrowser();

const open = ({ apiKey }: World) => openConsole(apiKey, '/console/webhooks');

it('have calls sent to our server: its secret is shown once and verifies what arrives', async () => {
  const world = await newWorld();
  const receiver = await newReceiver();
  const { page, complaints } = await open(world);
  await page.getByText('Nothing is sent anywhere yet').waitFor();
  await page.getByRole('button', { name: 'Create an endpoint' }).click();
  await page.getByLabel('Address').fill(receiver.url);
  await page.getByLabel('Everything').uncheck();
  await page.getByLabel('Calls').check();
  await page.getByRole('button', { name: 'Create the endpoint' }).click();
  const secret = (await page.getByLabel('Secret', { exact: true }).textContent()) ?? '';
  expect(secret).toMatch(/^whsec_/);
  await page.getByRole('button', { name: 'Done' }).click();
  await world.recordCall('call-1');
  const [request] = await receiver.waitFor(1);
  expect(request && verified(secret, request).type).toBe('call.recorded');
  await page.reload();
  await page
    .getByRole('row', { name: /call.recorded/ })
    .getByText('Delivered')
    .waitFor();
  expect(await page.content()).not.toContain(secret);
  expect(complaints).toEqual([]);
});

it('which deliveries failed, and why? One is sent again when the server works', async () => {
  const world = await newWorld();
  const receiver = await newReceiver({ status: 500 });
  await newEndpoint(world, receiver.url);
  await world.recordCall('call-1');
  await receiver.waitFor(1);
  const { page } = await open(world);
  const delivery = page.getByRole('row', { name: /call.recorded/ });
  await delivery.getByText('The receiver answered with status 500.').first().waitFor();
  await receiver.reply({ status: 204 });
  await delivery.getByRole('button', { name: /^Send again: call.recorded/ }).click();
  await page.getByText('The event is sent again.').waitFor();
  await delivery.getByText('Delivered').waitFor();
  await delivery.getByText(/attempts/).click();
  await delivery.getByRole('listitem').last().getByText('Status 204.').waitFor();
  await page.getByLabel('Status').selectOption('Failed');
  await page.getByText('No delivery matches these filters').waitFor();
});

it('does our endpoint answer? A test says how, and with a new secret', async () => {
  const world = await newWorld();
  const receiver = await newReceiver({ status: 503 });
  const { secret } = await newEndpoint(world, receiver.url);
  const { page } = await open(world);
  await page.getByRole('link', { name: receiver.url }).click();
  await page.getByRole('button', { name: 'Send a test event' }).click();
  // The endpoint and the list of deliveries soon say the same.
  await page.getByRole('status').filter({ hasText: 'The receiver answered with status 503.' }).waitFor();
  await page.getByRole('button', { name: 'Rotate the secret' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Rotate the secret' }).click();
  const rotated = await page.getByLabel('Secret', { exact: true }).textContent();
  expect(rotated).toMatch(/^whsec_/);
  expect(rotated).not.toBe(secret);
});

it('pause an endpoint, and delete it: by typing its address', async () => {
  const world = await newWorld();
  const receiver = await newReceiver();
  await newEndpoint(world, receiver.url);
  const { page } = await open(world);
  await page.getByRole('link', { name: receiver.url }).click();
  await page.getByRole('button', { name: 'Switch off' }).click();
  await page.getByText('Switched off', { exact: true }).waitFor();
  await page.getByRole('button', { name: 'Delete', exact: true }).click();
  await page.getByLabel(`Type ${receiver.url}`).fill(receiver.url);
  await page.getByRole('button', { name: 'Delete the endpoint' }).click();
  await page.getByText('Nothing is sent anywhere yet').waitFor();
});

it('an address that events may not be sent to is refused in words, and nothing that was typed is lost', async () => {
  const world = await newWorld();
  const { page } = await open(world);
  await page.getByRole('button', { name: 'Create an endpoint' }).click();
  await page.getByLabel('Address').fill('https://127.0.0.1/webhooks');
  await page.getByLabel('Description').fill('Our server');
  await page.getByRole('button', { name: 'Create the endpoint' }).click();
  await page.getByRole('dialog').getByText('has a host that is not public').waitFor();
  expect(await page.getByLabel('Description').inputValue()).toBe('Our server');
});

it('an endpoint has a chart of its successes, and sends all that failed again, but for what cannot be sent', async () => {
  const world = await newWorld();
  const receiver = await newReceiver({ status: 410 });
  const { endpointId } = await newEndpoint(world, receiver.url, { events: ['call.recorded'] });
  const list = async (status: string) => {
    const query = { uid: world.uid, status };
    return (await world.call('GET', '/webhook-deliveries', { query })).body.deliveries as { deliveryId: string }[];
  };
  // A receiver that is gone for good gets one attempt, and its endpoint is switched off.
  for (const [index, callId] of ['call-1', 'call-2'].entries()) {
    await world.recordCall(callId);
    await until(async () => (await list('failed')).length === index + 1);
    const body = { uid: world.uid, active: true };
    expect((await world.call('PATCH', `/webhook-endpoints/${endpointId}`, { body })).status).toBe(200);
  }
  const [refused] = await list('failed');
  await receiver.reply({ status: 204 });
  const { page, complaints } = await open(world);
  await page.getByRole('link', { name: receiver.url }).click();
  await page.getByRole('heading', { name: receiver.url, level: 1 }).waitFor();
  await page.getByRole('img', { name: /^Deliveries a day/ }).waitFor();
  await page.getByText('The chart as a table').click();
  await page.getByRole('table', { name: 'Deliveries a day' }).getByRole('row').nth(1).getByText('2').first().waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.route('**/webhook-deliveries/redeliver', (route) =>
    route.request().postDataJSON().deliveryId === refused?.deliveryId
      ? route.fulfill({ status: 404, json: { error: 'delivery_not_found', message: 'There is no such delivery.' } })
      : route.continue(),
  );
  await page.getByRole('button', { name: 'Send all failed again' }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByText('Deliveries that failed: 2.').waitFor();
  await dialog.getByRole('button', { name: 'Send 2 again' }).click();
  await dialog.getByText('Events sent again: 1.').waitFor();
  await dialog.getByRole('row', { name: /call.recorded of .*There is no such delivery/ }).waitFor();
  expect(await findViolations(page)).toEqual([]);
  await dialog.getByRole('button', { name: 'Done' }).click();
  // The browser itself logs the 404.
  expect(complaints.filter((text) => !text.includes('404'))).toEqual([]);
});

it('deliveries and endpoints show their states by themselves, and nothing moves under the pointer', async () => {
  const world = await newWorld();
  const receiver = await newReceiver();
  await newEndpoint(world, receiver.url, { events: ['call.recorded'] });
  await world.recordCall('call-1');
  await receiver.waitFor(1);
  const { page, complaints } = await open(world);
  const table = page.getByRole('table', { name: 'Deliveries' });
  const rows = table.getByRole('row', { name: /call.recorded/ });
  await rows.getByText('Delivered').waitFor();
  await world.recordCall('call-2');
  const news = page.getByRole('button', { name: '1 new delivery' });
  await news.waitFor();
  expect(await rows.count()).toBe(1);
  expect(await findViolations(page)).toEqual([]);
  await news.click();
  await expect.poll(() => rows.count()).toBe(2);
  await news.waitFor({ state: 'detached' });

  const { deliveries } = (await world.call('GET', '/webhook-deliveries', { query: { uid: world.uid } })).body;
  const [newest, oldest] = deliveries.map(({ deliveryId }: { deliveryId: string }) => deliveryId);
  const sendAgain = (deliveryId: string) =>
    world.call('POST', '/webhook-deliveries/redeliver', { body: { uid: world.uid, deliveryId } });
  await receiver.reply({ status: 500 });
  // The row under the pointer changes in its place, the one above it only when the pointer has left.
  await rows.last().hover();
  await sendAgain(newest);
  await page.getByRole('button', { name: '1 change', exact: true }).last().waitFor();
  await sendAgain(oldest);
  await rows.last().getByText('Delivered').waitFor({ state: 'detached' });
  // The endpoint, which is above, waits, too.
  await expect.poll(() => page.getByRole('button', { name: '1 change', exact: true }).count()).toBe(2);
  expect(await rows.first().getByText('Delivered').count()).toBe(1);
  await page.getByRole('heading', { name: 'Webhooks' }).hover();
  await rows.first().getByText('The receiver answered with status 500.').first().waitFor();
  await page.getByRole('table', { name: 'Endpoints' }).getByText('Failing').waitFor();
  expect(complaints).toEqual([]);
});
