import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Browser } from 'playwright-core';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { call, newUser, target } from '../../support/world.ts';
import { openPage, startBrowser } from './browser.ts';

// The pictures of the README. UPDATE_PICTURES=1 writes them into the repository, otherwise they are only taken.
const folder = process.env.UPDATE_PICTURES ? 'functions/pages' : '.local/screenshots';

let browser: Browser;
beforeAll(async () => {
  browser = await startBrowser();
});
afterAll(() => browser.close());

const save = (file: string, picture: Buffer) => {
  const path = join(folder, file);
  mkdirSync(join(path, '..'), { recursive: true });
  writeFileSync(path, picture);
};

describe('the pictures of the README', () => {
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
      browser,
      target.baseUrl,
      { viewport: { width: 1000, height: 740 }, deviceScaleFactor: 2, colorScheme: 'light', reducedMotion: 'reduce' },
      `sessionStorage.setItem('apiKey', JSON.stringify('${apiKey}'))`,
    );
    const say = async (text: string) => {
      await page.getByLabel('Message to the assistant').fill(text);
      await page.keyboard.press('Enter');
    };
    await say('Show the calls of the Front desk');
    await page.getByRole('cell', { name: 'appointment_booked' }).waitFor();
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
