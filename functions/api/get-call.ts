import * as z from 'zod/mini';
import { Call, CallIdOrPhone, Preference } from '../domain/calls.ts';
import { noSuchCall } from '../domain/errors.ts';
import { AgentIdInPath } from '../domain/identifiers.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { addressedCallLookup } from '../store/calls/addressed-call.ts';
import { callRecords } from '../store/calls/call-records.ts';

/** Returns a call, named by its id or as the first or last one with a phone number. */
export const getCall = endpoint({
  name: 'getCall',
  method: 'GET',
  path: '/calls/{agentId}/{callIdOrPhone}',
  summary: 'Get a call',
  description:
    'Returns a call by its id, or by a phone number: then `preference` chooses the first or the last call with that number.',
  caller: { kind: 'key', scope: 'calls', agent: ({ params }) => params, prefetch: addressedCallLookup },
  services: { callRecords: callRecords.for('find') },
  params: z.object({ agentId: AgentIdInPath, callIdOrPhone: CallIdOrPhone }),
  query: z.object({ preference: z._default(Preference, 'last') }),
  response: Call,
  errors: ['call_not_found'],

  async handle({ params, found: target }, { callRecords }) {
    const found = await callRecords.find(target);
    if (!found) throw noSuchCall(params.callIdOrPhone);
    return found.call;
  },
});

export const handler = lambda(getCall);
