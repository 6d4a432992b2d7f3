import type { Demo } from '../operator/demo.ts';
import { stripeCustomers } from './stripe.ts';

/** What a person reads once the local run is ready: where it is, the demo key, and three calls that work when pasted. */
export const welcome = (
  run: Demo & {
    baseUrl: string;
    appOrigin: string;
    customerId: string | null;
    model: string | null;
    tableName: string;
    endpoints: Record<string, string>;
  },
): string => {
  const { baseUrl, apiKey, uid, agentId, phone } = run;
  const json = (body: unknown) => `-H 'content-type: application/json' -d '${JSON.stringify(body)}'`;
  const key = `-H 'x-authorization: ${apiKey}'`;
  return `
Voice Agent Platform API, on this machine

  Address    ${baseUrl}
  Demo key   ${apiKey}
  User       ${uid}
  Agent      ${agentId}
  Chat       ${baseUrl}/ in a browser; ${
    run.model ? `${run.model} on Bedrock answers` : 'a stand-in for Bedrock answers, with canned text and real tools'
  }
  Reference  ${baseUrl}/docs in a browser, to try every operation with the demo key
  Invoices   ${
    run.customerId
      ? `a stand-in for Stripe answers, for made-up customers: ${Object.values(stripeCustomers).join(', ')}`
      : `from Stripe at ${run.endpoints.stripe}`
  }
  Table      ${run.tableName} in DynamoDB Local at ${run.endpoints.dynamodb}

Block a number:

  curl -s ${baseUrl}/agent-block-list ${key} ${json({ uid, agentId, numbers: ['+1 (415) 555-0123'] })}

Copy the agent:

  curl -s ${baseUrl}/duplicate-agent ${key} ${json({ uid, agentId })}

Set the outcome of the latest call with ${phone}:

  curl -s -X PATCH ${baseUrl}/calls/${agentId}/${phone} ${key} ${json({ custom_call_outcome: 'booked', custom_call_outcome_value: 120 })}

Ctrl-C ends it.
`;
};
