import Stripe from 'stripe';
import * as z from 'zod/mini';
import { ApiError, invalidField } from '../domain/errors.ts';
import { InvoiceList } from '../domain/invoices.ts';
import { isJsonObject } from '../domain/json.ts';
import { environment } from '../environment.ts';
import { wholeService } from '../service.ts';
import { Secret } from './secrets.ts';

/** Pins the fields of responses, so that a new release of the package does not change them. */
const apiVersion = '2026-10-28.endive';
/** The timeouts of one attempt and of a call with both attempts. The pause between them is at most half a second. */
export const stripeTimeouts = { attemptMilliseconds: 3500, callMilliseconds: 8500 };
/** More than the size of a hundred invoices with all their lines. */
const maxResponseBytes = 32 * 1024 * 1024;

/** The payment provider. Only the status and code of its errors leave this file. */
export class StripeAccount {
  readonly #secret: Pick<Secret, 'read' | 'forget'>;
  readonly #base: URL;
  readonly #timeouts: typeof stripeTimeouts;

  constructor(secret: Pick<Secret, 'read' | 'forget'>, base: string, timeouts = stripeTimeouts) {
    this.#secret = secret;
    this.#base = new URL(base);
    this.#timeouts = timeouts;
  }

  /** Returns up to 100 invoices of a customer, newest first, from the one after `startingAfter` on. */
  async listInvoices(customer: string, startingAfter?: string | null): Promise<InvoiceList> {
    const deadline = AbortSignal.timeout(this.#timeouts.callMilliseconds);
    const query = new URLSearchParams({ customer, limit: '100' });
    if (startingAfter) query.set('starting_after', startingAfter);
    const client = this.#client(await this.#secret.read(), deadline);
    try {
      // A raw request, since the package's methods turn some fields into custom objects.
      return z.parse(InvoiceList, await client.rawRequest('GET', `/v1/invoices?${query}`));
    } catch (error) {
      if (error instanceof Stripe.errors.StripeAuthenticationError) this.#secret.forget();
      if (!isMissing(error)) throw stripeError(error);
      if (startingAfter && error.param === 'starting_after')
        throw invalidField('startingAfter', 'is not an invoice of this customer');
      throw noInvoices();
    }
  }

  #client(key: string, deadline: AbortSignal): Stripe {
    const { protocol, hostname, port } = this.#base;
    const isPlain = protocol === 'http:';
    return new Stripe(key, {
      apiVersion,
      protocol: isPlain ? 'http' : 'https',
      host: hostname,
      port: port || (isPlain ? 80 : 443),
      httpClient: Stripe.createFetchHttpClient(fetchUntil(deadline)),
      timeout: this.#timeouts.attemptMilliseconds,
      maxNetworkRetries: 1,
      telemetry: false,
    });
  }
}

export const noInvoices = () => new ApiError('invoices_not_found', 'This customer has no invoices.');

const isMissing = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Stripe.errors.StripeError && error.code === 'resource_missing';

/** Returns a failure without Stripe's message, which may quote keys and customers. */
const stripeError = (error: unknown) => {
  const { name, statusCode, code, detail, requestId } = error as Partial<Stripe.errors.StripeError> & {
    detail?: { code?: unknown; cause?: { code?: unknown } };
  };
  const facts = [name, statusCode, code ?? detail?.cause?.code ?? detail?.code, requestId];
  return new Error(
    `The request to Stripe failed: ${facts.filter((fact) => /^\w{1,60}$/.test(String(fact ?? ''))).join(' ')}`,
  );
};

/** Fetches JSON objects within a deadline and a size. The package hangs on a JSON string. */
const fetchUntil = (deadline: AbortSignal) => async (url: string | URL | Request, init?: RequestInit) => {
  const signal = AbortSignal.any([deadline, ...(init?.signal ? [init.signal] : [])]);
  const response = await fetch(url, { ...init, signal, redirect: 'error' });
  const text = await readBoundedText(response);
  const body: unknown = JSON.parse(text);
  if (!isJsonObject(body) || (!response.ok && !('error' in body)))
    throw new Error('The response is not one of Stripe’s.');
  return new Response(text, { status: response.status, headers: response.headers });
};

const readBoundedText = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > maxResponseBytes) throw new Error('The response is too large to be one of Stripe’s.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

export const stripe = /* @__PURE__ */ wholeService(
  () => new StripeAccount(new Secret(environment.stripeSecret), environment.stripeApiBase),
  ['secretsmanager:GetSecretValue:stripe'],
);
