import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { Scope } from '../../../functions/domain/api-keys.ts';
import { until } from '../../support/until.ts';
import { send } from '../../support/voice-platforms.ts';
import { call, newUser, type World } from '../../support/world.ts';
import { useBrowser } from './browser.ts';
import { later, wednesday } from './last-week.ts';
import { figure, openConsole } from './open-console.ts';

useBrowser();

/** A way to use a page, which knows roles and labels alone. */
type Hand = {
  width: number;
  press(target: Locator): Promise<void>;
  /** Chooses an option of a list. */
  select(list: Locator, option: string): Promise<void>;
  /** Chooses an option of a field with a search. */
  search(field: Locator, option: string): Promise<void>;
};

const tabTo = async (target: Locator) => {
  await target.waitFor();
  for (let tabs = 0; tabs < 250; tabs++) {
    if (await target.evaluate((element) => element.matches(':focus'))) return;
    await target.page().keyboard.press('Tab');
  }
  throw new Error(`The Tab key does not reach ${target}.`);
};

const mouse: Hand = {
  width: 1280,
  press: (target) => target.click(),
  async select(list, option) {
    await list.selectOption(option);
  },
  async search(field, option) {
    await field.click();
    await field.page().getByRole('option', { name: option, exact: true }).click();
  },
};

const keyboard: Hand = {
  width: 1280,
  async press(target) {
    await tabTo(target);
    await target.page().keyboard.press('Enter');
  },
  async select(list, option) {
    await tabTo(list);
    await list.page().keyboard.press('Home');
    const chosen = list.locator('option:checked');
    for (let step = 0; step < 40 && (await chosen.textContent()) !== option; step++) {
      await list.page().keyboard.press('ArrowDown');
    }
    expect(await chosen.textContent()).toBe(option);
  },
  async search(field, option) {
    await tabTo(field);
    await field.page().keyboard.type(option);
    await field.page().getByRole('option', { name: option, exact: true }).waitFor();
    await field.page().keyboard.press('Enter');
  },
};

const hands: Record<string, Hand> = { mouse, keyboard, phone: { ...mouse, width: 360 } };

/** Goes to a view by the navigation, which is behind a button on a phone. */
const goTo = async (page: Page, { width, press }: Hand, view: string) => {
  if (width < 400) await press(page.getByRole('button', { name: /^Menu/ }));
  await press(page.getByRole('navigation', { name: 'Console' }).getByRole('link', { name: view, exact: true }));
  await page.getByRole('heading', { name: view, level: 1 }).waitFor();
};

const done = async (method: string, path: string, apiKey: string, body: object) => {
  const answer = await call(method, path, { apiKey, body });
  expect(answer.status).toBe(200);
  return answer.body;
};

/** An agency with two clients. An agent of one of them has had calls with costs, a supposed booking, and a new greeting. */
const newAgency = async () => {
  const maker = await newUser(['users']);
  const { uid } = await done('POST', '/users', maker.apiKey, { name: 'Northside', quotas: { agents: 3 } });
  const southside = await done('POST', '/users', maker.apiKey, { name: 'Southside' });
  await done('PATCH', `/users/${southside.uid}`, maker.apiKey, { suspended: true });
  const newKey = async (name: string) => {
    const scopes = Scope.options.filter((scope) => scope !== 'users');
    return (await done('POST', '/keys', maker.apiKey, { uid, name, scopes })).secret as string;
  };
  const [apiKey, website] = [await newKey('front desk'), await newKey('website')];
  const { agentId } = await done('POST', '/agents', apiKey, {
    ...{ uid, name: 'Reception' },
    configuration: {
      ...{ greeting: 'Hello!', valueCurrency: 'USD' },
      outcomes: [{ name: 'booked', found: { minCallerWords: 4 } }, { name: 'moved' }],
    },
  });
  await done('PATCH', `/agents/${agentId}`, website, { configuration: { greeting: 'Good morning!' } });
  const items = [0.12, 0.04].map((amount, index) => ({
    ...{ agentId, callId: `call-${index}`, direction: 'inbound', startedAt: later(wednesday(), index) },
    ...{
      details: { cost: { amount, currency: 'USD' } },
      custom_call_outcome: 'booked',
      custom_call_outcome_value: 100,
    },
  }));
  expect((await done('POST', '/calls', apiKey, { items })).failed).toEqual([]);
  const message = {
    ...{ type: 'end-of-call-report', durationSeconds: 60 },
    call: { id: 'a', customer: { number: '+14155550100' } },
    analysis: { structuredData: { custom_call_outcome: 'booked', custom_call_outcome_value: 90 } },
  };
  const world = { uid, agentId, apiKey } as World;
  expect((await send(world, 'vapi', { body: { message } })).status).toBe(200);
  await until(async () => {
    const [from, to] = [-30, 1].map((days) => later(new Date(), days * 24).slice(0, 10));
    const { totals, pending } = (await call('GET', '/call-figures', { apiKey, query: { uid, from, to } })).body;
    const { changes } = (await call('GET', '/changes', { apiKey, query: { uid } })).body;
    const isListed = changes.some(({ action }: { action: string }) => action === 'agent.updated');
    return totals.costs === 2 && !pending && isListed;
  });
  return { maker, ...world };
};

it.each(Object.entries(hands))(
  'ten questions about clients, costs, held outcomes and changes are answered by %s',
  { tags: 'heavy' },
  async (_, hand) => {
    const { press, select, search, width } = hand;
    const { maker, apiKey, agentId, uid } = await newAgency();
    const viewport = { width, height: 800 };

    const { page, complaints } = await openConsole(maker.apiKey, '/console/clients', { viewport });
    const clients = page.getByRole('table', { name: 'Clients', exact: true });
    // “How many agents may Northside have? Is Southside suspended?”
    await clients.getByRole('row', { name: /Northside .*Active .*1 of 3/ }).waitFor();
    await clients.getByRole('row', { name: /Southside .*Suspended/ }).waitFor();
    // “Which client had calls last week?”
    await select(page.getByRole('combobox', { name: 'Period' }), 'Last week');
    await clients.getByRole('row', { name: /^Northside .*1 of 3 .*2 .*\$200.00 .*\$0.16 .*\$199.84 .*100%/ }).waitFor();
    await clients.getByRole('row', { name: /^Total .*1 .*2 .*\$200.00 .*\$0.16/ }).waitFor();
    // “Which client cost most?” The table begins with it.
    expect(await clients.getByRole('row').nth(1).getByRole('link').textContent()).toBe('Northside');
    // “Which keys does Northside have?”
    await press(clients.getByRole('link', { name: 'Northside' }));
    const keys = page.getByRole('table', { name: 'API keys' });
    await keys.getByRole('row', { name: /^website .* Active/ }).waitFor();
    await keys.getByRole('row', { name: /^front desk .* Active/ }).waitFor();
    expect(complaints).toEqual([]);
    await page.context().close();

    const own = await openConsole(apiKey, '/console', { viewport });
    const console = own.page;
    // “What did last week’s calls cost, what is left, and what does a booked call cost?”
    await select(console.getByRole('combobox', { name: 'Period' }), 'Last week');
    const byOutcome = console.getByRole('table', { name: 'Figures by outcome' });
    await byOutcome.getByRole('row', { name: /^booked .*2 .*\$0.16 .*\$0.08 .*\$199.84$/ }).waitFor();
    expect(await figure(console, 'Cost')).toContain('$0.16');
    expect(await figure(console, 'Margin')).toContain('$199.84');
    // “Which bookings are only supposed, and why? Set the one that is right.”
    await goTo(console, hand, 'Calls');
    if (width < 400) await press(console.getByRole('button', { name: 'Filters' }));
    await press(console.getByRole('button', { name: '+ Outcome' }));
    await search(console.getByRole('combobox', { name: 'Outcome' }), 'Held: found, but not set');
    const held = console.getByRole('row', { name: /Held: booked/ });
    await held.waitFor();
    await press(held.getByRole('link'));
    const dialog = console.getByRole('dialog', { name: 'Call' });
    await dialog.getByText('the caller said too few words').waitFor();
    await press(dialog.getByRole('button', { name: 'Set', exact: true }));
    await dialog.getByText('You set outcome booked, value 90.00').waitFor();
    await press(dialog.getByRole('button', { name: 'Close' }));
    await console.getByText('No call matches these filters').waitFor();
    // “Who changed the greeting, and what was it before?”
    await goTo(console, hand, 'Changes');
    if (width < 400) await press(console.getByRole('button', { name: 'Filters' }));
    await press(console.getByRole('button', { name: '+ What changed' }));
    await select(console.getByRole('combobox', { name: 'What changed' }), 'Agents');
    const change = console.getByRole('row', { name: /^website changed Greeting of .*Reception .*API$/ });
    await press(change.getByRole('link', { name: /^changed Greeting/ }));
    const version = console.getByRole('dialog', { name: 'Version 2' });
    await version.getByText('Hello!').first().waitFor();
    await version.getByText('Good morning!').first().waitFor();
    expect(own.complaints).toEqual([]);
    expect(
      (await call('GET', `/calls/${agentId}/vapi:a`, { apiKey, query: { uid } })).body.heldOutcome,
    ).toBeUndefined();
  },
);
