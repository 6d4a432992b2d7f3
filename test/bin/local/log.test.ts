import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { describeEntry, describeRequest, startReadableLog } from '../../../bin/local/log.ts';
import { log } from '../../../functions/log.ts';
import { useFakeTimers } from '../../support/fake-timers.ts';

useFakeTimers();

let printed: string[] = [];
const { write } = process.stderr;
beforeEach(() => {
  printed = [];
  process.stderr.write = ((text: string) => printed.push(text) > 0) as typeof write;
});
afterEach(() => {
  process.stderr.write = write;
});

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

it('a line for a request that failed ends with the id of the request', () => {
  const request = { method: 'GET', path: '/key', milliseconds: 7 };
  const body = JSON.stringify({ error: 'internal_error', message: 'Try again.' });
  expect(describeRequest(request, { status: 500, body, requestId: 'id-1' })).toBe('GET /key 500 7 ms Try again. id-1');
  expect(describeRequest(request, { status: 200, body, requestId: 'id-1' })).toBe('GET /key 200 7 ms');
});

it('each line of a run has the time of day, and that of a request the agent that its function logs', () => {
  vi.setSystemTime(new Date(2026, 0, 15, 9, 5, 7));
  const print = startReadableLog();
  log('info', { requestId: 'id-1', operation: 'updateAgent', status: 200, agentId: 'agent_1' });
  log('info', { requestId: 'id-2', operation: 'getKey', status: 200 });
  print('GET /key 200 3 ms', 'id-2');
  print('PATCH /agents/… 200 23 ms', 'id-1');
  process.stderr.write('The disk is full.\n');
  expect(printed.join('')).toBe(
    '09:05:07 GET /key 200 3 ms\n09:05:07 PATCH /agents/… 200 23 ms agent_1\n09:05:07 The disk is full.\n',
  );
});

it('a job that succeeds thousands of times has two lines in ten seconds, and each of its failures has one', () => {
  vi.setSystemTime(new Date(2026, 0, 15, 9, 5, 7));
  startReadableLog();
  for (let index = 0; index < 4000; index++) log('info', { job: 'countCalls', milliseconds: 35 });
  log('error', { job: 'countCalls', milliseconds: 9, cause: { name: 'TimeoutError' } });
  vi.advanceTimersByTime(10_000);
  log('info', { job: 'countCalls', milliseconds: 31 });
  vi.advanceTimersByTime(10_000);
  expect(printed.join('').split('\n')).toEqual([
    '09:05:07 countCalls done 35 ms',
    '09:05:07 countCalls failed, will be retried 9 ms',
    'The work was not done before its deadline.',
    '09:05:17 countCalls done 3,999 more times in 10 seconds',
    '09:05:17 countCalls done 31 ms',
    '',
  ]);
});

it('the log of a run has the reason for which a signature was refused', () => {
  const entry = { operation: 'receiveHook', status: 401, code: 'invalid_signature', reason: 'body' };
  expect(describeEntry({ level: 'info', ...entry })).toBe('receiveHook invalid_signature: body\n');
  const ofField = describeEntry({ level: 'info', ...entry, field: 'PhoneNumber' });
  expect(ofField).toBe('receiveHook invalid_signature: body, field PhoneNumber\n');
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
