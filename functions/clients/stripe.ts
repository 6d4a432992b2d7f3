import Stripe from 'stripe';
import * as z from 'zod/mini';
import { ApiError, invalidField } from '../domain/errors.ts';
import { InvoiceList } from '../domain/invoices.ts';
import { environment } from '../environment.ts';
import { wholeService } from '../service.ts';
import { Secret } from './secrets.ts';

/** The fields of an answer change with this version alone, not with a new release of the package. */
const apiVersion = '2026-10-28.endive';
const attemptMilliseconds = 3500;
/** No call takes longer, whatever Stripe does; the pause before a second attempt can add half a second. */
const callMilliseconds = 8500;
/** More than a hundred invoices with all their lines can weigh. */
const answerBytes = 32 * 1024 * 1024;

/** The payment provider. Nothing that it says when it refuses leaves this file but its status and its code. */
export class StripeAccount {
  readonly #secret: Pick<Secret, 'read' | 'forget'>;
  readonly #base: URL;

  constructor(secret: Pick<Secret, 'read' | 'forget'>, base: string) {
    this.#secret = secret;
    this.#base = new URL(base);
  }

  /** A customer's invoices, newest first: up to 100, from the one after `startingAfter` on. */
  async listInvoices(customer: string, startingAfter: string | undefined): Promise<InvoiceList> {
    const deadline = AbortSignal.timeout(callMilliseconds);
    const query = new URLSearchParams({ customer, limit: '100' });
    if (startingAfter) query.set('starting_after', startingAfter);
    const client = this.#client(await this.#secret.read(), deadline);
    try {
      // Asked raw, since the package's own methods turn some fields into objects of theirs.
      return z.parse(InvoiceList, await client.rawRequest('GET', `/v1/invoices?${query}`));
    } catch (error) {
      if (error instanceof Stripe.errors.StripeAuthenticationError) this.#secret.forget();
      if (!isMissing(error)) throw described(error);
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
      timeout: attemptMilliseconds,
      maxNetworkRetries: 1,
      telemetry: false,
    });
  }
}

export const noInvoices = () => new ApiError('invoices_not_found', 'This customer has no invoices.');

const isMissing = (error: unknown): error is Stripe.errors.StripeError =>
  error instanceof Stripe.errors.StripeError && error.code === 'resource_missing';

/** What may be known of a failure: no sentence of Stripe's, since those quote keys and customers. */
const described = (error: unknown) => {
  const { name, statusCode, code, detail, requestId } = error as Partial<Stripe.errors.StripeError> & {
    detail?: { code?: unknown; cause?: { code?: unknown } };
  };
  const facts = [name, statusCode, code ?? detail?.cause?.code ?? detail?.code, requestId];
  return new Error(
    `Stripe did not answer as it should: ${facts.filter((fact) => /^\w{1,60}$/.test(String(fact ?? ''))).join(' ')}`,
  );
};

/**
 * Fetches whole answers, within a time and a size, and takes nothing for an answer that is not a JSON object: the
 * package would hang on a JSON text or number, and take an error without an error's body for a success.
 */
const fetchUntil = (deadline: AbortSignal) => async (url: string | URL | Request, init?: RequestInit) => {
  const signal = AbortSignal.any([deadline, ...(init?.signal ? [init.signal] : [])]);
  const response = await fetch(url, { ...init, signal, redirect: 'error' });
  const text = await readText(response);
  const answer: unknown = JSON.parse(text);
  const isObject = typeof answer === 'object' && answer !== null && !Array.isArray(answer);
  if (!isObject || (!response.ok && !('error' in answer))) throw new Error('The answer is not one of Stripe’s.');
  return new Response(text, { status: response.status, headers: response.headers });
};

const readText = async (response: Response): Promise<string> => {
  const chunks: Uint8Array[] = [];
  let bytes = 0;
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length;
    if (bytes > answerBytes) throw new Error('The answer is too large to be one of Stripe’s.');
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString();
};

export const stripe = wholeService(
  () => new StripeAccount(new Secret(environment.stripeSecret), environment.stripeApiBase),
  ['secretsmanager:GetSecretValue:stripe'],
);
