import type { Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { newIdentifier } from '../../../functions/domain/identifiers.ts';
import { reconciliations } from '../../../functions/reconciliation/reconciliations.ts';
import { signers } from '../../support/hook-signers.ts';
import { newUser, newWorld, target, type World } from '../../support/world.ts';
import { findViolations, useBrowser } from './browser.ts';
import { openConsole } from './open-console.ts';

useBrowser();

const status = (page: Page) => page.getByRole('status');
const change = async ({ call, agentId }: World, body: object) => {
  const { status, body: agent } = await call('PATCH', `/agents/${agentId}`, { body });
  expect(status).toBe(200);
  return agent;
};
const getAgent = async ({ call, agentId }: World) => (await call('GET', `/agents/${agentId}`)).body;
/** An agent that was called “Agent” and has a second version. */
const worldWithGreeting = async () => {
  const world = await newWorld();
  await change(world, { name: 'Front desk', configuration: { greeting: 'Hello, this is the front desk.' } });
  return world;
};

it('“Create an agent called Reception that says good morning.”', async () => {
  const { apiKey } = await newUser();
  const { page, complaints } = await openConsole(apiKey, '/console/agents');
  await page.getByRole('link', { name: 'Create the first agent' }).click();
  await page.getByLabel('Name').fill('Reception');
  await page.getByLabel('Greeting').fill('Good morning!');
  await page.getByRole('button', { name: 'Create agent' }).click();
  await page.getByRole('heading', { name: 'Reception' }).waitFor();
  await status(page).getByText('Reception is created.').waitFor();
  await page.getByRole('link', { name: 'All agents' }).click();
  await page.getByRole('link', { name: 'Reception' }).click();
  expect(await page.getByLabel('Greeting').inputValue()).toBe('Good morning!');
  expect(complaints).toEqual([]);
});

it('“Change the greeting of the front desk, clear its language, and say why.”', async () => {
  const world = await newWorld();
  await change(world, { name: 'Front desk', configuration: { greeting: 'Hello.', language: 'en-US', voice: 'warm' } });
  const { page } = await openConsole(world.apiKey, '/console/agents');
  await page.getByRole('link', { name: 'Front desk' }).click();
  await page.getByLabel('Greeting').fill('Good morning!');
  await page.getByLabel('Language').fill('');
  await page.getByLabel('Note for the history').fill('Friendlier');
  await page.getByRole('button', { name: 'Save' }).click();
  await status(page).getByText('Version 3 is saved.').waitFor();
  expect((await getAgent(world)).configuration).toEqual({ greeting: 'Good morning!', voice: 'warm' });
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByRole('row', { name: /Version 3.*Greeting, Language.*Friendlier/ }).waitFor();
});

it('“Take yesterday’s change of the greeting back.”', async () => {
  const world = await worldWithGreeting();
  await change(world, { configuration: { greeting: 'What do you want?' }, note: 'Shorter' });
  const { page } = await openConsole(world.apiKey, '/console/agents');
  await page.getByRole('link', { name: 'Front desk' }).click();
  await page.getByRole('link', { name: 'History' }).click();
  await page.getByRole('link', { name: 'Version 2' }).click();
  const dialog = page.getByRole('dialog', { name: 'Version 2' });
  await dialog.getByLabel('Compare with').selectOption('Version 3, the newest one');
  await dialog.getByText('What do you want?').waitFor();
  await dialog.getByLabel('Note for the history').fill('It was rude');
  await dialog.getByRole('button', { name: 'Restore this version' }).click();
  await status(page).getByText('Version 2 is restored, as version 4.').waitFor();
  await page.getByRole('row', { name: /Version 4.*version 2 restored.*It was rude/ }).waitFor();
  expect((await getAgent(world)).configuration.greeting).toBe('Hello, this is the front desk.');
});

it('“What changed in the instructions, and when?”', async () => {
  const world = await worldWithGreeting();
  await change(world, { configuration: { instructions: 'Answer briefly. Offer an appointment.' } });
  await change(world, { configuration: { instructions: 'Answer briefly. Offer a callback.' } });
  const { page } = await openConsole(world.apiKey, `/console/agents?agentId=${world.agentId}&section=history`);
  await page
    .getByRole('row', { name: /Version 4.*Instructions/ })
    .getByRole('link')
    .click();
  const dialog = page.getByRole('dialog', { name: 'Version 4' });
  await dialog.getByRole('heading', { name: 'Instructions' }).waitFor();
  expect(await dialog.getByRole('deletion').textContent()).toBe('an appointment.');
  expect(await dialog.getByRole('insertion').textContent()).toBe('a callback.');
  // The dialog is an address: it can be shared, and is left by the keyboard.
  await page.reload();
  await dialog.getByRole('insertion').waitFor();
  await page.keyboard.press('Escape');
  await dialog.waitFor({ state: 'detached' });
  await page.waitForURL((address) => !address.searchParams.has('version'));
});

it('“A colleague changed the agent while I was typing: what did they change, and where is my text?”', async () => {
  const world = await worldWithGreeting();
  const { page, complaints } = await openConsole(world.apiKey, `/console/agents?agentId=${world.agentId}`);
  await page.getByLabel('Greeting').fill('Good morning from me!');
  await page.getByLabel('Instructions').fill('My instructions.');
  await change(world, { configuration: { greeting: 'Good morning from them!', voice: 'warm' } });
  await page.getByRole('button', { name: 'Save' }).click();
  const conflict = page.getByRole('alert', { name: 'Somebody else’s edit' });
  await conflict.getByText('Good morning from them!').waitFor();
  expect((await getAgent(world)).configuration.greeting).toBe('Good morning from them!');
  // The form has the fields that only the other user changed, and keeps the typed text.
  expect(await page.getByLabel('Voice').inputValue()).toBe('warm');
  expect(await page.getByLabel('Greeting').inputValue()).toBe('Good morning from me!');
  expect(await page.getByLabel('Instructions').inputValue()).toBe('My instructions.');
  await conflict.getByRole('button', { name: 'Use theirs instead' }).click();
  expect(await page.getByLabel('Greeting').inputValue()).toBe('Good morning from them!');
  await page.getByRole('button', { name: 'Save' }).click();
  await status(page).getByText('Version 4 is saved.').waitFor();
  await conflict.waitFor({ state: 'detached' });
  expect((await getAgent(world)).configuration).toEqual({
    greeting: 'Good morning from them!',
    instructions: 'My instructions.',
    voice: 'warm',
  });
  // The browser itself logs the 412.
  expect(complaints.filter((text) => !text.includes('412'))).toEqual([]);
});

it('text that is typed while a save is on its way stays in the form, and is saved next', async () => {
  const world = await worldWithGreeting();
  const { page } = await openConsole(world.apiKey, `/console/agents?agentId=${world.agentId}`);
  let answer = () => {};
  const isTyped = new Promise<void>((resolve) => {
    answer = resolve;
  });
  await page.route(`**/agents/${world.agentId}*`, async (route) => {
    if (route.request().method() === 'PATCH') await isTyped;
    await route.continue();
  });
  await page.getByLabel('Greeting').fill('Good morning!');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByRole('button', { name: 'Saving …' }).waitFor();
  await page.getByLabel('Instructions').fill('Answer briefly.');
  answer();
  await status(page).getByText('Version 3 is saved.').waitFor();
  await page.getByText('Instructions changed, not saved').waitFor();
  expect(await page.getByLabel('Instructions').inputValue()).toBe('Answer briefly.');
  await page.getByRole('button', { name: 'Save' }).click();
  await status(page).getByText('Version 4 is saved.').waitFor();
  expect((await getAgent(world)).configuration).toEqual({
    greeting: 'Good morning!',
    instructions: 'Answer briefly.',
  });
});

it('a field that may be misspelled is said after the save, and until it is mended', async () => {
  const world = await newWorld();
  const { page, complaints } = await openConsole(world.apiKey, `/console/agents?agentId=${world.agentId}`);
  await page.getByText('More fields').click();
  await page.getByLabel('Other fields').fill('{ "valueCurency": "EUR" }');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Did you mean valueCurrency?').waitFor();
  expect(await findViolations(page)).toEqual([]);
  await page.getByLabel('Other fields').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Did you mean valueCurrency?').waitFor({ state: 'detached' });
  expect((await getAgent(world)).configuration.valueCurency).toBeUndefined();
  expect(complaints).toEqual([]);
});

it('typed text is still there after another view and after a reload, until it is discarded', async () => {
  const world = await worldWithGreeting();
  const { page } = await openConsole(world.apiKey, `/console/agents?agentId=${world.agentId}`);
  await page.getByLabel('Greeting').fill('Not saved yet');
  await page.getByRole('link', { name: 'Calls' }).click();
  await page.getByText('There are no calls yet').waitFor();
  await page.goBack();
  expect(await page.getByLabel('Greeting').inputValue()).toBe('Not saved yet');
  await page.reload();
  expect(await page.getByLabel('Greeting').inputValue()).toBe('Not saved yet');
  await page.getByText('Greeting changed, not saved').waitFor();
  await page.getByRole('button', { name: 'Discard' }).click();
  await page.getByRole('dialog').getByRole('button', { name: 'Discard the changes' }).click();
  expect(await page.getByLabel('Greeting').inputValue()).toBe('Hello, this is the front desk.');
  expect((await getAgent(world)).version).toBe(2);
});

it('“The number is taken”: an error of the service appears at its field, and no typed text is lost', async () => {
  const world = await worldWithGreeting();
  const { uid, apiKey, call } = world;
  const other = { uid, name: 'Night shift', phoneNumber: '+14155550123' };
  expect((await call('POST', '/agents', { body: other })).status).toBe(200);
  const { page } = await openConsole(apiKey, `/console/agents?agentId=${world.agentId}`);
  await page.getByLabel('Phone number').fill('+14155550123');
  await page.getByLabel('Language').fill('Klingonish');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('must be a BCP 47 language tag').first().waitFor();
  expect(await page.getByLabel('Language').getAttribute('aria-invalid')).toBe('true');
  await page.getByLabel('Language').fill('en-US');
  await page.getByRole('button', { name: 'Save' }).click();
  // The alert of the first attempt may still be there.
  await expect.poll(() => page.getByLabel('Phone number').getAttribute('aria-invalid')).toBe('true');
  expect(await page.getByLabel('Phone number').inputValue()).toBe('+14155550123');
  await page.getByText('More fields').click();
  await page.getByLabel('Variables').fill('{ company: }');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('This is not JSON').waitFor();
});

it('“Give a tenth of the callers the new greeting, and later everybody.”', async () => {
  const world = await worldWithGreeting();
  const { page } = await openConsole(world.apiKey, `/console/agents?agentId=${world.agentId}`);
  await page.getByRole('link', { name: 'Traffic' }).click();
  await page.getByText('Everybody gets the newest version, which is version 2.').waitFor();
  await page.getByRole('button', { name: 'Add a version' }).click();
  const [first, second] = [page.getByRole('group', { name: 'Part 1' }), page.getByRole('group', { name: 'Part 2' })];
  await expect.poll(() => first.getByLabel('Version').inputValue()).toMatch(/^Version 1 · /);
  await first.getByLabel('Percent of callers').fill('80');
  await second.getByLabel('Percent of callers').fill('10');
  await page.getByText('They add up to 90%.').waitFor();
  expect(await page.getByRole('button', { name: 'Save the split' }).isDisabled()).toBe(true);
  await first.getByLabel('Percent of callers').fill('90');
  await page.getByRole('button', { name: 'Save the split' }).click();
  await status(page).getByText('The split is saved.').waitFor();
  expect((await getAgent(world)).split).toEqual([
    { version: 1, percent: 90 },
    { version: 2, percent: 10 },
  ]);
  await page.getByText('Callers are split between versions').waitFor();
  await page.getByRole('button', { name: 'Give everybody the newest version' }).click();
  await page.getByText('Everybody gets the newest version, which is version 2.').waitFor();
  expect((await getAgent(world)).split ?? []).toEqual([]);
});

it('“The front desk is at Vapi. Which of its calls were missing yesterday?”', async () => {
  const world = await newWorld();
  const { uid, agentId } = world;
  const address = `/console/agents?agentId=${agentId}&section=platform`;
  const { page, complaints } = await openConsole(world.apiKey, address, { viewport: { width: 360, height: 800 } });
  await page.getByLabel('Voice platform').selectOption('Vapi');
  await page.getByLabel('Assistant IDs at Vapi, one on each line').fill('assistant-1\nassistant-2');
  await page.getByLabel('Compare the calls every hour').check();
  await page.getByRole('button', { name: 'Save' }).click();
  await status(page).getByText('Version 2 is saved.').waitFor();
  const platform = { name: 'vapi', assistantIds: ['assistant-1', 'assistant-2'], reconcile: true };
  expect((await getAgent(world)).configuration).toEqual({ platform });
  await page.getByRole('button', { name: 'Check now' }).click();
  await page.getByText('The owner of the agent has no API key for Vapi.').waitFor();
  await page.getByRole('button', { name: 'Set the key' }).click();
  await page.getByRole('dialog').getByLabel('API key').fill('the-key-at-vapi');
  await page.getByRole('dialog').getByRole('button', { name: 'Set the key' }).click();
  await status(page).getByText('The key of Vapi is set.').waitFor();
  // The pass of an hour, as the job leaves it.
  const time = { from: '2026-03-01T00:00:00.000Z', to: '2026-03-02T00:00:00.000Z', dryRun: false };
  const added = await reconciliations.get().add({
    reconciliationId: newIdentifier('reconciliation'),
    agentId,
    uid,
    platform: 'vapi',
    assistantIds: [],
    ...time,
  });
  const differences = [{ callId: 'vapi:1', field: 'durationSeconds' as const, here: 61, there: 125 }];
  const counts = { listed: 1041, known: 1036, recovered: 2, completed: 1, skipped: 2, differing: 1, differences };
  await reconciliations.get().finish(added, { ...added.progress, ...counts });
  await page.reload();
  await page.getByText('2 were missing and are now recorded').waitFor();
  await page.getByText('1,041 at the platform').waitFor();
  await page.getByText('Calls with another duration or cost (1)').click();
  await page.getByRole('row', { name: /vapi:1.*Duration.*1:01.*2:05/ }).waitFor();
  await page.getByRole('button', { name: 'Delete the key' }).click();
  await page.getByRole('dialog').getByRole('textbox').fill('Vapi');
  await page.getByRole('dialog').getByRole('button', { name: 'Delete the key' }).click();
  await status(page).getByText('The key of Vapi is deleted.').waitFor();
  expect(await findViolations(page)).toEqual([]);
  expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(360);
  expect(complaints.filter((one) => !one.includes('400'))).toEqual([]);
});

it('“Which agent answers +14155550123?”', async () => {
  const { uid, apiKey, call } = await newWorld();
  const body = { uid, name: 'Night shift', phoneNumber: '+14155550123' };
  expect((await call('POST', '/agents', { body })).status).toBe(200);
  const { page } = await openConsole(apiKey, '/console/agents');
  await page.getByRole('link', { name: 'Agent', exact: true }).waitFor();
  await page.getByLabel('Name or phone number').fill('+1 (415) 555-0123');
  await page.keyboard.press('Enter');
  await page.getByRole('link', { name: 'Agent', exact: true }).waitFor({ state: 'detached' });
  await page.getByRole('link', { name: 'Night shift' }).waitFor();
});

it('“Make a copy of the front desk, then delete it.”', async () => {
  const world = await worldWithGreeting();
  const { page } = await openConsole(world.apiKey, `/console/agents?agentId=${world.agentId}`);
  await page.getByRole('button', { name: 'Copy' }).click();
  await page.getByRole('button', { name: 'Create the copy' }).dblclick();
  await page.getByRole('heading', { name: 'Front desk (Copy)' }).waitFor();
  await page.getByRole('button', { name: 'Delete' }).click();
  const dialog = page.getByRole('dialog', { name: 'Delete the agent?' });
  const confirm = dialog.getByRole('button', { name: 'Delete the agent' });
  await dialog.getByRole('textbox').fill('Front desk');
  expect(await confirm.isDisabled()).toBe(true);
  await dialog.getByRole('textbox').fill('Front desk (Copy)');
  await confirm.click();
  await status(page).getByText('Front desk (Copy) is deleted.').waitFor();
  await page.getByRole('link', { name: 'Front desk', exact: true }).waitFor();
  // A double click made one copy.
  const { agents } = (await world.call('GET', '/agents', { query: { uid: world.uid } })).body;
  expect(agents.map(({ name }: { name: string }) => name)).toEqual(['Front desk']);
});

it('“Connect the platform”: its address, its secret, a call that is tried, and the first signed request', async () => {
  const world = await newWorld();
  const { page, complaints } = await openConsole(
    world.apiKey,
    `/console/agents?agentId=${world.agentId}&section=connect`,
  );
  await page.getByRole('combobox', { name: 'Voice platform' }).selectOption('Retell');
  const address = (await page.getByLabel('Address for Retell').textContent()) ?? '';
  expect(address).toBe(`${target.baseUrl}/hooks/retell?uid=${world.uid}&agentId=${world.agentId}`);
  await page.getByText('No secret: its requests need an API key in a header').waitFor();
  await page.getByRole('button', { name: 'Set the secret' }).click();
  await page.getByLabel('Secret', { exact: true }).fill('key_of-retell-with-badge');
  await page.getByRole('dialog').getByRole('button', { name: 'Set the secret' }).click();
  await page.getByText('Waits for the first signed request').waitFor();
  await page.getByRole('button', { name: 'Send a call' }).click();
  await page.getByText('The start was answered with status 200').waitFor();
  await page.getByText('The end was answered with status 200').waitFor();
  expect(await findViolations(page)).toEqual([]);
  // A request without a signature is refused, with the reason; one with it turns the light green.
  const post = (headers: Record<string, string>, body: string) => fetch(address, { method: 'POST', headers, body });
  const body = JSON.stringify({ event: 'call_inbound', call_inbound: { from_number: '+14155550199' } });
  const sign = (secret: string) => ({
    'content-type': 'application/json',
    ...signers.retell?.({ address, body }, secret),
  });
  expect((await post(sign('another'), body)).status).toBe(401);
  await page.getByText('The last request was refused').waitFor();
  await page.getByText('There was no signature by a secret that is set.').waitFor();
  expect((await post(sign('key_of-retell-with-badge'), body)).status).toBe(200);
  await page.getByText('Signed requests arrive').waitFor();
  await page.getByRole('link', { name: 'Show the call' }).click();
  await page.getByRole('dialog').getByText('A test from the console.').waitFor();
  expect(complaints).toEqual([]);
});

it('“Call only who agreed, on weekdays, and say that you are a machine.” Rules, disclosure and transcripts are fields', async () => {
  const world = await newWorld();
  const { page, complaints } = await openConsole(world.apiKey, `/console/agents?agentId=${world.agentId}`);
  await page.getByLabel('Greeting').fill('How can I help you?');
  await page.getByLabel('Language').fill('de-AT');
  await page.getByLabel('Disclosure').fill('en: I am a machine.\nde: Ich bin eine Maschine.');
  await page.getByText('With its disclosure: “Ich bin eine Maschine. How can I help you?”').waitFor();
  await page.getByText('Outbound rules').click();
  await page.getByLabel('Days for which a consent counts').fill('365');
  await page.getByLabel('Attempts to call a number').fill('3 in 24 hours\n5 in 168');
  await page.getByLabel('Calls from').fill('09:00');
  await page.getByLabel('Calls until').fill('18:00');
  for (const day of ['Tue', 'Mon']) await page.getByRole('group', { name: 'Days of calls' }).getByLabel(day).check();
  await page.getByText('Earlier calls and transcripts').click();
  await page.getByLabel('Days for which transcripts are kept').fill('30');
  await page.getByRole('group', { name: 'Taken out of transcripts' }).getByLabel('Email addresses').check();
  await page.getByLabel('Number of earlier calls to tell the agent about').fill('2');
  await page.getByRole('button', { name: 'Save' }).click();
  // A consent without its purpose is refused at the field that lacks it.
  const purpose = page.getByLabel('Consent to');
  await expect.poll(() => purpose.getAttribute('aria-invalid')).toBe('true');
  await purpose.fill('marketing');
  await page.getByRole('button', { name: 'Save' }).click();
  await status(page).getByText('Version 2 is saved.').waitFor();
  const saved = {
    greeting: 'How can I help you?',
    language: 'de-AT',
    disclosure: { en: 'I am a machine.', de: 'Ich bin eine Maschine.' },
    calling: {
      consent: { purpose: 'marketing', maxAgeDays: 365 },
      hours: { from: '09:00', to: '18:00', days: ['mon', 'tue'] },
      attempts: [
        { max: 3, hours: 24 },
        { max: 5, hours: 168 },
      ],
    },
    callerHistory: { calls: 2 },
    transcripts: { keepDays: 30, redact: ['cards', 'emails'] },
  };
  expect((await getAgent(world)).configuration).toEqual(saved);
  // The form has the saved version.
  await page.getByRole('button', { name: 'Save' }).waitFor({ state: 'detached' });
  await page.getByLabel('Number of earlier calls to tell the agent about').fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await status(page).getByText('Version 3 is saved.').waitFor();
  const { callerHistory: _, ...rest } = saved;
  expect((await getAgent(world)).configuration).toEqual(rest);
  expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
});

it('“Declare the outcomes of the agent”: their values, what blocks, and when they are held', async () => {
  const world = await newWorld();
  const { page, complaints } = await openConsole(world.apiKey, `/console/agents?agentId=${world.agentId}`);
  await page.getByRole('button', { name: 'Add an outcome' }).click();
  await page.getByRole('textbox', { name: 'Outcome' }).fill('booked');
  // A zero at the end stays while more is typed.
  await page.getByLabel('Value', { exact: true }).pressSequentially('149.05');
  await page.getByLabel('Held below words').fill('4');
  await page.getByRole('button', { name: 'Add an outcome' }).click();
  const second = page.getByRole('group', { name: 'Outcome 2' });
  await second.getByRole('textbox', { name: 'Outcome' }).fill('do_not_call');
  const named = page.getByRole('group', { name: 'do_not_call' });
  await named.getByLabel('Blocks the number').selectOption('When somebody sets it');
  expect(await findViolations(page)).toEqual([]);
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('Version 2 is saved.').waitFor();
  const read = async () => (await world.call('GET', `/agents/${world.agentId}`, { query: { uid: world.uid } })).body;
  expect((await read()).configuration.outcomes).toEqual([
    { name: 'booked', value: 149.05, found: { minCallerWords: 4 } },
    { name: 'do_not_call', blocks: 'set' },
  ]);
  await page.getByRole('button', { name: 'Remove the outcome booked' }).click();
  await named.getByRole('textbox', { name: 'Outcome' }).fill('');
  await page.getByRole('button', { name: 'Save' }).click();
  await page.getByText('It must').waitFor();
  expect(complaints.filter((text) => !text.includes('400'))).toEqual([]);
});
