import type { Demo } from '../operator/demo.ts';
import { stripeCustomers } from './stripe.ts';

export type Facts = Demo & {
  usersApiKey: string;
  baseUrl: string;
  appOrigin: string;
  customerId: string | null;
  tableName: string;
  endpoints: Record<string, string>;
};

/** Returns the text for a person when the local run is ready: addresses, the demo key, and calls to paste. */
export const welcome = (facts: Facts & { model: string | null; addedDays: number }): string => {
  const { baseUrl, apiKey, uid, agentId, phone, appOrigin, customerId, model, tableName, endpoints } = facts;
  const { usersApiKey, addedDays } = facts;
  const request = (options: string, path: string, body?: object) => {
    const data = body
      ? ` -d "${JSON.stringify(body).replaceAll('"', '\\"').replaceAll(agentId, '$VAP_AGENT').replaceAll(uid, '$VAP_USER')}"`
      : '';
    return `  curl -s ${options}-H "x-authorization: $VAP_API_KEY" "$VAP_BASE_URL${path}"${data}`;
  };
  return `
Voice Agent Platform API, on this machine

  Console    ${baseUrl}/console: calls, agents, numbers, knowledge, webhooks, changes and keys, with the demo key
             Clients need a key of their own: ${usersApiKey}
  Chat       ${baseUrl}/chat in a browser${model ? `, answered by ${model} on Bedrock` : ', answered by a fake model with canned text and real tools'}
  Docs       ${baseUrl}/docs; the API reference at ${baseUrl}/docs/reference has the demo key filled in
  Browsers   may call from ${appOrigin} (change it with APP_ORIGIN)
  Invoices   ${customerId ? `of a fake Stripe, for the customers ${Object.values(stripeCustomers).join(', ')}` : `from Stripe at ${endpoints.stripe}`}${
    addedDays > 0
      ? `\n  Demo data  of ${addedDays} days are being added, within seconds (--demo-days 0 adds none)
             A fake Vapi has lost the ends of two calls: ${baseUrl}/console/agents?agentId=${agentId}&section=platform finds them`
      : ''
  }
  Table      ${tableName} in DynamoDB at ${endpoints.dynamodb}

The demo key, user and agent, for a shell:

  export VAP_BASE_URL=${baseUrl}
  export VAP_API_KEY=${apiKey}
  export VAP_USER=${uid}
  export VAP_AGENT=${agentId}

List the agents, block a number, and set the outcome of the latest call:

${request('', '/agents?uid=$VAP_USER')}
${request('', '/agent-block-list', { uid, agentId, numbers: ['+14155550123'] })}
${request('-X PATCH ', `/calls/$VAP_AGENT/${phone}`, { custom_call_outcome: 'booked', custom_call_outcome_value: 120 })}

Every setting: npm start -- --help. Ctrl-C ends the run.
`;
};
