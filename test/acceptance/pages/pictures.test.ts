import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { Scope } from '../../../functions/domain/api-keys.ts';
import { recordAll } from '../../support/record-all.ts';
import { until } from '../../support/until.ts';
import { call, newUser, target } from '../../support/world.ts';
import { openPage, useBrowser } from './browser.ts';
import { openConsole } from './open-console.ts';

// The pictures of the README. UPDATE_PICTURES=1 writes them into the repository, otherwise they are only taken.
const folder = process.env.UPDATE_PICTURES ? 'functions/pages' : '.local/screenshots';

useBrowser();

const save = (file: string, picture: Buffer) => {
  const path = join(folder, file);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, picture);
};

it('the chat shows the calls of an agent, and asks for the approval of a change', async () => {
  const { uid, apiKey } = await newUser();
  const configuration = { greeting: 'Hello, this is the front desk.', language: 'en-US' };
  const { body: agent } = await call('POST', '/agents', { apiKey, body: { uid, name: 'Front desk', configuration } });
  for (const [callId, fields] of Object.entries(calls)) {
    const { custom_call_outcome, ...facts } = fields;
    await call('PUT', `/calls/${agent.agentId}/${callId}`, { apiKey, body: facts });
    await call('PATCH', `/calls/${agent.agentId}/${callId}`, { apiKey, body: { custom_call_outcome } });
  }
  const { page, complaints } = await openPage(
    `${target.baseUrl}/chat`,
    { viewport: { width: 1000, height: 740 }, deviceScaleFactor: 2, colorScheme: 'light', reducedMotion: 'reduce' },
    `sessionStorage.setItem('apiKey', JSON.stringify('${apiKey}'))`,
  );
  const say = async (text: string) => {
    await page.getByLabel('Message to the assistant').fill(text);
    await page.keyboard.press('Enter');
  };
  await say('Show the calls of the Front desk');
  await page.getByRole('listitem').filter({ hasText: 'appointment_booked' }).first().waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
  await say('Change the greeting of the Front desk to "Good morning! How can I help?"');
  await page.getByText('Hello, this is the front desk.').waitFor();
  await page.getByRole('button', { name: 'Send' }).waitFor();
  const picture = await page.screenshot();
  expect(picture.length).toBeGreaterThan(20_000);
  save('chat/approval.png', picture);
  expect(complaints).toEqual([]);
  await page.context().close();
});

it('the console shows calls of a month by outcome, and a change of an agent that can be taken back', async () => {
  const { uid, apiKey } = await newUser(Scope.options.filter((scope) => scope !== 'users'));
  const send = async (method: string, path: string, body: object) => {
    const answer = await call(method, path, { apiKey, body });
    expect(answer.status).toBe(200);
    return answer.body;
  };
  const greeting = 'Hello, this is the front desk.';
  const configuration = { greeting, language: 'en-US', valueCurrency: 'USD' };
  const { agentId } = await send('POST', '/agents', { uid, name: 'Front desk', configuration });
  await send('PATCH', `/agents/${agentId}`, {
    configuration: { greeting: 'Good morning, this is the front desk. How can I help?', voice: 'warm' },
    note: 'Callers asked for a friendlier voice',
  });
  await recordAll(callsOfMonth(agentId), (items) => send('POST', '/calls', { items }));
  await until(async () => {
    const query = { uid, agentId, ...month };
    const { totals, pending } = (await call('GET', '/call-figures', { apiKey, query })).body;
    return totals.calls > 0 && !pending;
  });
  const { page, complaints } = await openConsole(
    apiKey,
    `/console?agentId=${agentId}&period=custom&from=${month.from}&to=2026-03-01&timeZone=UTC`,
    { viewport: { width: 1280, height: 880 }, deviceScaleFactor: 2, colorScheme: 'light' },
  );
  await page.getByRole('row', { name: /appointment booked/ }).waitFor();
  await page.getByRole('img', { name: /^Calls a day by outcome/ }).waitFor();
  save('console/overview.png', await page.screenshot());
  await page.goto(`${target.baseUrl}/console/agents?agentId=${agentId}&section=history&timeZone=UTC`);
  await page.getByRole('link', { name: 'Version 1' }).click();
  await page.getByLabel('Compare with').selectOption('Version 2, the newest one');
  await page.getByText('From the newest version to this one').waitFor();
  const picture = await page.getByRole('dialog').screenshot();
  expect(picture.length).toBeGreaterThan(20_000);
  save('console/difference.png', picture);
  expect(complaints).toEqual([]);
  await page.context().close();
});

const calls = {
  'call-1': {
    phone: '+14155550142',
    direction: 'inbound',
    startedAt: '2026-03-02T09:12:00Z',
    durationSeconds: 212,
    status: 'completed',
    custom_call_outcome: 'appointment_booked',
  },
  'call-2': {
    phone: '+14155550177',
    direction: 'outbound',
    startedAt: '2026-03-02T10:40:00Z',
    durationSeconds: 34,
    status: 'completed',
    custom_call_outcome: 'no_interest',
  },
  'call-3': {
    phone: '+14155550119',
    direction: 'inbound',
    startedAt: '2026-03-02T11:05:00Z',
    durationSeconds: 318,
    status: 'completed',
    custom_call_outcome: 'callback_requested',
  },
};

/** Four weeks from a Monday on. */
const month = { from: '2026-02-02', to: '2026-03-02' };

const outcomes = [
  { outcome: 'appointment booked', value: 95 },
  { outcome: 'question answered' },
  { outcome: 'appointment booked', value: 140 },
  { outcome: 'call back later' },
  {},
] as { outcome?: string; value?: number }[];

/** Calls of these four weeks and those before: many on Mondays, few on weekends, and more from week to week. */
const callsOfMonth = (agentId: string) =>
  Array.from({ length: 56 }, (_, day) => {
    const weekday = day % 7;
    const count = weekday > 4 ? 3 : 16 - 2 * weekday + Math.floor(day / 5);
    return Array.from({ length: count }, (_, index) => {
      const { outcome, value } = outcomes[(index * 3 + day) % outcomes.length] ?? {};
      return {
        ...{ agentId, callId: `call-${day}-${index}`, direction: 'inbound', status: 'completed' },
        startedAt: new Date(Date.parse(month.from) + (((day - 28) * 24 + 8) * 60 + index * 23) * 60_000).toISOString(),
        durationSeconds: 40 + ((index * 37 + day * 11) % 240),
        ...(outcome && { custom_call_outcome: outcome, custom_call_outcome_value: value }),
      };
    });
  }).flat();
