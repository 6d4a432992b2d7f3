import { isIPv6 } from 'node:net';
import { environment } from '../environment.ts';
import type { ApiEvent } from './handler-types.ts';

/** Returns the caller's network address. Callers can forge all forwarded addresses but the last. */
export const clientAddress = (event: ApiEvent): string => {
  const header = environment.clientAddressHeader;
  const forwarded = header && event.headers[header]?.split(',').at(-1)?.trim();
  return forwarded ? withoutPort(forwarded) : event.requestContext.http.sourceIp;
};

/** Removes the port of `198.51.100.7:443` and `[2001:db8::7]:443`, which CloudFront also writes without brackets. */
const withoutPort = (address: string) => {
  const bracketed = /^\[(.+)\](?::\d+)?$/.exec(address);
  if (bracketed) return bracketed[1] as string;
  const colons = address.split(':').length - 1;
  return colons === 1 || (colons > 7 && !address.includes('::')) ? address.replace(/:\d+$/, '') : address;
};

/** Returns the network of a caller: an IPv4 address, or the /64 of an IPv6 address, within which a caller can choose freely. */
export const toNetwork = (address: string): string => {
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address);
  if (mapped) return mapped[1] as string;
  if (!isIPv6(address)) return address;
  const [head = '', tail] = (address.split('%')[0] as string).split('::');
  const first = head === '' ? [] : head.split(':');
  const last = tail === undefined || tail === '' ? [] : tail.split(':');
  const groups = tail === undefined ? first : [...first, ...Array(8 - first.length - last.length).fill('0'), ...last];
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::/64`;
};
