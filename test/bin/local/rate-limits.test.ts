import { createServer } from 'node:http';
import { expect, it, onTestFinished } from 'vitest';
import { gateway } from '../../../bin/local/gateway.ts';
import { listen } from '../../../bin/local/listen.ts';
import { rateLimits, readRates } from '../../../bin/local/rate-limits.ts';
import type { AnyEndpoint } from '../../../functions/http/endpoint.ts';
import { routes } from '../../../functions/routes.ts';

process.env.APP_ORIGIN = 'http://app.example';

const named = (name: string) => routes.find((endpoint) => endpoint.name === name) as AnyEndpoint;
const [recordCalls, listCalls, decideCallStart, receiveHook] = [
  named('recordCalls'),
  named('listCalls'),
  named('decideCallStart'),
  named('receiveHook'),
];

it('requests above the rate are refused, and no batch uses up the rate of an operation at call time', () => {
  const isAdmitted = rateLimits({ requestsPerSecond: 10, callTimeRequestsPerSecond: 5 });
  const admitted = (endpoint: AnyEndpoint, requests: number, now: number) =>
    Array.from({ length: requests }, () => isAdmitted(endpoint, now)).filter(Boolean).length;
  // A burst of twice the rate, then the rate.
  expect(admitted(recordCalls, 1000, 0)).toBe(20);
  expect(admitted(listCalls, 1000, 0)).toBe(0);
  for (let second = 1; second <= 60; second += 1) {
    expect(admitted(recordCalls, 1000, second * 1000)).toBe(10);
    expect(admitted(decideCallStart, 5, second * 1000)).toBe(5);
    expect(admitted(receiveHook, 5, second * 1000)).toBe(5);
  }
  expect(admitted(decideCallStart, 1000, 61_000)).toBe(10);
  expect(admitted(receiveHook, 1000, 61_000)).toBe(10);
});

it('the operations that a call waits for are those with a rate of their own', () => {
  expect(routes.filter(({ atCallTime }) => atCallTime).map(({ method, path }) => `${method} ${path}`)).toEqual(
    expect.arrayContaining([
      'GET /block-list/check',
      'GET /agent-block-list/check',
      'POST /agent-block-list/check',
      'POST /agent-knowledge/search',
      'POST /call-starts',
      'POST /hooks/{platform}',
    ]),
  );
});

it('the rates of a local run come from the environment, and a wrong one is named in a sentence', () => {
  expect(readRates({})).toEqual({});
  expect(readRates({ REQUESTS_PER_SECOND: '20' })).toEqual({ requestsPerSecond: 20, callTimeRequestsPerSecond: 20 });
  expect(readRates({ REQUESTS_PER_SECOND: '20', CALL_TIME_REQUESTS_PER_SECOND: '50' })).toEqual({
    requestsPerSecond: 20,
    callTimeRequestsPerSecond: 50,
  });
  expect(() => readRates({ CALL_TIME_REQUESTS_PER_SECOND: '0' })).toThrow(
    'CALL_TIME_REQUESTS_PER_SECOND must be a whole number from 1 to 10,000, not "0".',
  );
});

it('a local run answers a request above the rate as API Gateway does', async () => {
  const rates = { requestsPerSecond: 1, callTimeRequestsPerSecond: 1000 };
  const pages = { files: () => new Map(), demo: {} };
  const service = await listen(createServer(gateway({ origins: ['http://app.example'], pages, rates })));
  onTestFinished(() => service.stop());
  const send = (path: string) => fetch(service.endpoint + path, { method: 'POST', body: '{}' });
  const answers = await Promise.all(Array.from({ length: 20 }, () => send('/calls')));
  const refused = answers.filter(({ status }) => status === 429);
  expect(refused.length).toBeGreaterThan(10);
  expect(await refused[0]?.json()).toEqual({ message: 'Too Many Requests' });
  const atCallTime = await Promise.all(Array.from({ length: 20 }, () => send('/call-starts')));
  expect(new Set(atCallTime.map(({ status }) => status))).toEqual(new Set([401]));
});
