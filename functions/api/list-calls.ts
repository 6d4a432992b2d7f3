import * as z from 'zod/mini';
import { Call, Direction, matchesFilters } from '../domain/calls.ts';
import { DateTime } from '../domain/date-time.ts';
import { booleanInQuery, describe } from '../domain/describe.ts';
import { AgentIdInPath } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { fillPage, fromCursor, nextPage, paging } from '../domain/paging.ts';
import { PhoneNumberInQuery } from '../domain/phone-numbers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { calls } from '../store/calls/calls.ts';
import { callPosition } from '../store/keys.ts';

/** Lists the calls of an agent that match all filters, newest first. */
export const listCalls = endpoint({
  name: 'listCalls',
  method: 'GET',
  // Half the time of 512 MB, for about the same price.
  memoryMegabytes: 1024,
  path: '/calls/{agentId}',
  summary: 'List the calls of an agent',
  description:
    'Returns the calls of an agent with their outcomes, newest first. A call must match all filters that are given. A page may be short, or empty, and still have a `nextCursor`; the last page has none.',
  caller: { kind: 'key', scope: 'calls', agent: ({ params }) => params },
  services: { calls: calls.for('list') },
  params: z.object({ agentId: AgentIdInPath }),
  query: z.object({
    phone: z.optional(
      PhoneNumberInQuery.check(
        describe('Only calls with this number, in E.164 format.', '+14155550100', { type: 'string' }),
      ),
    ),
    from: z.optional(DateTime.check(describe('Only calls that began at this time or later.', '2026-03-01T00:00:00Z'))),
    to: z.optional(DateTime.check(describe('Only calls that began before this time.', '2026-04-01T00:00:00Z'))),
    direction: z.optional(Direction.check(describe('Only calls in this direction.', 'inbound'))),
    status: z.optional(z.string().check(describe('Only calls that ended with this status.', 'completed'))),
    outcome: z.optional(z.string().check(describe('Only calls with this outcome.', 'appointment_booked'))),
    hasOutcome: z.optional(
      booleanInQuery('`true`: only calls that have an outcome. `false`: only calls without one.', true),
    ),
    ...paging,
  }),
  response: z
    .object({ calls: z.array(Call).check(z.describe('The calls, newest first.')), ...nextPage })
    .check(z.describe('A page of calls.')),

  async handle({ agent: { agentId }, query: { phone, from, to, limit, cursor, ...filters } }, { calls }) {
    const isFiltered = Object.values(filters).some((value) => value !== undefined);
    // A cursor is valid for the list with these parameters only: its position lies within their range.
    const collection = `calls:${agentId}:${JSON.stringify([phone, from, to, filters])}`;
    const after = fromCursor(collection, cursor);
    if (from !== undefined && to !== undefined && from > to) return { calls: [] };
    const expected = isFiltered ? undefined : limit && limit + 1;
    const { items, ...next } = await fillPage(calls.list(agentId, { phone, from, to, after, limit: expected }), {
      collection,
      limit,
      positionOf: callPosition,
      includes: (call) => matchesFilters(call, filters),
      maxExamined: isFiltered ? limits.callsExamined : undefined,
    });
    return { calls: items, ...next };
  },
});

export const handler = lambda(listCalls);
