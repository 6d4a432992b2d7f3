import { expect, it } from 'vitest';
import { describeRequest } from '../../../bin/local/log.ts';

const describeCall = (milliseconds: number, status: number, body?: object) =>
  describeRequest(
    { method: 'GET', path: '/calls/…/+14155550111', milliseconds },
    { status, body: body && JSON.stringify(body) },
  );

it('a line for a slow request has its status and duration, and no phone number', () => {
  expect(describeCall(1583.4, 200)).toBe('GET /calls/…/… 200 1583 ms');
  const message = 'There is no call with +14155550111.';
  expect(describeCall(12, 404, { message })).toMatch(/^GET \/calls\/…\/… 404 12 ms There is no call with …\.?$/);
});
