import * as z from 'zod/mini';
import { decideOutcome } from '../domain/call-outcomes.ts';
import { Blocked, CallOutcomeItem, PhoneOrWithheld, Revoked, toCallReference, UpdatedFields } from '../domain/calls.ts';
import { describedObject, listField, objectComponent, textField } from '../domain/describe.ts';
import { noSuchCall } from '../domain/errors.ts';
import { examples } from '../domain/examples.ts';
import { formatLimit } from '../domain/format-limit.ts';
import { limits } from '../domain/limits.ts';
import { list } from '../domain/list.ts';
import { FailedItem, failedItem, ItemIndex } from '../domain/request-items.ts';
import { acceptAgentItems } from '../http/accept-agent-items.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { findLastTableCall } from '../http/last-table-call.ts';
import { calls } from '../store/calls/calls.ts';
import { credentials } from '../store/credentials.ts';

const UpdatedOutcome = objectComponent('UpdatedOutcome', 'An item whose call was changed.', {
  index: ItemIndex,
  call_id: textField('Id of the call that was updated.', examples.callId),
  agent_id: textField('Id of the agent of the call.', examples.agentId),
  phone: PhoneOrWithheld,
  updated_fields: UpdatedFields,
  blocked: Blocked,
  revoked: Revoked,
});

/** Sets the outcomes of many calls. An invalid item, or one whose call is missing or foreign, does not fail the others. */
export const updateCallOutcomes = endpoint({
  name: 'updateCallOutcomes',
  method: 'POST',
  path: '/call-outcomes',
  summary: 'Set the outcomes of many calls',
  description: `Sets the outcomes of up to ${formatLimit('outcomesPerRequest')} calls in one request, of any agents that the user of the API key may use. Items are processed independently: one that is invalid is in \`failed\`, and so is, as \`temporarily_unavailable\`, one that was not processed before the response was due: send it again. An outcome that the agent does not declare fails as \`unknown_outcome\`. Setting the same values again changes nothing. Several items may name the same call: they are applied in the order sent. The batch tool (\`npm run outcomes\`) sends files of any size this way.`,
  caller: { kind: 'key', scope: 'calls' },
  services: { calls: calls.for('setOutcomes'), credentials: credentials.for('readAccess') },
  body: z.object({
    items: list(z.unknown().check(z.meta({ documentAs: CallOutcomeItem })), {
      min: 1,
      max: limits.outcomesPerRequest,
    }).check(z.describe(`1 to ${formatLimit('outcomesPerRequest')} outcomes to set.`)),
  }),
  response: describedObject('The result of each item.', {
    updated: listField(UpdatedOutcome, 'The items that were applied, in the order sent.'),
    failed: listField(FailedItem, 'The items that were not applied, in the order sent.'),
  }),
  errorDescriptions: { 400: `There is no item, or there are more than ${formatLimit('outcomesPerRequest')}.` },

  async handle({ body, principal, receivedAt }, { calls, credentials }) {
    const context = { principal, credentials };
    const { accepted, failed } = await acceptAgentItems(body.items, CallOutcomeItem, context, (item, agent, origin) => {
      const { agentId, callIdOrPhone, preference, metadataMode: mode } = item;
      const outcome = decideOutcome(item, { ...agent, agentId }, { ...origin, mode });
      return { item, agentId, reference: toCallReference(callIdOrPhone, preference), ...outcome };
    });
    const results = await calls.setOutcomes(accepted, findLastTableCall(receivedAt));
    const updated: z.infer<typeof UpdatedOutcome>[] = [];
    for (const [place, { index, item, block, revocation, fields }] of accepted.entries()) {
      const call = results[place];
      if (call instanceof Error) failed.push(failedItem(index, call));
      else if (!call) failed.push(failedItem(index, noSuchCall(item.callIdOrPhone)));
      else {
        const { callId, agentId, phone = null } = call;
        updated.push({
          index,
          call_id: callId,
          agent_id: agentId,
          phone,
          updated_fields: fields(call),
          ...(block && phone !== null && { blocked: true as const }),
          ...(revocation && phone !== null && { revoked: true as const }),
        });
      }
    }
    return { updated, failed: failed.sort((a, b) => a.index - b.index) };
  },
});

export const handler = lambda(updateCallOutcomes);
