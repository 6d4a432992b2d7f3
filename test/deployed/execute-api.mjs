// Functions call the API at the name that AWS gives it, which the emulator serves under another name. `fetch` sends no
// other `Host` than that of its address.
import { request } from 'node:https';
import { text } from 'node:stream/consumers';

const named = /^https:\/\/(\w+)\.execute-api\.[\w-]+\.amazonaws\.com(\/.*)$/;
const { fetch } = globalThis;
const gateway = new URL(process.env.EMULATOR_ENDPOINT);

globalThis.fetch = (input, init = {}) => {
  const [, api, path] = named.exec(String(input?.url ?? input)) ?? [];
  if (!api) return fetch(input, init);
  const { promise, resolve, reject } = Promise.withResolvers();
  const { method, signal, body } = init;
  const headers = { ...init.headers, host: `${api}.execute-api.localhost:${gateway.port}` };
  const place = { host: gateway.hostname, servername: 'localhost', port: gateway.port };
  const sent = request({ ...place, path, method, headers, signal }, async (answer) => {
    const { statusCode: status, headers } = answer;
    resolve(new Response(await text(answer), { status, headers: { 'content-type': headers['content-type'] ?? '' } }));
  });
  sent.on('error', reject).end(body);
  return promise;
};
