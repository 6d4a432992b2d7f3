import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Started } from './started.ts';

/** A listening server; `stop` closes it with all its connections. */
export type Listening = Started & { endpoint: string; port: number };

const loopback = '127.0.0.1';

/** Listens on loopback, on a free port unless one is given. */
export const listen = async (server: Server, wanted = 0): Promise<Listening> => {
  // Callers close idle connections: a server that closes first loses the request that a busy caller sends at that moment.
  server.keepAliveTimeout = 0;
  server.listen(wanted, loopback);
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://${loopback}:${port}`,
    port,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

/**
 * Returns a port that was free a moment ago, for a program that cannot choose one itself. It is below the ports of
 * outgoing connections, one of which could take it before the program does.
 */
export const freePort = async (): Promise<number> => {
  const listening = await listen(createServer(), randomInt(10_000, 32_768)).catch((error) => {
    if (error.code !== 'EADDRINUSE' && error.code !== 'EACCES') throw error;
  });
  if (!listening) return freePort();
  await listening.stop();
  return listening.port;
};

/** Returns true if a host name, as a URL spells it, is this machine's own. */
export const isLoopback = (hostname: string): boolean =>
  hostname === 'localhost' ||
  hostname.endsWith('.localhost') ||
  hostname === '[::1]' ||
  /^127(\.\d+){3}$/.test(hostname);
