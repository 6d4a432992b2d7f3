import type { Locator, Page } from 'playwright-core';
import { expect, it } from 'vitest';
import { Scope } from '../../../functions/domain/api-keys.ts';
import { until } from '../../support/until.ts';
import { settled, upload } from '../../support/uploads.ts';
import { send } from '../../support/voice-platforms.ts';
import { newEndpoint, newReceiver } from '../../support/webhooks.ts';
import { call, newUser, type World } from '../../support/world.ts';
import { useBrowser } from './browser.ts';
import { later, wednesday } from './last-week.ts';
import { openConsole } from './open-console.ts';

useBrowser();

/** A place on a page, by roles and labels alone. */
type Place = (page: Page) => Locator;

type Step =
  | { view: string }
  | { press: Place }
  /** Chooses an option of a list. */
  | { choose: string; option: string }
  /** Fills in a field, and presses Enter. */
  | { write: string; text: string }
  /** Writes into *Find*, and opens a result. */
  | { find: string; option: string | RegExp };

/** A step is a click, and *Find* takes two. On a phone, the navigation takes one more. */
const countClicks = (steps: Step[]) => steps.reduce((clicks, step) => clicks + ('find' in step ? 2 : 1), 0);

/** A way to use a page, which knows roles and labels alone. */
type Hand = {
  width: number;
  press(target: Locator): Promise<void>;
  choose(list: Locator, option: string): Promise<void>;
  write(field: Locator, text: string): Promise<void>;
  /** Chooses a result of the text that has the focus. */
  pick(option: Locator): Promise<void>;
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
  async choose(list, option) {
    await list.selectOption(option);
  },
  async write(field, text) {
    await field.click();
    await field.page().keyboard.type(text);
    await field.page().keyboard.press('Enter');
  },
  pick: (option) => option.click(),
};

const keyboard: Hand = {
  width: 1280,
  async press(target) {
    await tabTo(target);
    await target.page().keyboard.press('Enter');
  },
  async choose(list, option) {
    await tabTo(list);
    await list.page().keyboard.press('Home');
    const chosen = list.locator('option:checked');
    for (let step = 0; step < 40 && (await chosen.textContent()) !== option; step++) {
      await list.page().keyboard.press('ArrowDown');
    }
    expect(await chosen.textContent()).toBe(option);
  },
  async write(field, text) {
    await tabTo(field);
    await field.page().keyboard.type(text);
    await field.page().keyboard.press('Enter');
  },
  async pick(option) {
    await option.waitFor();
    while ((await option.getAttribute('aria-selected')) !== 'true') await option.page().keyboard.press('ArrowDown');
    await option.page().keyboard.press('Enter');
  },
};

const hands: Record<string, Hand> = { mouse, keyboard, phone: { ...mouse, width: 360 } };

const take = async (page: Page, hand: Hand, step: Step) => {
  const isPhone = hand.width < 400;
  if (isPhone && ('view' in step || 'find' in step)) await hand.press(page.getByRole('button', { name: /^Menu/ }));
  if ('view' in step) {
    const navigation = page.getByRole('navigation', { name: 'Console' });
    await hand.press(navigation.getByRole('link', { name: step.view, exact: true }));
  } else if ('find' in step) {
    await hand.press(page.getByRole('button', { name: /^Find/ }));
    await page.getByRole('combobox', { name: 'Find' }).waitFor();
    await page.keyboard.type(step.find);
    await hand.pick(page.getByRole('option', { name: step.option }).first());
  } else if ('choose' in step) await hand.choose(page.getByRole('combobox', { name: step.choose }), step.option);
  else if ('write' in step) await hand.write(page.getByLabel(step.write, { exact: true }), step.text);
  else await hand.press(step.press(page));
};

type Question = { ask: string; steps?: Step[]; answer: Place };

const row =
  (name: RegExp): Place =>
  (page) =>
    page.getByRole('row', { name });
const link =
  (name: string | RegExp): Place =>
  (page) =>
    page.getByRole('link', { name });
/** The first row of a table, below its headings. */
const first =
  (table: string, name: RegExp): Place =>
  (page) =>
    page.getByRole('table', { name: table, exact: true }).getByRole('row').nth(1).filter({ hasText: name });
const inDialog =
  (text: string | RegExp): Place =>
  (page) =>
    page.getByRole('dialog').getByText(text);

const lastWeek: Step = { choose: 'Period', option: 'Last week' };

const ofAgency: Question[] = [
  { ask: 'Which client cost most?', answer: first('Clients', /Northside/) },
  { ask: 'Which client is suspended?', answer: row(/^Southside .*Suspended/) },
  {
    ask: 'What is left of last week’s value of each client?',
    steps: [lastWeek],
    answer: row(/^Northside .*2 of 3 .*3 .*\$250.00 .*\$0.21 .*\$249.79 .*100%/),
  },
  {
    ask: 'Which keys does a client have?',
    steps: [{ press: link('Northside') }],
    answer: row(/^website .* Active/),
  },
  {
    ask: 'Which agent of a client cost most?',
    steps: [{ press: link('Northside') }],
    answer: first('Figures by agent', /^agent_.*\$0.16/),
  },
  {
    ask: 'How much of its budget has a client spent?',
    steps: [{ press: link('Northside') }],
    answer: (page) => page.getByRole('progressbar', { name: 'Share of the budget that is spent' }),
  },
];

const ofOwner: Question[] = [
  { ask: 'What needs doing?', answer: link('1 outcome is held: set or clear it') },
  {
    ask: 'What did last week’s calls cost, and what is left?',
    steps: [lastWeek],
    answer: (page) => page.getByRole('definition').filter({ hasText: '$249.79' }),
  },
  {
    ask: 'Which outcome is worth most?',
    steps: [
      {
        press: (page) =>
          page.getByRole('table', { name: 'Figures by outcome' }).getByRole('button', { name: 'Value', exact: true }),
      },
    ],
    answer: first('Figures by outcome', /^booked.*\$200.00/),
  },
  { ask: 'Which agent has most calls?', answer: first('Figures by agent', /^Reception/) },
  {
    ask: 'Which bookings are only supposed, and why?',
    steps: [
      { press: link('1 outcome is held: set or clear it') },
      { press: (page) => row(/Held: booked/)(page).getByRole('link') },
    ],
    answer: inDialog('the caller said too few words'),
  },
  {
    ask: 'What was a call about?',
    steps: [
      { view: 'Calls' },
      {
        press: (page) =>
          row(/booked .*\$100/)(page)
            .first()
            .getByRole('link'),
      },
    ],
    answer: inDialog('A check-up on Monday.'),
  },
  {
    ask: 'Why was this number rejected?',
    steps: [{ find: '+1 415 555 0107', option: /^\+1 \(415\) 555-0107/ }],
    answer: (page) => page.getByRole('definition').filter({ hasText: 'Asked not to be called' }),
  },
  {
    ask: 'Which calls were there with a number?',
    steps: [{ find: '+1 415 555 0100', option: /^Calls with/ }],
    answer: row(/Reception .*\+1 \(415\) 555-0100/),
  },
  {
    ask: 'Who may call a number now?',
    steps: [{ find: '+1 415 555 0107', option: /^\+1 \(415\) 555-0107/ }],
    answer: row(/^Reception .*No .*Your own list blocks/),
  },
  {
    ask: 'Who changed the greeting, and what was it before?',
    steps: [
      { view: 'Changes' },
      {
        press: (page) =>
          row(/^website changed Greeting/)(page)
            .getByRole('link')
            .first(),
      },
    ],
    answer: inDialog('Hello!'),
  },
  {
    ask: 'Which version do callers get?',
    steps: [{ view: 'Agents' }],
    answer: link('90% version 1, 10% version 2'),
  },
  {
    ask: 'Do the requests of my platform arrive?',
    steps: [{ find: 'reception connect', option: 'Reception: Connect' }],
    answer: (page) => page.getByRole('status').getByText('Waits for the first signed request'),
  },
  {
    ask: 'Which numbers are blocked, why and by whom?',
    steps: [{ view: 'Numbers' }],
    answer: row(/555-0107 .*Asked not to be called .*website/),
  },
  {
    ask: 'Why does the agent not know a document?',
    steps: [{ press: link('Form.pdf cannot be read') }],
    answer: inDialog('damaged'),
  },
  {
    ask: 'What does the agent say about parking?',
    steps: [{ view: 'Knowledge' }, { write: 'Search', text: 'parking' }],
    answer: (page) => page.getByRole('listitem').filter({ hasText: 'The garage is next door.' }),
  },
  {
    ask: 'Why was an event not delivered?',
    steps: [{ press: link(/^The webhook .* fails/) }],
    answer: row(/Failing Since .*: The receiver answered with status 500/),
  },
  {
    ask: 'What may a key do?',
    steps: [{ view: 'Keys' }, { press: link('website') }],
    answer: inDialog('May use'),
  },
];

const ofNewcomer: Question[] = [{ ask: 'How do I begin?', answer: link('Create an agent') }];

const done = async (method: string, path: string, apiKey: string, body: object) => {
  const answer = await call(method, path, { apiKey, body });
  expect(answer.status, answer.text).toBe(200);
  return answer.body;
};

/** An agency with two clients. One has two agents, to which everything happened that the questions are about. */
const newAgency = async () => {
  const maker = await newUser(['users']);
  const budget = { amount: 50, currency: 'USD', per: 'month' };
  const { uid } = await done('POST', '/users', maker.apiKey, { name: 'Northside', quotas: { agents: 3 }, budget });
  const southside = await done('POST', '/users', maker.apiKey, { name: 'Southside' });
  await done('PATCH', `/users/${southside.uid}`, maker.apiKey, { suspended: true });
  const newKey = async (name: string) => {
    const scopes = Scope.options.filter((scope) => scope !== 'users');
    return (await done('POST', '/keys', maker.apiKey, { uid, name, scopes })).secret as string;
  };
  const [apiKey, website] = [await newKey('front desk'), await newKey('website')];
  const newAgent = async (name: string) => {
    const configuration = {
      ...{ greeting: 'Hello!', valueCurrency: 'USD' },
      outcomes: [{ name: 'booked', found: { minCallerWords: 4 } }, { name: 'moved' }],
    };
    return (await done('POST', '/agents', apiKey, { uid, name, configuration })).agentId as string;
  };
  const [agentId, evening] = [await newAgent('Reception'), await newAgent('Evening')];
  const world = {
    ...{ uid, agentId, apiKey },
    call: (method: string, path: string, options: object) => call(method, path, { apiKey, ...options }),
  } as World;
  await done('PATCH', `/agents/${agentId}`, website, { configuration: { greeting: 'Good morning!' } });
  const split = [90, 10].map((percent, index) => ({ version: index + 1, percent }));
  await done('PUT', `/agents/${agentId}/traffic`, apiKey, { uid, split });
  await done('PUT', '/hook-secrets/vapi', apiKey, { uid, secret: 'a-secret-of-the-platform' });
  const reason = 'Asked not to be called';
  await done('POST', '/block-list', website, { uid, numbers: ['+14155550107'], reason });
  const receiver = await newReceiver({ status: 500 });
  await newEndpoint(world, receiver.url, { events: ['call.recorded'] });
  await upload(world, [
    ['Form.pdf', '%PDF-1.7\ncut off'],
    ['Handbook.md', '# Parking\n\nThe garage is next door.\n'],
  ]);
  const recorded = [
    { agentId, amount: 0.12, outcome: 'booked', value: 100 },
    { agentId, amount: 0.04, outcome: 'booked', value: 100 },
    { agentId: evening, amount: 0.05, outcome: 'moved', value: 50 },
  ];
  const items = recorded.map(({ agentId, amount, outcome, value }, index) => ({
    ...{ agentId, callId: `call-${index}`, direction: 'inbound', startedAt: later(wednesday(), index) },
    ...{ phone: '+14155550100', details: { summary: 'A check-up on Monday.', cost: { amount, currency: 'USD' } } },
    ...{ custom_call_outcome: outcome, custom_call_outcome_value: value },
  }));
  expect((await done('POST', '/calls', apiKey, { items })).failed).toEqual([]);
  const message = {
    ...{ type: 'end-of-call-report', durationSeconds: 60 },
    call: { id: 'a', customer: { number: '+14155550100' } },
    analysis: { structuredData: { custom_call_outcome: 'booked', custom_call_outcome_value: 90 } },
  };
  expect((await send(world, 'vapi', { body: { message } })).status).toBe(200);
  await settled(world);
  await until(async () => {
    const [from, to] = [-30, 1].map((days) => later(new Date(), days * 24).slice(0, 10));
    const { totals, pending } = (await call('GET', '/call-figures', { apiKey, query: { uid, from, to } })).body;
    const { changes } = (await call('GET', '/changes', { apiKey, query: { uid } })).body;
    const { endpoints } = (await call('GET', '/webhook-endpoints', { apiKey, query: { uid } })).body;
    const isListed = changes.some(({ action }: { action: string }) => action === 'agent.updated');
    return totals.costs === 3 && totals.held === 1 && !pending && isListed && endpoints[0].failingSince !== undefined;
  });
  return { maker, apiKey };
};

it('each of the 24 questions of everybody takes at most two clicks', () => {
  const all = [...ofAgency, ...ofOwner, ...ofNewcomer];
  expect(all).toHaveLength(24);
  expect(all.filter(({ steps = [] }) => countClicks(steps) > 2)).toEqual([]);
});

it.each(Object.entries(hands))('24 questions are answered by %s', { tags: 'heavy' }, async (_, hand) => {
  const { maker, apiKey } = await newAgency();
  const newcomer = await newUser();
  for (const [key, start, questions] of [
    [maker.apiKey, '/console/clients', ofAgency],
    [apiKey, '/console', ofOwner],
    [newcomer.apiKey, '/console', ofNewcomer],
  ] as const) {
    const { page, complaints } = await openConsole(key, start, { viewport: { width: hand.width, height: 800 } });
    page.setDefaultTimeout(10_000);
    const address = page.url();
    const unanswered: string[] = [];
    for (const { ask, steps = [], answer } of questions) {
      await page.goto(address);
      const tryIt = async () => {
        for (const step of steps) await take(page, hand, step);
        await answer(page).first().waitFor();
      };
      await tryIt().catch((cause) => unanswered.push(`“${ask}” is not answered: ${cause}`));
    }
    expect(unanswered).toEqual([]);
    expect(complaints).toEqual([]);
    await page.context().close();
  }
});
