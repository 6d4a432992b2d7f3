import { expect, it } from 'vitest';
import { demoCalls, doNotCall } from '../../../../bin/local/demo/demo-calls.ts';
import { CallItem } from '../../../../functions/domain/calls.ts';
import { isPhoneNumber } from '../../../../functions/domain/phone-numbers.ts';
import { validate } from '../../../../functions/domain/validation.ts';

const dayMilliseconds = 86_400_000;
const until = Date.parse('2026-11-24T11:30:00Z');
const agents = { inboundId: 'front-desk', outboundId: 'reminders' };
const calls = demoCalls(agents, 90, until);

it('the demo calls are the same for the same end, and valid as an item of POST /calls', () => {
  expect(demoCalls(agents, 90, until)).toEqual(calls);
  expect(calls.length).toBeGreaterThan(2000);
  for (const call of calls) expect(validate(CallItem, call).error).toBeUndefined();
  expect(new Set(calls.map(({ callId }) => callId)).size).toBe(calls.length);
});

it('the demo calls have ended before the end of their 90 days, and so had the setting of their outcomes', () => {
  const starts = calls.map(({ startedAt }) => startedAt);
  expect(starts).toEqual([...starts].sort());
  expect(Date.parse(starts[0] as string)).toBeGreaterThan(until - 92 * dayMilliseconds);
  for (const { endedAt = '', outcomeAt } of calls) {
    expect(Date.parse(endedAt)).toBeLessThan(until);
    expect(Date.parse(outcomeAt)).toBeGreaterThanOrEqual(Date.parse(endedAt));
  }
});

it('the demo calls have numbers that are reserved for fiction, some withheld', () => {
  const numbers = calls.flatMap(({ phone }) => phone ?? []);
  expect(numbers.length).toBeLessThan(calls.length);
  for (const number of numbers) {
    expect(number).toMatch(/^\+1\d{3}55501\d\d$/);
    expect(isPhoneNumber(number)).toBe(true);
  }
});

it('a demo call follows the hours of the practice in summer and in winter, and no one is called on weekends', () => {
  const inZone = (startedAt: string, part: Intl.DateTimeFormatOptions) =>
    new Date(startedAt).toLocaleString('en-US', { timeZone: 'America/Los_Angeles', hourCycle: 'h23', ...part });
  for (const { direction, startedAt } of calls) {
    const hour = Number(inZone(startedAt, { hour: 'numeric' }));
    expect(hour).toBeGreaterThanOrEqual(direction === 'inbound' ? 8 : 9);
    expect(hour).toBeLessThan(direction === 'inbound' ? 19 : 18);
    if (direction === 'outbound') expect(inZone(startedAt, { weekday: 'short' })).not.toMatch(/Sat|Sun/);
  }
});

it('a number of the demo that is not to be called is not called again, and rejected when it calls', () => {
  const blockedAt = new Map<string, string>();
  for (const { phone, startedAt, status, direction, custom_call_outcome } of calls) {
    if (phone && blockedAt.has(phone))
      expect({ direction, status }).toEqual({ direction: 'inbound', status: 'rejected' });
    else expect(status).not.toBe('rejected');
    if (custom_call_outcome === doNotCall) blockedAt.set(phone ?? '', startedAt);
  }
  expect(blockedAt.size).toBeGreaterThan(5);
});

it('the outcomes of the demo calls form a funnel, and only bookings have a value', () => {
  const booked = calls.filter(({ custom_call_outcome }) => custom_call_outcome === 'appointment booked');
  expect(booked.length).toBeGreaterThan(calls.length / 8);
  expect(booked.length).toBeLessThan(calls.length / 2);
  for (const { custom_call_outcome, custom_call_outcome_value } of calls) {
    expect(custom_call_outcome_value !== undefined).toBe(custom_call_outcome === 'appointment booked');
  }
});
