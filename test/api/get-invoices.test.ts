import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Context } from 'aws-lambda';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, vi } from 'vitest';
import { listen } from '../../bin/local/listen.ts';
import { stripeCustomers } from '../../bin/local/stripe.ts';
import { getInvoices, handler } from '../../functions/api/get-invoices.ts';
import { StripeAccount, stripeTimeouts } from '../../functions/clients/stripe.ts';
import { makeEvent } from '../support/events.ts';
import { call, target } from '../support/world.ts';

const get = (body: unknown, headers: Record<string, string> = { origin: target.appOrigin }) =>
  call('POST', '/get-invoices', { body, headers });

it('invoices of a customer are returned as Stripe lists them, newest first, with date and paid', async () => {
  const { status, body } = await get({ customerId: target.customerId });
  expect(status).toBe(200);
  expect(body.message).toBe('Invoices retrieved.');
  const { object, data, has_more, url } = body.invoices;
  expect({ object, has_more, url }).toEqual({ object: 'list', has_more: false, url: '/v1/invoices' });
  expect(data.map(({ status, paid }: { status: string; paid: boolean }) => [status, paid])).toEqual([
    ['draft', false],
    ['open', false],
    ['paid', true],
    ['paid', true],
    ['uncollectible', false],
    ['void', false],
    ['paid', true],
  ]);
  for (const invoice of data) {
    expect(invoice).toMatchObject({ object: 'invoice', customer: target.customerId, currency: 'usd' });
    expect(invoice.date).toBe(invoice.created);
    expect(invoice.lines.data[0].pricing).toEqual({ type: 'price_details', unit_amount_decimal: '10' });
  }
  const dates = data.map(({ date }: { date: number }) => date);
  expect(dates).toEqual(dates.toSorted((a: number, b: number) => b - a));
  expect(data[0].due_date).toBeNull();
});

it('a request for invoices has at most 4 KB, which cost little before they are read', async () => {
  const { status, body } = await get({ customerId: target.customerId, padding: 'x'.repeat(4 * 1024) });
  expect([status, body.error]).toEqual([413, 'payload_too_large']);
});

it('invoices of a customer are returned a hundred at once, and the rest after the last of them', async () => {
  const first = (await get({ customerId: stripeCustomers.many })).body.invoices;
  expect([first.data.length, first.has_more]).toEqual([100, true]);
  expect((await get({ customerId: stripeCustomers.many, startingAfter: null })).body.invoices).toEqual(first);
  const rest = await get({ customerId: stripeCustomers.many, startingAfter: first.data.at(-1).id });
  expect([rest.body.invoices.data.length, rest.body.invoices.has_more]).toEqual([37, false]);
  const all = [...first.data, ...rest.body.invoices.data].map(({ id }) => id);
  expect(new Set(all).size).toBe(137);
  const end = await get({ customerId: stripeCustomers.many, startingAfter: all.at(-1) });
  expect([end.status, end.body.invoices.data]).toEqual([200, []]);
});

it('invoices of a customer are not found when the customer has none', async () => {
  const { status, body } = await get({ customerId: stripeCustomers.none });
  expect([status, body.error]).toEqual([404, 'invoices_not_found']);
});

it.each(['in_nobodys', 'cus_1'])('invoices of a customer cannot be listed after %j', async (startingAfter) => {
  const { status, body } = await get({ customerId: target.customerId, startingAfter });
  expect([status, body.error, body.details[0].path]).toEqual([400, 'invalid_request', 'startingAfter']);
});

it.each([
  ['', 'customer_id_required'],
  ['{"customerId":7}', 'customer_id_required'],
  ['{"customerId":"cus_1&limit=1"}', 'customer_id_required'],
  ['{"customerId":', 'invalid_request'],
])('the body %s names no customer, and is 400', async (body, error) => {
  const answer = await get(body);
  expect([answer.status, answer.body.error]).toEqual([400, error]);
});

/** The behavior of the faulty Stripe, by the requested customer. */
const key = 'sk_test_4eC39HqLyjWDarjtT1zdp7dc';
const leak = 'what-stripe-says';
type Behavior = (response: ServerResponse, request: IncomingMessage, attempt: number) => unknown;
const json =
  (status: number, body: unknown, headers = {}): Behavior =>
  (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers });
    response.end(JSON.stringify(body));
  };
const errorResponse = (status: number, error: object = {}, headers = {}) =>
  json(status, { error: { type: leak, message: `${leak}: invalid key ${key}`, doc_url: leak, ...error } }, headers);
const list = (data: unknown) => ({ object: 'list', data, has_more: false, url: '/v1/invoices' });
const text =
  (status: number, type: string, body: string): Behavior =>
  (response) =>
    response.writeHead(status, { 'content-type': type }).end(body);
/** Answers the first request in some way, and the next ones with an invoice. */
const atFirst =
  (behavior: Behavior): Behavior =>
  (response, request, attempt) =>
    (attempt === 1 ? behavior : json(200, list([{ id: 'in_1', object: 'invoice' }])))(response, request, attempt);

let poured = 0;
const failures: Record<string, Behavior> = {
  'never answers': () => {},
  'answers a byte at a time, without end': (response) => {
    const timer = setInterval(() => response.write(' '), 100);
    response.on('close', () => clearInterval(timer));
  },
  'rejects the key': errorResponse(401),
  'denies permission': errorResponse(403),
  'fails with 503 and asks to wait': errorResponse(503, {}, { 'retry-after': '60', 'stripe-should-retry': 'true' }),
  'resets the connection in mid-body': (response) => {
    response.writeHead(200, { 'content-length': 1000 }).write('{"object":"list"');
    setTimeout(() => response.socket?.resetAndDestroy(), 50);
  },
  'sends a page as a success': text(200, 'text/html', `<html>${leak}</html>`),
  'sends JSON null': json(200, null),
  'sends data that is no invoices': json(200, list([leak])),
  redirects: (response) => response.writeHead(302, { location: '/elsewhere' }).end(),
};

const others: Record<string, Behavior> = {
  'pours without end': (response) => {
    const block = Buffer.alloc(1024 * 1024, ' ');
    const pour = () => {
      do poured += block.length;
      while (response.write(block) && !response.destroyed);
    };
    response.on('drain', pour);
    pour();
  },
  'fails once': atFirst(errorResponse(500)),
  'is silent after a late key': () => {},
  'is silent once': atFirst(() => {}),
  'still sends date and paid': json(
    200,
    list([
      { id: 'in_1', object: 'invoice', created: 1, date: 2, status: 'paid', paid: false },
      { id: 'in_2', object: 'invoice', created: 3, status: 'paid', extra: { deep: [1.5, null, '½'] }, customer: null },
    ]),
  ),
  'sends more than one answer carries': json(
    200,
    list(
      Array.from({ length: 20 }, (_, index) => ({
        id: `in_${index}`,
        object: 'invoice',
        description: 'x'.repeat(400_000),
      })),
    ),
  ),
  'misses the customer with 404': errorResponse(404, { code: 'resource_missing', param: 'customer' }),
  'misses the customer with 400': errorResponse(400, { code: 'resource_missing' }),
};

const behaviors = { ...failures, ...others };
const formCustomerId = (behavior: string) => `cus_${behavior.replaceAll(/\W/g, '_')}`;
const asked: IncomingMessage[] = [];
const timesAsked = (behavior: string) =>
  asked.filter(({ url }) => url?.includes(`customer=${formCustomerId(behavior)}&`)).length;

const faulty = createServer((request, response) => {
  asked.push(request);
  const customer = new URL(request.url ?? '', 'http://stripe').searchParams.get('customer');
  const name = Object.keys(behaviors).find((behavior) => formCustomerId(behavior) === customer) ?? 'sends JSON null';
  behaviors[name]?.(response, request, timesAsked(name));
});

const ask = async (body: unknown, headers: Record<string, string> = { origin: 'https://app.example.com' }) => {
  const { statusCode, body: text = '' } = await handler(makeEvent(getInvoices, { headers, body }), {} as Context);
  return { status: statusCode, text, body: JSON.parse(text) };
};

const logged: string[] = [];
beforeAll(async () => {
  const { endpoint, stop } = await listen(faulty);
  process.env.STRIPE_API_BASE = endpoint;
  process.env.STRIPE_SECRET_KEY = key;
  process.env.APP_ORIGIN = 'https://app.example.com';
  vi.spyOn(process.stderr, 'write').mockImplementation((line) => logged.push(String(line)) > 0);
  return stop;
});
afterAll(() => vi.restoreAllMocks());

describe('Stripe', { tags: 'local-only' }, () => {
  it('Stripe is asked with its key, in a pinned version', async () => {
    await ask({ customerId: formCustomerId('still sends date and paid'), startingAfter: 'in_9' });
    const { method, url, headers } = asked.at(-1) as IncomingMessage;
    expect([method, url]).toEqual([
      'GET',
      `/v1/invoices?customer=${formCustomerId('still sends date and paid')}&limit=100&starting_after=in_9`,
    ]);
    expect(headers).toMatchObject({ authorization: `Bearer ${key}`, 'stripe-version': '2026-10-28.endive' });
  });

  it('Stripe’s own date and paid are kept if it still sends them, and no field is lost', async () => {
    const { body } = await ask({ customerId: formCustomerId('still sends date and paid') });
    expect(body.invoices.data).toEqual([
      { id: 'in_1', object: 'invoice', created: 1, date: 2, status: 'paid', paid: false },
      {
        id: 'in_2',
        object: 'invoice',
        created: 3,
        date: 3,
        status: 'paid',
        paid: true,
        extra: { deep: [1.5, null, '½'] },
        customer: null,
      },
    ]);
  });

  it('a response of Stripe is not read beyond the maximum size', async () => {
    const { status } = await ask({ customerId: formCustomerId('pours without end') });
    expect([status, timesAsked('pours without end')]).toEqual([500, 2]);
    expect(poured).toBeGreaterThan(32 * 1024 * 1024);
    expect(poured).toBeLessThan(2 * 48 * 1024 * 1024);
  });

  it('Stripe may send more than fits into one response: the rest is on the next page', async () => {
    const { status, text, body } = await ask({ customerId: formCustomerId('sends more than one answer carries') });
    expect([status, body.invoices.has_more, body.invoices.data.length]).toEqual([200, true, 13]);
    expect(Buffer.byteLength(text)).toBeLessThan(5.5 * 1024 * 1024);
  });

  it.each(['misses the customer with 404', 'misses the customer with 400'])(
    'a customer that Stripe does not know is 404 without Stripe’s own message when it %s',
    async (behavior) => {
      const { status, text, body } = await ask({ customerId: formCustomerId(behavior) });
      expect([status, body.error]).toEqual([404, 'invoices_not_found']);
      expect(text).not.toContain(leak);
    },
  );
});

const slow = ['never answers', 'answers a byte at a time, without end'];

/** The operation with its timeouts reduced to a fifth. */
const timeouts = {
  attemptMilliseconds: stripeTimeouts.attemptMilliseconds / 5,
  callMilliseconds: stripeTimeouts.callMilliseconds / 5,
};
const account = (secret: { read(): Promise<string>; forget?(): void }, times = timeouts) =>
  new StripeAccount({ forget: () => {}, ...secret }, process.env.STRIPE_API_BASE as string, times);

describe.concurrent('a call to Stripe', { tags: 'local-only' }, () => {
  it('a call to Stripe ends early enough for a response within 10 seconds', () => {
    // Half a second at most between two attempts, and half a second for everything else.
    expect(stripeTimeouts.callMilliseconds).toBeLessThanOrEqual(9000);
    expect(2 * stripeTimeouts.attemptMilliseconds + 500).toBeLessThanOrEqual(stripeTimeouts.callMilliseconds);
  });

  it.each(slow)('a call to Stripe fails in time, after two attempts at most, when it %s', async (behavior) => {
    const started = performance.now();
    const listing = account({ read: async () => key }).listInvoices(formCustomerId(behavior), undefined);
    await expect(listing).rejects.toThrow(/^The request to Stripe failed: \w*/);
    expect(performance.now() - started).toBeLessThan(timeouts.callMilliseconds + 1500);
    expect([1, 2]).toContain(timesAsked(behavior));
  });

  it('a call to Stripe is retried when the first attempt gets no response', async () => {
    // The machine may be busy: the second attempt has a second.
    const patient = account({ read: async () => key }, { ...stripeTimeouts, attemptMilliseconds: 1000 });
    const list = await patient.listInvoices(formCustomerId('is silent once'), undefined);
    expect([list.data.length, timesAsked('is silent once')]).toEqual([1, 2]);
  });

  it('a call to Stripe has less time for the response when its key arrives late', async () => {
    const late = { read: () => sleep(500, key) };
    const short = { attemptMilliseconds: 300, callMilliseconds: 1000 };
    const behavior = 'is silent after a late key';
    await expect(account(late, short).listInvoices(formCustomerId(behavior), undefined)).rejects.toThrow();
    // If the time began with the key, there would be time for a second attempt.
    expect(timesAsked(behavior)).toBeLessThan(2);
  });
});

describe.concurrent('when Stripe', () => {
  const fast = Object.keys(failures).filter((behavior) => !slow.includes(behavior));
  const askTimed = async (behavior: string) => {
    const started = performance.now();
    const response = await ask({ customerId: formCustomerId(behavior) });
    return { ...response, milliseconds: performance.now() - started };
  };
  const responses = new Map<string, ReturnType<typeof askTimed>>();
  // All are requested at once, because most wait for a second attempt, and few tests run at the same time.
  beforeAll(() => {
    for (const behavior of [...fast, 'fails once']) responses.set(behavior, askTimed(behavior));
  });
  const getResponse = (behavior: string) => responses.get(behavior) as ReturnType<typeof askTimed>;

  it.each(fast)('when Stripe %s, the response is 500 within 10 seconds, without details', async (behavior) => {
    const { status, text, body, milliseconds } = await getResponse(behavior);
    expect([status, body.error]).toEqual([500, 'internal_error']);
    expect(milliseconds).toBeLessThan(10_000);
    expect(timesAsked(behavior)).toBeGreaterThan(0);
    expect(timesAsked(behavior)).toBeLessThanOrEqual(2);
    for (const secret of [leak, key.slice(8)]) expect(text + logged.join('')).not.toContain(secret);
    expect(asked.some(({ url }) => url === '/elsewhere')).toBe(false);
  });

  it('when Stripe fails once, the request is retried', async () => {
    const { status } = await getResponse('fails once');
    expect([status, timesAsked('fails once')]).toEqual([200, 2]);
  });
});

it('the key to Stripe is read again after Stripe rejected it, and only then', async () => {
  const calls: string[] = [];
  const secret = { read: async () => key, forget: () => void calls.push('forget') };
  await account(secret).listInvoices(formCustomerId('still sends date and paid'), undefined);
  await expect(account(secret).listInvoices(formCustomerId('denies permission'), undefined)).rejects.toThrow();
  expect(calls).toEqual([]);
  await expect(account(secret).listInvoices(formCustomerId('rejects the key'), undefined)).rejects.toThrow();
  expect(calls).toEqual(['forget']);
});

describe('the origin', () => {
  let before = 0;
  beforeEach(() => {
    before = asked.length;
  });
  afterEach(() => expect(asked.length).toBe(before));

  it.each(['null', 'https://app.example.com.evil.example'])(
    'a request for invoices from the origin %j is rejected, and Stripe is not called',
    async (origin) => {
      const { status, body } = await ask({ customerId: formCustomerId('fails once') }, { origin });
      expect([status, body.error]).toEqual([403, 'unauthorized_origin']);
    },
  );

  it('the origin of a request for invoices cannot be left out', async () => {
    const { status, body } = await ask({ customerId: formCustomerId('fails once') }, {});
    expect([status, body.error]).toEqual([403, 'unauthorized_origin']);
  });

  it('the origin of a request for invoices is checked before the body', async () => {
    expect((await ask('{', { origin: 'https://evil.example' })).status).toBe(403);
  });
});
