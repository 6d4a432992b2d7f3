import * as z from 'zod/mini';
import { applyRules } from '../calling/apply-rules.ts';
import { attemptsUntil, callAttempts, noAttempts } from '../calling/call-attempts.ts';
import { consents } from '../consents/consents.ts';
import {
  BlockListFailures,
  BlockPrefix,
  BlockScope,
  blockListRequest,
  makeNumbersSchema,
} from '../domain/block-list.ts';
import { refusesCall } from '../domain/budgets.ts';
import { OpenHours } from '../domain/call-permission.ts';
import { RetryAt } from '../domain/calling-rules.ts';
import { consentCauses, requireConsent } from '../domain/consent-decisions.ts';
import { DateTime } from '../domain/date-time.ts';
import { choiceField, describe, describedObject, listField, objectComponent } from '../domain/describe.ts';
import { formatWhole } from '../domain/format-whole.ts';
import { AgentId, Uid } from '../domain/identifiers.ts';
import { limits } from '../domain/limits.ts';
import { chooseForm } from '../domain/number-forms.ts';
import { phoneNumber, phoneNumbers } from '../domain/phone-numbers.ts';
import { chooseVersion } from '../domain/traffic.ts';
import { endpoint } from '../http/endpoint.ts';
import { lambda } from '../http/lambda.ts';
import { agentTraffic } from '../store/agents/agent-traffic.ts';
import { agents } from '../store/agents/agents.ts';
import { blockList } from '../store/block-list/block-list.ts';
import { users } from '../store/users.ts';

const RejectedNumber = objectComponent('RejectedNumber', 'A number that may not be called, with the cause.', {
  number: phoneNumber('The number, in E.164 format.'),
  cause: choiceField(
    ['blocked', 'budget', ...consentCauses, 'outside_hours', 'too_many_attempts'],
    'Why the number may not be called.',
    'outside_hours',
  ),
  retryAt: RetryAt,
  scope: z.optional(BlockScope),
  prefix: BlockPrefix,
});

/** Decides on the outbound calls of a batch before they are made. Writes nothing. */
export const checkCallStarts = endpoint({
  name: 'checkCallStarts',
  method: 'POST',
  path: '/call-start-checks',
  summary: 'Check which numbers may be called',
  description: `Decides for up to ${formatWhole(limits.callStartsPerRequest)} numbers as \`POST /call-starts\` decides on an outbound call: the block lists, the budget, the consents, the hours and the attempts of \`configuration.calling\`. Each number is given once, in the order sent. Nothing is counted or changed.`,
  caller: { kind: 'key', scope: 'hooks', agent: ({ body }) => body },
  readOnly: true,
  memoryMegabytes: 1024,
  services: {
    agents: agents.for('find'),
    agentTraffic: agentTraffic.for('find'),
    blockList: blockList.for('find'),
    callAttempts: callAttempts.for('findMany'),
    consents: consents.for('findMany'),
    users: users.for('find'),
  },
  body: z.object({
    uid: Uid,
    agentId: AgentId,
    numbers: makeNumbersSchema(limits.callStartsPerRequest),
    at: z.optional(DateTime.check(describe('Decides as of this moment. Default: now.', '2026-03-01T10:00:00Z'))),
  }),
  response: describedObject('The decision on each number.', {
    accepted: phoneNumbers('The numbers that may be called, in E.164 format.', ['+14155550100']),
    rejected: listField(RejectedNumber, 'The numbers that may not be called.', [
      { number: '+14155550123', cause: 'outside_hours', retryAt: '2026-03-01T15:00:00.000Z' },
    ]),
    failed: BlockListFailures,
  }),
  errors: ['too_many_numbers'],

  async handle({ agent: { agentId, uid }, principal, body }, services) {
    const { agents, agentTraffic, blockList, callAttempts, consents, users } = services;
    const { distinct, malformed } = blockListRequest(body.numbers);
    const at = body.at === undefined ? Date.now() : Date.parse(body.at);
    const [record, split, blocked, attempts, given, owner] = await Promise.all([
      agents.find(uid, agentId),
      agentTraffic.find(agentId),
      blockList.find({ agentId, uid }, distinct),
      callAttempts.findMany(agentId, distinct),
      consents.findMany(uid, distinct),
      uid === principal.uid ? principal : users.find(uid),
    ]);
    const chooseConfiguration = (number: string) => {
      const version = chooseVersion(agentId, number, split);
      return (split.find((share) => share.version === version) ?? record)?.configuration ?? {};
    };
    const isOverBudget = refusesCall(owner?.budgetMark, 'outbound');
    const openHours = new OpenHours();
    const accepted: string[] = [];
    const rejected: z.infer<typeof RejectedNumber>[] = [];
    for (const number of distinct) {
      const entry = blocked.get(number);
      if (entry) {
        rejected.push({ number, cause: 'blocked', scope: entry.scope, prefix: entry.prefix });
        continue;
      }
      if (isOverBudget) {
        rejected.push({ number, cause: 'budget' });
        continue;
      }
      const configuration = chooseConfiguration(number);
      const rule = configuration.calling?.consent;
      const consent = rule && requireConsent(rule, given.get(chooseForm(number)) ?? [], at);
      if (consent?.cause) {
        rejected.push({ number, cause: consent.cause });
        continue;
      }
      const known = attemptsUntil(attempts.get(chooseForm(number)) ?? noAttempts, at);
      const verdict = await applyRules(configuration, { number, at }, known.attempts, openHours);
      if (verdict.allowed) accepted.push(number);
      else rejected.push({ number, cause: verdict.cause, retryAt: verdict.retryAt });
    }
    return { accepted, rejected, failed: malformed };
  },
});

export const handler = lambda(checkCallStarts);
