import { expect, it } from 'vitest';
import { describeEntry, describeRequest } from '../../../bin/local/log.ts';

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

it('a line for a request that failed in the service ends with the id of the request', () => {
  const request = { method: 'GET', path: '/key', milliseconds: 7 };
  const body = JSON.stringify({ error: 'internal_error', message: 'Try again.' });
  expect(describeRequest(request, { status: 500, body, requestId: 'id-1' })).toBe('GET /key 500 7 ms Try again. id-1');
  expect(describeRequest(request, { status: 404, body, requestId: 'id-1' })).toBe('GET /key 404 7 ms Try again.');
});

it('the log of a run has the reason for which a signature was refused', () => {
  const entry = { operation: 'receiveHook', status: 401, code: 'invalid_signature', reason: 'body' };
  expect(describeEntry({ level: 'info', ...entry })).toBe('receiveHook invalid_signature: body\n');
});

it('the log of a run is in words: the end of a chat response, a failed delivery, a job', () => {
  const chat = { operation: 'buildChat', state: 'finished', tools: ['listAgents', 'listCalls'] };
  expect(describeEntry({ level: 'info', ...chat })).toBe('buildChat finished, tools: listAgents, listCalls\n');
  const delivery = { failedDelivery: 'delivery_1', reason: 'The address is not a public one.' };
  expect(describeEntry({ level: 'warn', ...delivery })).toBe(
    'delivery delivery_1 failed: The address is not a public one.\n',
  );
  expect(describeEntry({ level: 'info', job: 'countCalls', milliseconds: 12 })).toBe('countCalls done 12 ms\n');
});

it('the log of a run has the stack of an error, and a sentence for a deadline', () => {
  const failed = { level: 'error', operation: 'listCalls', status: 500 };
  const stack = 'Error: No table.\n    at find';
  expect(describeEntry({ ...failed, cause: { name: 'Error', message: 'No table.', stack } })).toBe(`${stack}\n`);
  expect(describeEntry({ ...failed, cause: { name: 'TimeoutError', message: 'Aborted', stack } })).toBe(
    'The work was not done before its deadline.\n',
  );
});
