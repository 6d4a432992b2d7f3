import { createHash, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type Stripe from 'stripe';
import { type Listening, listen } from './listen.ts';
import template from './stripe-invoice.json' with { type: 'json' };

const daySeconds = 86_400;

/** The customers of the fake Stripe. The first has a few invoices, one in every status. */
export const stripeCustomers = {
  several: 'cus_LocalSeveral',
  many: 'cus_LocalMany',
  none: 'cus_LocalNone',
  deleted: 'cus_LocalDeleted',
} as const;

/** An invoice as Stripe sends it: decimals are strings. */
type WireInvoice = Omit<Stripe.Invoice, 'lines'> & { lines: object };
type StripeError = { type: string; message: string; code?: string; param?: string; doc_url?: string };

/** Starts a fake Stripe: it lists the invoices of a few customers in Stripe's wire format, for requests with the key. */
export const startStripe = async ({ key }: { key: string }): Promise<Listening> => {
  const invoices = demoInvoices();
  const server = createServer((request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://localhost');
    const send = (status: number, body: object) => {
      const requestId = `req_${randomUUID().replaceAll('-', '').slice(0, 14)}`;
      const version = request.headers['stripe-version'];
      response.writeHead(status, {
        'content-type': 'application/json',
        'request-id': requestId,
        ...(version && { 'stripe-version': version }),
      });
      response.end(JSON.stringify(body, null, 2));
    };
    const sendError = (status: number, error: StripeError) => send(status, { error });
    request.resume();
    const keyError = checkKey(request.headers.authorization, key);
    if (keyError) return sendError(401, keyError);
    if (request.method !== 'GET' || pathname !== '/v1/invoices') {
      return sendError(404, {
        type: 'invalid_request_error',
        message: `Unrecognized request URL (${request.method}: ${pathname}). Please see https://stripe.com/docs.`,
      });
    }
    const list = listInvoices(invoices, searchParams);
    return 'error' in list ? sendError(400, list.error) : send(200, list);
  });
  return listen(server);
};

/** Accepts the key as a bearer token, or as the user name of basic authentication. */
const checkKey = (header: string | undefined, key: string): StripeError | undefined => {
  const [scheme, value = ''] = (header ?? '').split(' ');
  const given = scheme === 'Basic' ? Buffer.from(value, 'base64').toString().split(':')[0] : value;
  if (given === key) return undefined;
  const type = 'invalid_request_error';
  if (!given)
    return { type, message: 'You did not provide an API key. You need to provide it in the Authorization header.' };
  return { type, message: `Invalid API Key provided: ${given.slice(0, 8)}${'*'.repeat(8)}${given.slice(-4)}` };
};

const listInvoices = (invoices: WireInvoice[], query: URLSearchParams) => {
  const limit = Number(query.get('limit') ?? 10);
  if (!Number.isInteger(limit) || limit < 1 || limit > 100) {
    return {
      error: { type: 'invalid_request_error', param: 'limit', message: `Invalid integer: ${query.get('limit')}` },
    };
  }
  const customer = query.get('customer');
  const known: string[] = [stripeCustomers.several, stripeCustomers.many, stripeCustomers.none];
  if (customer && !known.includes(customer)) return notFound('customer', customer);
  const matching = invoices.filter((invoice) => !customer || invoice.customer === customer);
  const after = query.get('starting_after');
  const place = matching.findIndex(({ id }) => id === after);
  if (after && place < 0) return notFound('invoice', after, 'starting_after');
  const rest = matching.slice(place + 1);
  return { object: 'list', data: rest.slice(0, limit), has_more: rest.length > limit, url: '/v1/invoices' };
};

const notFound = (kind: string, id: string, param = kind): { error: StripeError } => ({
  error: {
    type: 'invalid_request_error',
    code: 'resource_missing',
    doc_url: 'https://stripe.com/docs/error-codes/resource-missing',
    message: `No such ${kind}: '${id}'`,
    param,
  },
});

/** Newest first, as Stripe lists them. */
const demoInvoices = (): WireInvoice[] => {
  const monthSeconds = 30 * daySeconds;
  const now = Math.floor(Date.now() / 1000 / daySeconds) * daySeconds;
  const states = ['draft', 'open', 'paid', 'paid', 'uncollectible', 'void', 'paid'] as const;
  return [
    ...states.map((status, index) => invoice(stripeCustomers.several, index, now - index * monthSeconds, status)),
    ...Array.from({ length: 137 }, (_, index) =>
      invoice(stripeCustomers.many, index, now - index * monthSeconds, index === 0 ? 'open' : 'paid'),
    ),
  ];
};

/** Returns an invoice: the record in `stripe-invoice.json` with what differs from one invoice to another. */
const invoice = (customer: string, index: number, created: number, status: Stripe.Invoice.Status): WireInvoice => {
  const id = identifier('in', customer, index);
  const total = 4900 + (index % 5) * 1250;
  const isFinal = status !== 'draft';
  const laterWhen = (isSo: boolean, days: number) => (isSo ? created + days * daySeconds : null);
  const period = { start: created - 30 * daySeconds, end: created };
  const line = {
    ...template.line,
    id: identifier('il', customer, index),
    amount: total,
    description: `${total / 10} minutes × Voice agents`,
    invoice: id,
    period,
    quantity: total / 10,
    quantity_decimal: String(total / 10),
    subtotal: total,
  };
  return {
    ...(template.invoice as unknown as WireInvoice),
    id,
    amount_due: total,
    amount_paid: status === 'paid' ? total : 0,
    amount_remaining: status === 'paid' || status === 'void' ? 0 : total,
    attempt_count: isFinal ? 1 : 0,
    attempted: isFinal,
    auto_advance: !isFinal,
    created,
    customer,
    due_date: laterWhen(isFinal, 30),
    effective_at: laterWhen(isFinal, 0),
    ending_balance: isFinal ? 0 : null,
    hosted_invoice_url: isFinal ? `https://invoice.example.com/i/${id}` : null,
    invoice_pdf: isFinal ? `https://invoice.example.com/i/${id}/pdf` : null,
    lines: { object: 'list', data: [line], has_more: false, url: `/v1/invoices/${id}/lines` },
    number: isFinal ? `LOCAL-${String(1000 - index).padStart(4, '0')}` : null,
    period_end: period.end,
    period_start: period.start,
    status,
    status_transitions: {
      finalized_at: laterWhen(isFinal, 0),
      marked_uncollectible_at: laterWhen(status === 'uncollectible', 60),
      paid_at: laterWhen(status === 'paid', 1),
      voided_at: laterWhen(status === 'void', 1),
    },
    subtotal: total,
    subtotal_excluding_tax: total,
    total,
    total_excluding_tax: total,
    webhooks_delivered_at: laterWhen(isFinal, 0),
  };
};

/** Returns an identifier that is the same in every run. */
const identifier = (prefix: string, customer: string, index: number) =>
  `${prefix}_${createHash('sha256').update(`${customer}/${index}`).digest('hex').slice(0, 24)}`;
