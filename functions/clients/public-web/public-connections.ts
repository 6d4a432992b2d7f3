import { isIP, type LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { isPublicAddress } from './addresses.ts';
import {
  ForbiddenAddressError,
  notPublic,
  type Resolve,
  resolveBySystem,
  resolvePublicAddresses,
} from './public-hosts.ts';

/** The allowed destinations of connections. Trusted origins are exempt from all checks. */
export type FetchPolicy = {
  trustedOrigins?: ReadonlySet<string>;
  ports?: ReadonlySet<string>;
  resolve?: Resolve;
};

const webPorts: ReadonlySet<string> = new Set(['80', '443']);
const defaultPorts: Record<string, string> = { 'http:': '80', 'https:': '443' };
const connectTimeoutMilliseconds = 5000;

/**
 * Opens connections to untrusted URLs. Regardless of the URL, redirects and name servers, it connects only to public addresses
 * and web ports. The check runs where the connection is made, and the connection goes to the very address that was checked: a
 * name that resolves differently the second time gains nothing.
 */
export const openPublicConnections = (policy: FetchPolicy, responseTimeoutMilliseconds: number): Agent => {
  const { trustedOrigins = new Set(), ports = webPorts, resolve = resolveBySystem } = policy;
  const options = { timeout: connectTimeoutMilliseconds, allowH2: false, keepAlive: false };
  const connectTrusted = buildConnector(options);
  const connectChecked = buildConnector({ ...options, lookup: publicLookup(resolve) });
  const connect: buildConnector.connector = (target, callback) => {
    const { protocol, host, hostname } = target;
    const url = URL.parse(`${protocol}//${host ?? hostname}`);
    if (url && trustedOrigins.has(url.origin)) return connectTrusted(target, callback);
    if (!url || !ports.has(url.port || defaultPorts[protocol] || ''))
      return callback(new ForbiddenAddressError(otherPort), null);
    // A host that is itself an address is never looked up.
    if (isIP(hostname) && !isPublicAddress(hostname)) return callback(notPublic(), null);
    connectChecked(target, callback);
  };
  return new Agent({
    connect,
    connections: 4,
    headersTimeout: responseTimeoutMilliseconds,
    bodyTimeout: responseTimeoutMilliseconds,
  });
};

/** Looks a host up, and fails unless every one of its addresses is public. */
const publicLookup =
  (resolve: Resolve): LookupFunction =>
  (host, options, callback) => {
    resolvePublicAddresses(host, resolve).then(
      (addresses) => {
        const [first] = addresses;
        if (options.all) callback(null, addresses);
        else callback(null, first.address, first.family);
      },
      (error) => callback(error as NodeJS.ErrnoException, []),
    );
  };

export const otherPort = 'Only the ports 80 and 443 are read.';
