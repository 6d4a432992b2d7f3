import type { Secret } from '../clients/secrets.ts';
import type { CustomResponse } from '../domain/custom-response.ts';
import { readOutcomeRules } from '../domain/declared-outcomes.ts';
import { readDisclosure } from '../domain/disclosures.ts';
import { ApiError, invalidField, missingScope } from '../domain/errors.ts';
import { identifierError } from '../domain/identifiers.ts';
import { hasScope } from '../http/authorize.ts';
import type { Principal } from '../http/endpoint.ts';
import type { KnowledgeSearch } from '../search/knowledge-search.ts';
import type { CallRecords } from '../store/calls/call-records.ts';
import type { Calls } from '../store/calls/calls.ts';
import type { ErasedPeople } from '../store/erased-people.ts';
import { readChangeCount } from '../store/sources/source-changes.ts';
import { answerSearches } from './answer-searches.ts';
import type { CallStarts, LocatedCall } from './call-starts.ts';
import { collectHistory } from './caller-history.ts';
import { collectVariables, decide, withoutGuess } from './decide-call-start.ts';
import { toCallId } from './ended-call.ts';
import { readOverrides } from './overrides.ts';
import type { HookEvent } from './platforms/platform.ts';
import type { Hook, ReadEvent } from './read-hook.ts';
import { recordEnded } from './record-ended.ts';
import { recordRejected } from './record-rejected.ts';

/** Deadline for the response to a rejected call, whether or not the rejection is recorded. */
const recordedWithinMilliseconds = 1500;

export type HookQuery = { next?: string; assistantId?: string; overrides?: boolean };

type Services = {
  callStarts: Pick<CallStarts, 'read' | 'readEndFacts'>;
  calls: Pick<Calls, 'recordReported'>;
  erasedPeople: Pick<ErasedPeople, 'wasErasedAfter'>;
  secret: Pick<Secret, 'read'>;
  callRecords: Pick<CallRecords, 'readHistory'>;
  knowledge: Pick<KnowledgeSearch, 'search'>;
};

/** An event about a call whose agent was found. */
type Received<Event> = Omit<Hook, 'event'> & {
  event: Event;
  call: LocatedCall;
  query: HookQuery;
  principal: Principal;
  requestId: string;
  receivedAt: number;
};

type EventOf<Type> = Extract<ReadEvent, { type: Type }>;
type Answer<Type> = (received: Received<EventOf<Type>>, services: Services) => CustomResponse | Promise<CustomResponse>;

/** Answers the searches of a call with passages of the agent's knowledge. */
const answerSearching: Answer<'searches'> = async ({ platform, request, event, call, principal }, { knowledge }) => {
  if (!hasScope(principal, 'knowledge')) throw noKnowledge(principal);
  const changes = call.read.has('sourceCount') ? readChangeCount(call.items.sourceCount) : undefined;
  const answers = await answerSearches(knowledge, call.agent.agentId, event.queries, changes);
  return platform.answer?.(answers, request) ?? platform.acknowledge();
};

/** Records a call that ended. */
const answerEnd: Answer<'end'> = async ({ name, platform, event, call, principal, requestId }, services) => {
  const callId = toCallId(name, event.callId);
  if (callId === undefined) throw invalidField('callId', identifierError);
  const ended = { platform: name, end: event, callId, start: withoutGuess(call), principal };
  await recordEnded(services, ended, requestId);
  return platform.acknowledge();
};

/** Decides on a call that starts. */
const answerStart: Answer<'start'> = async (received, { callStarts, calls, callRecords }) => {
  const { name, platform, request, event, call, query, principal, requestId, receivedAt } = received;
  const facts = await callStarts.read(call);
  const start = withoutGuess(call, facts);
  const { decision, cause, version } = await decide(start, facts, { budgetMark: principal.budgetMark });
  const accept = decision === 'accept';
  const callId = toCallId(name, event.callId);
  if (cause && callId !== undefined) {
    const until = receivedAt + recordedWithinMilliseconds;
    const { configuration } = facts.agent;
    const discloses = readDisclosure(configuration) !== undefined;
    const { hasHistory } = readOutcomeRules(configuration);
    await recordRejected(calls, { start, callId, cause, version, discloses, hasHistory }, { requestId, until });
  }
  const missing = findMissingParameter(query, { platform, request });
  if (accept && missing) throw invalidField(missing, 'is required to accept a call');
  const asked = { receivedAt, requestId, operation: 'receiveHook' };
  const history = accept ? await collectHistory(callRecords, facts, { other: start.other, callId }, asked) : undefined;
  const variables = { ...collectVariables(facts.agent, start, event.direction, history), agent_version: version };
  const overrides =
    query.overrides && hasScope(principal, 'agents') ? readOverrides(facts.agent.configuration) : undefined;
  return platform.decide({ accept, variables: stringifyVariables(variables), overrides }, request);
};

const answers = {
  searches: answerSearching,
  end: answerEnd,
  start: answerStart,
  other: ({ platform }: Received<EventOf<'other'>>) => platform.acknowledge(),
} satisfies { [Type in HookEvent['type']]: Answer<Type> };

/** Answers an event in the form of its platform. */
export const answerEvent = (received: Received<ReadEvent>, services: Services) =>
  (answers[received.event.type] as Answer<HookEvent['type']>)(received, services);

/** Returns the missing query parameter that an accepted call needs. */
export const findMissingParameter = (query: HookQuery, { platform, request }: Pick<Hook, 'platform' | 'request'>) => {
  const needed = platform.needs?.(request);
  return needed && !query[needed] ? needed : undefined;
};

export const stringifyVariables = (variables: Record<string, string | number | boolean>): Record<string, string> =>
  Object.fromEntries(Object.entries(variables).map(([name, value]) => [name, String(value)]));

/** Creates the error of a search by a key, or by a signature, that may not read the knowledge. */
const noKnowledge = ({ keyId }: Principal) =>
  keyId.startsWith('signature:')
    ? new ApiError(
        'insufficient_permissions',
        'The secret of this signature was set without the scope "knowledge". Set it again with an API key that has it.',
      )
    : missingScope('knowledge');
