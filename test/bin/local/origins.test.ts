import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { gateway } from '../../../bin/local/gateway.ts';
import { listen } from '../../../bin/local/listen.ts';

it('the log of a local run names an origin that may not call from a browser, and those that may', async () => {
  const lines: string[] = [];
  const origins = ['http://localhost:3000', 'http://localhost:5173'];
  const pages = { files: () => new Map(), demo: {} };
  const service = await listen(createServer(gateway({ origins, pages, report: (line) => lines.push(line) })));
  onTestFinished(() => service.stop());
  for (const origin of ['http://localhost:5173', 'http://localhost:9999']) {
    const headers = { origin, 'access-control-request-method': 'GET' };
    await fetch(`${service.endpoint}/agents`, { method: 'OPTIONS', headers });
  }
  expect(lines).toEqual([
    'http://localhost:9999 may not call from a browser. APP_ORIGIN allows http://localhost:3000, http://localhost:5173',
  ]);
});
