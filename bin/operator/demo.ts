import { toNewAgent } from '../../functions/domain/agents.ts';
import type { Scope } from '../../functions/domain/api-keys.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import type { Stores } from './stores.ts';

/** Demo data. `phone` has two calls of `agentId`, of which `callId` is the later one. */
export type Demo = {
  uid: string;
  apiKey: string;
  agentId: string;
  callId: string;
  phone: string;
  /** Another user, who owns `otherAgentId` and has no access to `agentId`. */
  otherUid: string;
  otherApiKey: string;
  otherAgentId: string;
};

type DemoStores = Pick<Stores, 'users' | 'apiKeys' | 'agentChanges' | 'calls'>;

const phone = '+14155550100';
const dayMilliseconds = 86_400_000;
const calls = [
  { callId: 'demo-call-1', phone, direction: 'inbound' as const, daysAgo: 3, durationSeconds: 74 },
  { callId: 'demo-call-2', phone, direction: 'outbound' as const, daysAgo: 1, durationSeconds: 212 },
  { callId: 'demo-call-3', phone: '+442071838750', direction: 'inbound' as const, daysAgo: 2, durationSeconds: 31 },
];

/** Creates two users with a key and an agent each, and calls of the first one's agent. `scopes` are those of the first key. */
export const makeDemo = async (
  stores: DemoStores,
  { uid, otherUid, scopes }: { uid: string; otherUid: string; scopes?: Scope[] },
): Promise<Demo> => {
  const [first, other] = await Promise.all([
    makeUserWithAgent(stores, uid, 'Front desk', scopes),
    makeUserWithAgent(stores, otherUid, 'Somebody else’s agent'),
  ]);
  const { agentId } = first;
  await Promise.all(
    calls.map(({ callId, daysAgo, ...call }) => {
      const started = Date.now() - daysAgo * dayMilliseconds;
      const times = {
        startedAt: new Date(started).toISOString(),
        endedAt: new Date(started + call.durationSeconds * 1000).toISOString(),
      };
      return stores.calls.record(agentId, callId, { ...call, ...times, status: 'completed' });
    }),
  );
  return {
    ...first,
    callId: 'demo-call-2',
    phone,
    otherUid: other.uid,
    otherApiKey: other.apiKey,
    otherAgentId: other.agentId,
  };
};

const makeUserWithAgent = async (
  { users, apiKeys, agentChanges }: DemoStores,
  uid: string,
  name: string,
  scopes?: Scope[],
) => {
  await users.create(uid);
  const { secret } = await apiKeys.create(uid, { name: 'demo', scopes });
  const agentId = newIdentifier('agent');
  const configuration = { greeting: 'Hello, how can I help you?', language: 'en-US', voice: 'warm' };
  await agentChanges.create(toNewAgent({ uid, name, configuration }, agentId));
  return { uid, apiKey: secret, agentId };
};
