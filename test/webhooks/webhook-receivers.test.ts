import diagnosticsChannel from 'node:diagnostics_channel';
import type { Socket } from 'node:net';
import { afterAll, afterEach, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import type { FetchPolicy } from '../../functions/clients/public-web/public-connections.ts';
import { WebhookReceivers } from '../../functions/webhooks/webhook-receivers.ts';
import { insideHosts } from '../support/addresses.ts';
import { type Names, startNameServer } from '../support/dns-stub.ts';
import { newReceiver } from '../support/webhooks.ts';

const request = { headers: { 'content-type': 'application/json', 'webhook-id': 'event_1' }, body: '{}' };
const post = (url: string, policy: FetchPolicy = {}) => new WebhookReceivers(policy).post(url, request);
const findCause = async (url: string, policy?: FetchPolicy) => (await post(url, policy)).cause;

const notPublic = 'The address is not a public one.';
const notAllowed = 'The address is not one that webhooks may be sent to.';

const resolveNames = async (names: Names) => {
  const server = await startNameServer(names);
  onTestFinished(server.stop);
  return server;
};

describe('an address inside the network', () => {
  /** Every address to which this process tried to connect. */
  let attempts: string[] = [];
  const watch = (message: unknown) => {
    (message as { socket: Socket }).socket.on('connectionAttempt', (ip) => attempts.push(ip));
  };
  beforeAll(() => diagnosticsChannel.subscribe('net.client.socket', watch));
  afterAll(() => diagnosticsChannel.unsubscribe('net.client.socket', watch));
  afterEach(() => {
    attempts = [];
  });

  it('an address inside the network is never connected to, in any of 250 spellings', async () => {
    const outcomes = new Map<string, string | undefined>();
    for (const host of insideHosts()) outcomes.set(host, await findCause(`https://${host}/`));
    expect(outcomes.size).toBeGreaterThanOrEqual(250);
    expect([...outcomes].filter(([, cause]) => cause !== notPublic)).toEqual([]);
    expect(attempts).toEqual([]);
  });

  it('an address inside the network is never connected to by a name, nor by one that resolves differently the second time', async () => {
    const outside = '192.0.1.77';
    const server = await resolveNames({
      'private.test': () => ['10.1.2.3'],
      'six.test': () => ['fd00:ec2::254'],
      'mixed.test': () => ['8.8.8.8', '169.254.169.254'],
      'rebinding.test': (asked) => [asked === 1 ? outside : '127.0.0.1'],
    });
    for (const name of ['private.test', 'six.test', 'mixed.test']) {
      expect(await findCause(`https://${name}/`, server), name).toBe(notPublic);
    }
    expect(attempts).toEqual([]);
    // The address that was checked is the one that is connected to, and nobody there has its certificate.
    expect(await findCause('https://rebinding.test/', server)).toMatch(/connection|certificate/);
    expect(server.queries.filter((query) => query === 'rebinding.test A')).toHaveLength(1);
    expect(await findCause('https://rebinding.test/', server)).toBe(notPublic);
    expect(attempts).toEqual([outside]);
  });
});

describe('a receiver', () => {
  const policy = { trustedOrigins: new Set([inject('receiverOrigin')]) };

  it('a receiver gets requests only by https on port 443, unless its origin is trusted', async () => {
    const { url, received } = await newReceiver();
    for (const other of ['http://1.1.1.1/', 'https://1.1.1.1:8443/', url, url.replace('127.0.0.1', 'localhost')]) {
      expect(await post(other), other).toEqual({ milliseconds: 0, cause: notAllowed });
    }
    expect(await received()).toEqual([]);
    expect(await post(url, policy)).toEqual({ status: 204, milliseconds: expect.any(Number) });
    expect(await received()).toMatchObject([{ body: '{}', headers: request.headers }]);
  });

  it.each([301, 302, 303, 307, 308])(
    'a receiver that redirects with %i to another one is not followed',
    async (status) => {
      const other = await newReceiver();
      const { url } = await newReceiver({ status, headers: { location: other.url } });
      const cause = `The receiver answered with the redirect ${status}, which is not followed.`;
      expect(await post(url, policy)).toEqual({ status, milliseconds: expect.any(Number), cause });
      expect(await other.received()).toEqual([]);
    },
  );

  it('a receiver is reported only by its status, and its response is not kept', async () => {
    const { url } = await newReceiver({ status: 500, bodyBytes: 100_000, headers: { 'x-secret': 'inside' } });
    expect(await post(url, policy)).toEqual({
      ...{ status: 500, milliseconds: expect.any(Number) },
      cause: 'The receiver answered with status 500.',
    });
  });

  it.each([
    ['seconds', () => '120', 120],
    ['no seconds', () => '0', 0],
    ['a point in time', () => new Date(Date.now() + 3_600_000).toUTCString(), 3600],
    ['a word', () => 'soon', undefined],
  ])('a receiver that asks to wait with %s is understood', async (_, writeHeader, seconds) => {
    const { url } = await newReceiver({ status: 503, headers: { 'retry-after': writeHeader() } });
    const { retryAfterSeconds } = await post(url, policy);
    if (seconds === undefined) expect(retryAfterSeconds).toBeUndefined();
    else expect(Math.abs((retryAfterSeconds ?? Number.NaN) - seconds)).toBeLessThan(30);
  });
});
