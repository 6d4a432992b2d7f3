import { createSocket } from 'node:dgram';
import { Resolver } from 'node:dns/promises';
import { once } from 'node:events';
import { isIPv6 } from 'node:net';

/** The addresses of a name, one list per lookup: a name server may respond differently the second time. */
export type Names = Record<string, (asked: number) => string[]>;

const types = { 1: 'A', 28: 'AAAA' } as Record<number, string>;

/** Starts a name server on the network, and a resolver that asks it. */
export const startNameServer = async (names: Names) => {
  const socket = createSocket('udp4');
  const asked = new Map<string, number>();
  const queries: string[] = [];
  socket.on('message', (query, peer) => {
    const labels: string[] = [];
    let at = 12;
    for (let length = query[at] as number; length > 0; length = query[at] as number) {
      labels.push(query.subarray(at + 1, at + 1 + length).toString());
      at += length + 1;
    }
    const name = labels.join('.').toLowerCase();
    const type = types[query.readUInt16BE(at + 1)];
    const key = `${name} ${type}`;
    const times = (asked.get(key) ?? 0) + 1;
    asked.set(key, times);
    queries.push(key);
    const known = names[name];
    const addresses = (known?.(times) ?? []).filter((address) => isIPv6(address) === (type === 'AAAA'));
    const question = query.subarray(12, at + 5);
    const header = Buffer.alloc(12);
    query.copy(header, 0, 0, 2);
    header.writeUInt16BE(known ? 0x8180 : 0x8183, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(addresses.length, 6);
    const answers = addresses.map((address) => {
      const data = toBytes(address);
      const record = Buffer.alloc(12);
      record.writeUInt16BE(0xc00c, 0);
      record.writeUInt16BE(type === 'AAAA' ? 28 : 1, 2);
      record.writeUInt16BE(1, 4);
      record.writeUInt32BE(0, 6);
      record.writeUInt16BE(data.length, 10);
      return Buffer.concat([record, data]);
    });
    socket.send(Buffer.concat([header, question, ...answers]), peer.port, peer.address);
  });
  socket.bind(0, '127.0.0.1');
  await once(socket, 'listening');
  const resolver = new Resolver({ timeout: 1000, tries: 2 });
  resolver.setServers([`127.0.0.1:${socket.address().port}`]);
  return {
    queries,
    async resolve(host: string) {
      const found = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)]);
      const addresses = found.flatMap((answer, index) =>
        answer.status === 'fulfilled' ? answer.value.map((address) => ({ address, family: index === 0 ? 4 : 6 })) : [],
      );
      if (addresses.length === 0) throw Object.assign(new Error('Not found.'), { code: 'ENOTFOUND' });
      return addresses;
    },
    stop: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  };
};

const toBytes = (address: string): Buffer => {
  if (!isIPv6(address)) return Buffer.from(address.split('.').map(Number));
  const host = new URL(`http://[${address}]`).hostname.slice(1, -1);
  const [head = '', tail] = host.split('::');
  const splitGroups = (text: string) => (text ? text.split(':') : []);
  const rest = tail === undefined ? [] : splitGroups(tail);
  const zeros = tail === undefined ? [] : Array.from({ length: 8 - splitGroups(head).length - rest.length }, () => '0');
  const bytes = Buffer.alloc(16);
  for (const [index, group] of [...splitGroups(head), ...zeros, ...rest].entries()) {
    bytes.writeUInt16BE(Number.parseInt(group, 16), index * 2);
  }
  return bytes;
};
