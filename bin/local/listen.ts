import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Started } from './started.ts';

/** A listening server; `stop` closes it with all its connections. */
export type Listening = Started & { endpoint: string; port: number };

/** Listens on loopback, on a free port unless one is given. */
export const listen = async (server: Server, wanted = 0): Promise<Listening> => {
  server.listen(wanted, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    endpoint: `http://127.0.0.1:${port}`,
    port,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
};

/** A port that was free a moment ago, for a program that cannot choose one itself. */
export const freePort = async (): Promise<number> => {
  const { port, stop } = await listen(createServer());
  await stop();
  return port;
};
