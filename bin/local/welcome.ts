import type { Demo } from '../operator/demo.ts';
import { stripeCustomers } from './stripe.ts';

export type Facts = Demo & {
  baseUrl: string;
  appOrigin: string;
  customerId: string | null;
  tableName: string;
  endpoints: Record<string, string>;
};

/** What a person reads when the local run is ready: addresses, the demo key, and calls to paste. */
export const welcome = (facts: Facts & { model: string | null }): string => {
  const { baseUrl, apiKey, uid, agentId, phone, appOrigin, customerId, model, tableName, endpoints } = facts;
  const request = (options: string, path: string, body?: object) => {
    const data = body ? ` -d "${JSON.stringify(body).replaceAll('"', '\\"').replaceAll(agentId, '$AGENT')}"` : '';
    return `  curl -s ${options}-H "x-authorization: $KEY" "$API${path}"${data}`;
  };
  return `
Voice Agent Platform API, on this machine

  Chat       ${baseUrl}/ in a browser${model ? `, answered by ${model} on Bedrock` : ', answered by a fake model with canned text and real tools'}
  Reference  ${baseUrl}/docs in a browser, with the demo key filled in
  Browsers   may call from ${appOrigin} (change it with APP_ORIGIN)
  Invoices   ${customerId ? `of a fake Stripe, for the customers ${Object.values(stripeCustomers).join(', ')}` : `from Stripe at ${endpoints.stripe}`}
  Table      ${tableName} in DynamoDB at ${endpoints.dynamodb}
  User       ${uid}

The demo key and agent, for a shell:

  export API=${baseUrl}
  export KEY=${apiKey}
  export AGENT=${agentId}

List the agents, block a number, and set the outcome of the latest call:

${request('', `/agents?uid=${uid}`)}
${request('', '/agent-block-list', { uid, agentId, numbers: ['+14155550124'] })}
${request('-X PATCH ', `/calls/$AGENT/${phone}`, { custom_call_outcome: 'booked', custom_call_outcome_value: 120 })}

Every setting: npm start -- --help. Ctrl-C ends the run.
`;
};
