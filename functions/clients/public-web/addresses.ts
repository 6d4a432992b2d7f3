import { isIP } from 'node:net';
import ipaddr from 'ipaddr.js';

/** IPv6 addresses that are routed to a host of the open internet are all in here. */
const globalUnicast = ipaddr.parseCIDR('2000::/3');

/**
 * Returns true for an IP address of the public internet: globally reachable unicast. Loopback, private, link-local,
 * multicast, reserved and documentation ranges are not; nor is IPv6 that embeds or tunnels to an IPv4 address
 * (mapped, compatible, NAT64, 6to4, Teredo), whatever the embedded address is. A text that is not an address is not public.
 */
export const isPublicAddress = (address: string): boolean => {
  if (!isIP(address)) return false;
  const parsed = ipaddr.parse(address);
  if (parsed.range() !== 'unicast') return false;
  return parsed.kind() === 'ipv4' || parsed.match(globalUnicast);
};
