import { promises as dns, type LookupAddress } from 'node:dns';
import { isPublicAddress } from './addresses.ts';

/** Thrown instead of making a connection. The message names neither the host nor its address. */
export class ForbiddenAddressError extends Error {
  override readonly name = 'ForbiddenAddressError';
}

/** Looks up the addresses of a host. */
export type Resolve = (host: string) => Promise<LookupAddress[]>;

export const resolveBySystem: Resolve = (host) => dns.lookup(host, { all: true });

/** Returns the addresses of a host. Throws when there is none, and a `ForbiddenAddressError` unless every one of them is public. */
export const resolvePublicAddresses = async (
  host: string,
  resolve: Resolve = resolveBySystem,
): Promise<[LookupAddress, ...LookupAddress[]]> => {
  const [first, ...more] = await resolve(host);
  if (!first) throw Object.assign(new Error('No address.'), { code: 'ENOTFOUND' });
  if (![first, ...more].every(({ address }) => isPublicAddress(address))) throw notPublic();
  return [first, ...more];
};

export const notPublic = () => new ForbiddenAddressError('The address is not a public one.');
