import { request } from 'undici';
import { connectionProblem, joinCodes, listCauses } from '../clients/public-web/connection-problem.ts';
import { type FetchPolicy, openPublicConnections } from '../clients/public-web/public-connections.ts';
import { limits } from '../domain/limits.ts';
import { environment } from '../environment.ts';
import { wholeService } from '../service.ts';
import { isReceiverAddress } from './receiver-address.ts';

/** The response to a request without its body, or the cause of its absence. */
export type ReceiverResponse = {
  status?: number;
  milliseconds: number;
  cause?: string;
  /** The seconds until the next attempt, as the receiver requested. */
  retryAfterSeconds?: number;
};

/** The maximum time for reading the rest of a response. */
const bodyMilliseconds = 500;

const httpsPort: ReadonlySet<string> = new Set(['443']);

/** Sends webhooks to the servers of users, which are not trusted. */
export class WebhookReceivers {
  readonly #policy: FetchPolicy;
  readonly #timeoutMilliseconds: number;

  constructor(policy: FetchPolicy = {}, timeoutMilliseconds = limits.webhookSeconds * 1000) {
    this.#policy = { ports: httpsPort, ...policy };
    this.#timeoutMilliseconds = timeoutMilliseconds;
  }

  /** Sends a request over its own connection. Follows no redirect, and reads 1 KB of the body. */
  async post(
    url: string,
    { headers, body }: { headers: Record<string, string>; body: string },
  ): Promise<ReceiverResponse> {
    const started = performance.now();
    const milliseconds = () => Math.round(performance.now() - started);
    if (!isReceiverAddress(url, this.#policy.trustedOrigins)) {
      return { milliseconds: 0, cause: 'The address is not one that webhooks may be sent to.' };
    }
    const timeout = AbortSignal.timeout(this.#timeoutMilliseconds);
    const agent = openPublicConnections(this.#policy, this.#timeoutMilliseconds);
    try {
      const response = await request(url, { method: 'POST', dispatcher: agent, headers, body, signal: timeout });
      const status = response.statusCode;
      const isSuccess = status >= 200 && status <= 299;
      // Some servers report an error for an unread body. A long or slow body is cut.
      const bodyTimeout = AbortSignal.timeout(bodyMilliseconds);
      await response.body.dump({ limit: limits.webhookResponseBytes, signal: bodyTimeout }).catch(() => {});
      return {
        status,
        milliseconds: milliseconds(),
        ...(!isSuccess && { cause: explainStatus(status) }),
        ...(!isSuccess && parseRetryAfter(response.headers['retry-after'])),
      };
    } catch (error) {
      const causes = listCauses(error);
      const isTimeout = timeout.aborted || /UND_ERR_(HEADERS|BODY)_TIMEOUT/.test(joinCodes(causes));
      const cause = isTimeout
        ? `The receiver did not respond within ${this.#timeoutMilliseconds / 1000} seconds.`
        : connectionProblem(causes);
      if (cause === undefined) throw error;
      return { milliseconds: milliseconds(), cause };
    } finally {
      await agent.destroy();
    }
  }
}

const explainStatus = (status: number) =>
  status >= 300 && status <= 399
    ? `The receiver answered with the redirect ${status}, which is not followed.`
    : `The receiver answered with status ${status}.`;

/** Reads a `Retry-After` header, which is a number of seconds or a date. */
const parseRetryAfter = (header: string | string[] | undefined): { retryAfterSeconds?: number } => {
  if (typeof header !== 'string') return {};
  const seconds = /^\d{1,9}$/.test(header) ? Number(header) : (Date.parse(header) - Date.now()) / 1000;
  return Number.isFinite(seconds) ? { retryAfterSeconds: Math.max(0, seconds) } : {};
};

export const webhookReceivers = /* @__PURE__ */ wholeService(
  () => new WebhookReceivers({ trustedOrigins: environment.webhookTrustedOrigins }),
);
