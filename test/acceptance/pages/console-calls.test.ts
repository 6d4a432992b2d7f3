import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { apiKeys } from '../../../functions/store/api-keys.ts';
import { recordAll } from '../../support/record-all.ts';
import { send } from '../../support/voice-platforms.ts';
import { newWorld } from '../../support/world.ts';
import { findViolations, useBrowser } from './browser.ts';
import { choose, openConsole, openFilter, openSettings } from './open-console.ts';

useBrowser();

it('“Set the outcome of this morning’s call to booked, worth 149.50.”', async () => {
  const { recordCall, apiKey, agentId, call } = await newWorld();
  await call('PATCH', `/agents/${agentId}`, { body: { configuration: { valueCurrency: 'EUR' } } });
  await recordCall('call-1', { status: 'completed', durationSeconds: 212 });
  const { page, complaints } = await openConsole(apiKey, '/console/calls');
  await page.getByRole('link', { name: 'Mar 1, 2026, 11:00 AM' }).click();
  const dialog = page.getByRole('dialog', { name: 'Call' });
  await dialog.getByText('3:32').waitFor();
  await dialog.getByLabel('Value in EUR').fill('149 euros');
  await dialog.getByRole('combobox', { name: 'Outcome' }).fill('booked');
  await dialog.getByRole('button', { name: 'Save outcome' }).click();
  await dialog.getByText('Enter a number').waitFor();
  await dialog.getByLabel('Value').fill('149,50');
  await page.keyboard.press('Enter');
  await page.getByRole('status').getByText('The outcome is saved.').waitFor();
  const { body } = await call('GET', `/calls/${agentId}/call-1`);
  expect([body.custom_call_outcome, body.custom_call_outcome_value]).toEqual(['booked', 149.5]);
  await dialog.getByRole('button', { name: 'Close' }).click();
  await page.getByRole('row', { name: /booked €149.50/ }).waitFor();
  expect(complaints).toEqual([]);
});

it('“Who set the outcome of this call, and when?”', async () => {
  const { recordCall, apiKey, agentId, call } = await newWorld();
  await recordCall('call-1');
  await call('PATCH', `/calls/${agentId}/call-1`, { body: { custom_call_outcome: 'booked' } });
  await call('PATCH', `/calls/${agentId}/call-1`, { body: { custom_call_metadata: { campaign: 'spring' } } });
  const { page } = await openConsole(apiKey, '/console/calls');
  await page.getByRole('link', { name: 'Mar 1, 2026' }).click();
  const dialog = page.getByRole('dialog', { name: 'Call' });
  const entries = dialog.getByRole('listitem');
  await entries.first().waitFor();
  const [newest, oldest] = await entries.allTextContents();
  expect(newest).toContain('You set metadata');
  expect(oldest).toContain('You set outcome booked');
  await dialog.getByText('"campaign": "spring"').waitFor();
});

it('“Let me hear this call.” Nothing is loaded before it is played, and a recording that cannot be played says so', async () => {
  const { recordCall, apiKey } = await newWorld();
  const url = 'https://recordings.example.com/1.wav';
  await recordCall('call-1', { details: { recordingUrl: url, source: 'reconciled' } });
  const { page, asked } = await openConsole(apiKey, '/console/calls');
  // A second of silence: 8,000 bytes of 8 bits each.
  const header = Buffer.from(
    '52494646641f000057415645666d74201000000001000100401f0000401f00000100080064617461401f0000',
    'hex',
  );
  await page.route(url, (route) =>
    route.fulfill({ contentType: 'audio/wav', body: Buffer.concat([header, Buffer.alloc(8000, 128)]) }),
  );
  await page.getByRole('link', { name: 'Mar 1, 2026' }).click();
  const dialog = page.getByRole('dialog', { name: 'Call' });
  await dialog.getByText('The end of this call did not arrive.').waitFor();
  expect(await dialog.getByRole('link', { name: 'Open the recording' }).getAttribute('href')).toBe(url);
  const play = 'document.querySelector("audio").play()';
  expect(asked).not.toContain(url);
  await page.evaluate(play);
  expect(asked).toContain(url);
  await page.route(url, (route) => route.fulfill({ status: 401 }));
  await page.reload();
  await dialog.getByRole('link', { name: 'Open the recording' }).waitFor();
  await page.evaluate(`${play}.catch(() => {})`);
  await dialog.getByText('This page cannot play the recording.').waitFor();
});

it('“When was that in New York, and in UTC?”', async () => {
  const { recordCall, apiKey } = await newWorld();
  await recordCall('call-1', { startedAt: '2026-03-08T06:30:00Z' });
  const { page } = await openConsole(apiKey, '/console/calls');
  await page.getByRole('link', { name: 'Mar 8, 2026, 7:30 AM' }).waitFor();
  await page.getByRole('rowheader', { name: 'Sunday, March 8, 2026' }).waitFor();
  await page.getByTitle('Mar 8, 2026, 6:30 AM (UTC)').waitFor();
  await openSettings(page);
  await page.getByLabel('Time zone of the page').fill('new york');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Mar 8, 2026, 1:30 AM' }).waitFor();
});

it('“Show me the calls of March 8 in New York, a day of 23 hours.”', async () => {
  const { recordCall, apiKey } = await newWorld();
  const starts = ['2026-03-08T04:59:59Z', '2026-03-08T05:00:00Z', '2026-03-09T03:59:59Z', '2026-03-09T04:00:00Z'];
  for (const [index, startedAt] of starts.entries()) await recordCall(`call-${index}`, { startedAt });
  const { page } = await openConsole(apiKey, '/console/calls?timeZone=America/New_York');
  await openFilter(page, 'From');
  await page.getByLabel('From', { exact: true }).fill('2026-03-08');
  await openFilter(page, 'To');
  await page.getByLabel('To', { exact: true }).fill('2026-03-08');
  const links = page.getByRole('table').getByRole('link');
  await expect.poll(() => links.allTextContents()).toEqual(['11:59 PM', '12:00 AM']);
});

it('“Which calls were there in the last seven days?” One choice says', async () => {
  const { recordCall, apiKey } = await newWorld();
  const daysAgo = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  await recordCall('call-1', { startedAt: daysAgo(2) });
  await recordCall('call-2', { startedAt: daysAgo(20), phone: '+14155550101' });
  const { page } = await openConsole(apiKey, '/console/calls');
  await openFilter(page, 'Period');
  await page.getByLabel('Period', { exact: true }).selectOption('Last 7 days');
  await page.getByRole('button', { name: 'Period: Last 7 days' }).waitFor();
  await page.getByRole('cell', { name: '+1 (415) 555-0101' }).waitFor({ state: 'detached' });
  await expect.poll(() => page.getByRole('table').getByRole('link').count()).toBe(1);
});

it('“Which calls have no outcome yet?”', async () => {
  const { recordCall, apiKey, agentId, call } = await newWorld();
  await recordCall('call-1');
  await recordCall('call-2', { phone: '+14155550101' });
  await call('PATCH', `/calls/${agentId}/call-1`, { body: { custom_call_outcome: 'booked' } });
  const { page } = await openConsole(apiKey, '/console/calls');
  await openFilter(page, 'Outcome');
  await choose(page, 'Outcome', 'Without an outcome');
  await page.getByRole('cell', { name: 'booked' }).waitFor({ state: 'detached' });
  await page.getByRole('cell', { name: '+1 (415) 555-0101' }).waitFor();
});

it('“Which calls of the whole practice have no outcome yet, and whose are they?”', async () => {
  const { recordCall, apiKey, uid, call } = await newWorld();
  const { body: evening } = await call('POST', '/agents', { body: { uid, name: 'Evening shift' } });
  await recordCall('call-1');
  const body = { direction: 'inbound', startedAt: '2026-03-01T11:00:00Z', phone: '+14155550101' };
  expect((await call('PUT', `/calls/${evening.agentId}/call-2`, { body })).status).toBe(200);
  const { page, complaints } = await openConsole(apiKey, '/console/calls');
  await openFilter(page, 'Outcome');
  await choose(page, 'Outcome', 'Without an outcome');
  await page.getByRole('row', { name: /Evening shift .* 555-0101/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Call' });
  await dialog.getByText('Evening shift').waitFor();
  await dialog.getByRole('button', { name: 'Older call' }).click();
  await dialog.getByText('+1 (415) 555-0100', { exact: true }).waitFor();
  expect(await dialog.getByRole('button', { name: 'Older call' }).isDisabled()).toBe(true);
  expect(complaints).toEqual([]);
});

it('“Give me the calls that I see as CSV.”', async () => {
  const { recordCall, apiKey, agentId, call } = await newWorld();
  await recordCall('call-1', { durationSeconds: 60, status: 'completed' });
  await recordCall('call-2', { phone: '+14155550101', startedAt: '2026-03-02T10:00:00Z' });
  const body = { custom_call_outcome: '=1+1, "so"', custom_call_outcome_value: 149.5 };
  expect((await call('PATCH', `/calls/${agentId}/call-1`, { body })).status).toBe(200);
  const { page } = await openConsole(apiKey, `/console/calls?phone=${encodeURIComponent('+14155550100')}`);
  const [download] = await Promise.all([
    page.waitForEvent('download'),
    page.getByRole('button', { name: 'Download these calls as CSV' }).click(),
  ]);
  expect(readFileSync(await download.path(), 'utf8').split('\r\n')).toEqual([
    'started,agentId,agent,callId,phone,direction,status,durationSeconds,outcome,value,endedAt,agentPhone,agentVersion,disclosed,cost,cost_currency,cause,summary,time_zone',
    `2026-03-01 11:00:00,${agentId},Agent,call-1,+14155550100,inbound,completed,60,"'=1+1, ""so""",149.5,,,,,,,,,Europe/Berlin`,
    '',
  ]);
});

it('“Show me older calls”: a list continues page by page', async () => {
  const { apiKey, agentId, call } = await newWorld();
  const items = Array.from({ length: 120 }, (_, index) => ({
    ...{ agentId, callId: `call-${index}`, direction: 'inbound', startedAt: new Date(1.77e12 + index * 60_000) },
  }));
  await recordAll(items, async (some) => (await call('POST', '/calls', { body: { items: some } })).body);
  const { page } = await openConsole(apiKey, '/console/calls');
  const links = page.getByRole('table').getByRole('link');
  await links.nth(49).waitFor();
  expect(await links.count()).toBe(50);
  await page.getByRole('button', { name: 'Show more' }).click();
  await links.nth(99).waitFor();
  await page.getByRole('button', { name: 'Show more' }).click();
  await links.nth(119).waitFor();
  expect(await page.getByRole('button', { name: 'Show more' }).count()).toBe(0);
});

it('a key that may only read calls reads those of all agents, and of one by the agent’s id', async () => {
  const { recordCall, uid, agentId } = await newWorld();
  await recordCall('call-1');
  const { secret: apiKey } = await apiKeys.get().create(uid, { name: 'calls', scopes: ['calls'] });
  const { page } = await openConsole(apiKey, '/console/calls');
  await page.getByRole('cell', { name: '+1 (415) 555-0100' }).waitFor();
  await page.getByRole('combobox', { name: 'Agent ID' }).fill(agentId);
  await page.keyboard.press('Enter');
  await page.getByRole('columnheader', { name: 'Agent' }).waitFor({ state: 'detached' });
  await page.getByRole('cell', { name: '+1 (415) 555-0100' }).waitFor();
  expect(page.url()).toContain(agentId);
});

it('“Which bookings does the platform only suppose? Set the one that is right.”', async () => {
  const world = await newWorld();
  const { agentId, apiKey, call } = world;
  const configuration = {
    outcomes: [{ name: 'booked', found: { minCallerWords: 4 } }, { name: 'moved' }],
    transcripts: { keepDays: 30 },
  };
  expect((await call('PATCH', `/agents/${agentId}`, { body: { configuration } })).status).toBe(200);
  const message = {
    ...{ type: 'end-of-call-report', durationSeconds: 60 },
    call: { id: 'a', customer: { number: '+14155550100' } },
    artifact: { messages: [{ role: 'user', message: 'Yes, please.', secondsFromStart: 2 }] },
    analysis: { structuredData: { custom_call_outcome: 'booked', custom_call_outcome_value: 90 } },
  };
  expect((await send(world, 'vapi', { body: { message } })).status).toBe(200);
  await world.recordCall('call-1');
  const { page, complaints } = await openConsole(apiKey, '/console/calls');
  await page.getByRole('link', { name: 'Mar 1, 2026' }).waitFor();
  await openFilter(page, 'Outcome');
  await choose(page, 'Outcome', 'Held: found, but not set');
  await page.getByRole('link', { name: 'Mar 1, 2026' }).waitFor({ state: 'detached' });
  await page.getByRole('row', { name: /Held: booked/ }).click();
  const dialog = page.getByRole('dialog', { name: 'Call' });
  await dialog.getByText('the caller said too few words').waitFor();
  await dialog.getByText('The turns of the caller count: 2 words, and booked needs 4.').waitFor();
  // What can be set is what the agent declares.
  await dialog.getByRole('combobox', { name: 'Outcome' }).click();
  expect(await dialog.getByRole('option').allTextContents()).toEqual(['booked', 'moved']);
  await page.keyboard.press('Escape');
  await dialog.getByRole('button', { name: 'Set', exact: true }).click();
  await page.getByRole('status').getByText('The outcome is saved.').waitFor();
  const { body } = await call('GET', `/calls/${agentId}/vapi:a`);
  expect([body.custom_call_outcome, body.custom_call_outcome_value, body.heldOutcome]).toEqual([
    'booked',
    90,
    undefined,
  ]);
  await dialog.getByText('You set outcome booked, value 90.00').waitFor();
  expect(complaints).toEqual([]);
});

it('“What did the caller say, and where in the recording?” A turn plays from its time, and a search finds words', async () => {
  const world = await newWorld();
  const { recordCall, apiKey, agentId, call } = world;
  const configuration = { transcripts: { keepDays: 400 } };
  expect((await call('PATCH', `/agents/${agentId}`, { body: { configuration } })).status).toBe(200);
  const url = 'https://recordings.example.com/1.wav';
  await recordCall('call-1', {
    details: { recordingUrl: url },
    transcript: [
      { role: 'agent', text: 'How can I help you?', at: 0 },
      { role: 'caller', text: 'I move my check-up. My card is 4111 1111 1111 1111.', at: 30.5 },
      { role: 'agent', text: 'Goodbye.', at: 38 },
    ],
  });
  const { page, complaints } = await openConsole(apiKey, '/console/calls');
  // 40 seconds of silence, in parts as a browser asks for them.
  const header = Buffer.from(
    '5249464624e2040057415645666d74201000000001000100401f0000401f0000010008006461746100e20400',
    'hex',
  );
  const wav = Buffer.concat([header, Buffer.alloc(320_000, 128)]);
  await page.route(url, (route) => {
    const start = Number(/bytes=(\d+)-/.exec(route.request().headers().range ?? '')?.[1] ?? 0);
    const headers = { 'accept-ranges': 'bytes', 'content-range': `bytes ${start}-${wav.length - 1}/${wav.length}` };
    return route.fulfill({ status: 206, contentType: 'audio/wav', headers, body: wav.subarray(start) });
  });
  await page.getByRole('link', { name: 'Mar 1, 2026' }).click();
  const dialog = page.getByRole('dialog', { name: 'Call' });
  const turns = dialog.getByRole('list', { name: 'Transcript' }).getByRole('listitem');
  await turns.nth(2).waitFor();
  await dialog.getByText(/^Kept until Apr 5, 2027/).waitFor();
  await dialog.getByText('My card is [card].').waitFor();
  await dialog.getByRole('button', { name: 'Play from 0:30' }).click();
  await expect.poll(() => turns.nth(1).getAttribute('aria-current')).toBe('true');
  expect(await page.evaluate('document.querySelector("audio").currentTime')).toBeGreaterThanOrEqual(30.5);
  await dialog.getByLabel('Search in the transcript').fill('CHECK-UP');
  await dialog.getByText('Turns: 1 of 3').waitFor();
  expect(await dialog.locator('mark').textContent()).toBe('check-up');
  await dialog.getByRole('button', { name: 'Delete the transcript' }).click();
  await dialog.getByRole('button', { name: 'Delete it' }).click();
  await dialog.getByRole('heading', { name: 'Transcript' }).waitFor({ state: 'detached' });
  const query = { uid: world.uid };
  expect((await call('GET', `/calls/${agentId}/call-1/transcript`, { query })).status).toBe(404);
  expect(complaints).toEqual([]);
});

it('new calls are counted above the list, which moves when they are asked for', async () => {
  const { recordCall, apiKey } = await newWorld();
  await recordCall('call-1');
  const { page, complaints } = await openConsole(apiKey, '/console/calls');
  const rows = page.getByRole('table').getByRole('link');
  await rows.first().waitFor();
  await recordCall('call-2', { startedAt: '2026-03-02T10:00:00Z' });
  await page.getByRole('button', { name: '1 new call' }).waitFor();
  expect(await rows.count()).toBe(1);
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: '1 new call' }).click();
  await expect.poll(() => rows.count()).toBe(2);
  await page.getByRole('button', { name: '1 new call' }).waitFor({ state: 'detached' });
  expect(complaints).toEqual([]);
});

it('“Find” closes by Escape or a click beside it, and can be used over a dialog', async () => {
  const { recordCall, apiKey } = await newWorld();
  await recordCall('call-1');
  const { page, complaints } = await openConsole(apiKey, '/console/calls');
  const find = page.getByRole('combobox', { name: 'Find' });
  const row = page.getByRole('table').getByRole('link');
  await row.focus();
  await page.keyboard.press('Control+k');
  await find.waitFor();
  await page.keyboard.press('Escape');
  await find.waitFor({ state: 'detached' });
  await row.and(page.locator(':focus')).waitFor();
  await page.keyboard.press('Control+k');
  await find.waitFor();
  await page.mouse.click(1, 1);
  await find.waitFor({ state: 'detached' });
  await row.click();
  const panel = page.getByRole('dialog', { name: '+1 (415) 555-0100' });
  await panel.waitFor();
  await page.keyboard.press('Control+k');
  await page.getByRole('option', { name: 'Webhooks View' }).click();
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
  expect(complaints).toEqual([]);
});

it('“Find” leads to a view, an agent, a call by number or id, and the documentation, by keyboard alone', async () => {
  const { recordCall, apiKey, agentId, call } = await newWorld();
  await recordCall('call-17');
  // UTC is of no country: a number is typed as in that of the agent.
  await call('PATCH', `/agents/${agentId}`, { body: { phoneNumber: '+14155550199' } });
  const { page, complaints } = await openConsole(apiKey, '/console?timeZone=UTC');
  const find = async (text: string, option: string | RegExp) => {
    await page.keyboard.press('Control+k');
    await page.getByRole('combobox', { name: 'Find' }).waitFor();
    await page.keyboard.type(text);
    const found = page.getByRole('option', { name: option });
    await found.first().waitFor();
    while ((await found.first().getAttribute('aria-selected')) !== 'true') await page.keyboard.press('ArrowDown');
  };
  await page.getByRole('heading', { name: 'Overview', level: 1 }).waitFor();
  await find('webh', 'Webhooks View');
  expect(await findViolations(page)).toEqual([]);
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Webhooks', level: 1 }).waitFor();
  await find('agent', 'Agent Agent');
  await page.keyboard.press('Enter');
  await page.getByRole('heading', { name: 'Agent', exact: true, level: 1 }).waitFor();
  await find('4155550100', 'Calls with +1 (415) 555-0100 Calls');
  await page.keyboard.press('Enter');
  await page.getByRole('button', { name: 'Phone number: +1 (415) 555-0100' }).waitFor();
  await find('call-17', 'Open the call call-17 Call');
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').getByText('call-17').waitFor();
  await page.getByRole('dialog').getByRole('button', { name: 'Close' }).click();
  await find('rotate a secret', /Documentation$/);
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/docs\?q=/);
  await page.locator('#search').getByRole('link', { name: 'secret' }).first().waitFor();
  expect(complaints).toEqual([]);
});
