import { setTimeout as sleep } from 'node:timers/promises';
import { ForbiddenAddressError, resolvePublicAddresses } from '../clients/public-web/public-hosts.ts';
import { isWebAddress } from '../domain/websites.ts';
import { environment } from '../environment.ts';
import { wholeService } from '../service.ts';

const lookupMilliseconds = 5000;

/** Names the two ways to a receiver on the developer's own machine. */
const otherReceivers =
  'must be an https address on port 443 without a password. The operator can allow other origins (WEBHOOK_TRUSTED_ORIGINS), and the command "webhooks listen" forwards events to your machine';

/** Checks for https on port 443, or a trusted origin. */
export const isReceiverAddress = (text: string, trustedOrigins: ReadonlySet<string> = new Set()): boolean => {
  const url = URL.parse(text);
  if (!isWebAddress(url)) return false;
  return trustedOrigins.has(url.origin) || (url.protocol === 'https:' && url.port === '');
};

/** Reports a mistyped address at once. Every delivery checks it again when it connects. */
class ReceiverAddresses {
  readonly #trustedOrigins: ReadonlySet<string>;

  constructor(trustedOrigins: ReadonlySet<string>) {
    this.#trustedOrigins = trustedOrigins;
  }

  /** Returns the problem with an address, to stand after the field's name. */
  async findProblem(text: string): Promise<string | undefined> {
    if (!isReceiverAddress(text, this.#trustedOrigins)) return otherReceivers;
    const url = new URL(text);
    if (this.#trustedOrigins.has(url.origin)) return undefined;
    const host = url.hostname.replace(/^\[|\]$/g, '');
    const lookup = resolvePublicAddresses(host).then(
      () => undefined,
      (error: unknown) =>
        error instanceof ForbiddenAddressError ? 'has a host that is not public' : 'has a host that was not found',
    );
    return Promise.race([lookup, sleep(lookupMilliseconds, 'has a host that was not found', { ref: false })]);
  }
}

export const receiverAddresses = /* @__PURE__ */ wholeService(
  () => new ReceiverAddresses(environment.webhookTrustedOrigins),
);
