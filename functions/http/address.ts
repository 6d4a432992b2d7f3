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
