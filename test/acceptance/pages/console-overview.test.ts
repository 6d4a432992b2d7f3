import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { until } from '../../support/until.ts';
import { newWorld, type World } from '../../support/world.ts';
import { useBrowser } from './browser.ts';
import { later, wednesday } from './last-week.ts';
import { choose, figure, openConsole, openSettings } from './open-console.ts';

useBrowser();

type Made = { startedAt: string; outcome?: string; value?: number };

/** Records calls of three minutes, and waits until the figures count them. */
const recordCalls = async ({ uid, agentId, call }: World, calls: Made[]) => {
  const items = calls.map(({ startedAt, outcome, value }, index) => ({
    ...{ agentId, callId: `call-${index}`, direction: 'inbound', startedAt, durationSeconds: 180 },
    ...(outcome && { custom_call_outcome: outcome, custom_call_outcome_value: value }),
  }));
  expect((await call('POST', '/calls', { body: { items } })).body.failed).toEqual([]);
  await until(async () => {
    const { body } = await call('GET', '/call-figures', {
      query: { uid, agentId, from: later(new Date(), -30 * 24).slice(0, 10), to: later(new Date(), 24).slice(0, 10) },
    });
    return body.totals.calls === calls.length && !body.pending;
  });
};
it('“Which outcome earned most last week in New York time?”', async () => {
  const world = await newWorld();
  const noon = wednesday('America/New_York');
  await recordCalls(world, [
    { startedAt: later(noon, 0), outcome: 'booked', value: 120.5 },
    { startedAt: later(noon, 1), outcome: 'booked', value: 100 },
    { startedAt: later(noon, 2), outcome: 'upsold', value: 300 },
    // Monday at two in the morning in UTC is still Sunday in New York.
    { startedAt: later(noon, 4 * 24 + 14), outcome: 'late sale', value: 500 },
    // Two hours after midnight on the Monday of the week is still in the week before.
    { startedAt: later(noon, -2 * 24 - 10), outcome: 'early sale', value: 900 },
  ]);
  const { page, complaints } = await openConsole(world.apiKey);
  await page.getByLabel('Period').selectOption('Last week');
  await openSettings(page);
  await page.getByLabel('Time zone of the page').fill('new york');
  await page.keyboard.press('Enter');
  await page.getByRole('row', { name: 'late sale 1 3 500.00 500.00' }).waitFor();
  expect(await page.getByRole('row', { name: 'booked 2 6 220.50 110.25' }).count()).toBe(1);
  expect(await page.getByRole('row', { name: /early sale/ }).count()).toBe(0);
  expect(await figure(page, 'Value')).toContain('1,020.50');
  expect(page.url()).toContain('timeZone=America%2FNew_York');
  expect(complaints).toEqual([]);
});

it('“How did we do compared with the days before, and on which day most?”', async () => {
  const world = await newWorld();
  const noon = wednesday();
  const before = later(noon, -7 * 24);
  await recordCalls(world, [
    { startedAt: before, outcome: 'booked', value: 100 },
    { startedAt: later(noon, 0), outcome: 'booked', value: 150 },
    { startedAt: later(noon, 24), outcome: 'booked', value: 150 },
    { startedAt: later(noon, 25) },
  ]);
  const { page } = await openConsole(world.apiKey, '/console?period=last-week');
  await page.getByText('compared with the 7 days before').waitFor();
  await page.getByText('+200%, from 1').first().waitFor();
  expect(await figure(page, 'Calls')).toMatch(/^Calls\s+3\s+\+200%, from 1$/);
  expect(await figure(page, 'With an outcome')).toMatch(/66.7%\s+-33.3%, from 100%/);
  expect(await figure(page, 'Minutes')).toMatch(/9\s+\+200%, from 3$/);
  expect(await figure(page, 'Value')).toMatch(/300\s+\+200%, from 100$/);
  // Every chart has its table.
  await page.getByRole('img', { name: /^Calls a day by outcome/ }).waitFor();
  await page.getByRole('img', { name: /^Value over time/ }).waitFor();
  await page.getByText('The charts as a table').click();
  const table = page.getByRole('table', { name: 'Calls a day by outcome' });
  expect(await table.getByRole('columnheader').allTextContents()).toEqual([
    ...['Day', 'Calls', 'Minutes', 'Value', 'Value per call', 'booked', 'No outcome'],
  ]);
  expect(await table.getByRole('row').count()).toBe(8);
  await table.getByRole('row', { name: /2 6 150.00 75.00 1 1$/ }).waitFor();
});

it('“Show me the calls behind an outcome.”', async () => {
  const world = await newWorld();
  await recordCalls(world, [{ startedAt: later(wednesday(), 0), outcome: 'angry', value: 0 }]);
  const { page } = await openConsole(world.apiKey, '/console?period=last-week');
  await choose(page, 'Agent', 'Agent');
  await page.getByRole('link', { name: 'angry' }).click();
  await page.getByRole('heading', { name: 'Calls', exact: true }).waitFor();
  await page.getByRole('row', { name: /angry/ }).waitFor();
  await page.getByRole('button', { name: 'Outcome: angry' }).waitFor();
});

it('each outcome of a period before the last 90 days has its own color', async () => {
  const world = await newWorld();
  for (const [index, outcome] of ['booked', 'moved', 'canceled'].entries()) {
    await world.recordCall(`call-${index}`);
    const body = { custom_call_outcome: outcome };
    expect((await world.call('PATCH', `/calls/${world.agentId}/call-${index}`, { body })).status).toBe(200);
  }
  const { page } = await openConsole(world.apiKey, '/console?period=custom&from=2026-02-28&to=2026-03-02');
  const badges = page.getByRole('table', { name: 'Figures by outcome' }).locator('.badge i');
  await badges.nth(2).waitFor();
  const readColors = (dots: string): Promise<string[]> =>
    page.evaluate(`[...document.querySelectorAll('${dots}')].map((dot) => getComputedStyle(dot).backgroundColor)`);
  await expect.poll(async () => new Set(await readColors('.badge i')).size).toBe(3);
  // The chart, which is read by itself, has the same colors, and one for calls without an outcome.
  await expect
    .poll(async () => (await readColors('.key-of-series i')).slice(0, 3).toSorted())
    .toEqual((await readColors('.badge i')).toSorted());
});

it('“Give me the figures as CSV.”', async () => {
  const world = await newWorld();
  const noon = wednesday();
  await recordCalls(world, [{ startedAt: later(noon, 0), outcome: '=1+1', value: 12.25 }]);
  const { page } = await openConsole(world.apiKey, '/console?period=last-week');
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download as CSV' }).click(),
  ]);
  const csv = readFileSync(await download.path(), 'utf8');
  expect(csv.split('\r\n')[0]).toContain('day,outcome');
  expect(csv).toContain(`${noon.toISOString().slice(0, 10)},'=1+1,`);
});

it('“Which version of the front desk earns more?”', async () => {
  const world = await newWorld();
  const { agentId, apiKey, call } = world;
  const startedAt = later(wednesday(), 0);
  for (const [callId, agentVersion, value] of [
    ['call-1', 1, 100],
    ['call-2', 2, 250.5],
  ] as const) {
    const body = { direction: 'inbound', startedAt, agentVersion };
    expect((await call('PUT', `/calls/${agentId}/${callId}`, { body })).status).toBe(200);
    const outcome = { custom_call_outcome: 'booked', custom_call_outcome_value: value };
    expect((await call('PATCH', `/calls/${agentId}/${callId}`, { body: outcome })).status).toBe(200);
  }
  const { page } = await openConsole(apiKey, `/console/agents?agentId=${agentId}`);
  await page.getByRole('link', { name: 'Figures by version' }).click();
  await page.getByLabel('Period').selectOption('Last week');
  await page.getByRole('row', { name: /Version 2 1 .* 250.50/ }).waitFor();
  await page.getByRole('row', { name: /Version 1 1 .* 100/ }).waitFor();
});

it('a user without calls is led to the first one', async () => {
  const { apiKey } = await newWorld();
  const { page } = await openConsole(apiKey, '/console?period=7-days');
  await page.getByRole('listitem').filter({ hasText: 'Done Create an agent' }).waitFor();
  await page
    .getByRole('listitem')
    .filter({ hasText: /^Give it knowledge/ })
    .waitFor();
  await page.getByRole('link', { name: 'Connect a platform' }).waitFor();
});

it('“What did last week’s calls cost, and what is left?”', async () => {
  const world = await newWorld();
  const { agentId, apiKey, call } = world;
  const configuration = { valueCurrency: 'USD' };
  expect((await call('PATCH', `/agents/${agentId}`, { body: { configuration } })).status).toBe(200);
  const items = [0.12, 0.04].map((amount, index) => ({
    ...{ agentId, callId: `call-${index}`, direction: 'inbound', startedAt: later(wednesday(), index) },
    ...{
      details: { cost: { amount, currency: 'USD' } },
      custom_call_outcome: 'booked',
      custom_call_outcome_value: 100,
    },
  }));
  expect((await call('POST', '/calls', { body: { items } })).body.failed).toEqual([]);
  await until(async () => {
    const [from, to] = [-30, 1].map((days) => later(new Date(), days * 24).slice(0, 10));
    const { body } = await call('GET', '/call-figures', { query: { uid: world.uid, agentId, from, to } });
    return body.totals.costs === 2 && !body.pending;
  });
  const { page, complaints } = await openConsole(apiKey, '/console?period=last-week');
  await page
    .getByRole('term')
    .filter({ hasText: /^Cost$/ })
    .waitFor();
  expect(await figure(page, 'Cost')).toContain('$0.16');
  expect(await figure(page, 'Margin')).toContain('$199.84');
  expect(await figure(page, 'Value')).toContain('$200');
  await page.getByRole('img', { name: /^Value, cost and margin over time/ }).waitFor();
  const row = page.getByRole('table', { name: 'Figures by outcome' }).getByRole('row').nth(1);
  expect(await row.getByRole('cell').allTextContents()).toEqual([
    ...['booked', '2', '0', '$200.00', '$100.00', '$0.16', '$0.08', '$199.84'],
  ]);
  expect(complaints).toEqual([]);
});
