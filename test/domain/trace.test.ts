import { expect, it } from 'vitest';
import { readTrace, toReference, toRequestId, traceHeaders } from '../../functions/domain/trace.ts';

const traceId = '4bf92f3577b34da6a3ce929d0e0e4736';
const parentId = '00f067aa0ba902b7';
const valid = `00-${traceId}-${parentId}-01`;

it('a valid traceparent is continued, with the flags and the state of its caller', () => {
  const reference = toReference('request-1', { traceparent: valid, tracestate: 'rojo=00f0, congo=t61' });
  expect(toRequestId(reference)).toBe('request-1');
  const trace = readTrace(reference);
  expect(trace).toEqual({ traceId, parentId, flags: '01', state: 'rojo=00f0, congo=t61' });
  expect(traceHeaders(trace, 'b7ad6b7169203331')).toEqual({
    traceparent: `00-${traceId}-b7ad6b7169203331-01`,
    tracestate: 'rojo=00f0, congo=t61',
  });
  expect(readTrace(toReference('request-1', { traceparent: `cc-${traceId}-${parentId}-00-more` }))).toMatchObject({
    ...{ traceId, flags: '00' },
  });
});

it.each([
  undefined,
  '',
  `ff-${traceId}-${parentId}-01`,
  `${valid}-more`,
  `${valid}, ${valid}`,
  `00-${traceId.toUpperCase()}-${parentId}-01`,
  `00-${'0'.repeat(32)}-${parentId}-01`,
  `00-${traceId}-${'0'.repeat(16)}-01`,
  `00-${traceId}-${parentId}-1`,
])('the traceparent %j is ignored, and a trace is made of the id of the request', (traceparent) => {
  const reference = toReference('request-1', { traceparent, tracestate: 'rojo=1' });
  expect(reference).toBe('request-1');
  const trace = readTrace(reference);
  expect(trace).toMatchObject({ parentId: undefined, flags: '01', state: undefined });
  expect(trace.traceId).toMatch(/^[0-9a-f]{32}$/);
  expect(readTrace('request-1').traceId).toBe(trace.traceId);
  expect(readTrace('request-2').traceId).not.toBe(trace.traceId);
});

it('a tracestate of more than 512 bytes is left out as a whole', () => {
  const makeState = (length: number) =>
    readTrace(toReference('request-1', { traceparent: valid, tracestate: `a=${'x'.repeat(length - 2)}` })).state;
  expect([makeState(512)?.length, makeState(513)]).toEqual([512, undefined]);
});
