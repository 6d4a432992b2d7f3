import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { agents } from '../../functions/store/agents.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { calls } from '../../functions/store/calls.ts';
import { users } from '../../functions/store/users.ts';

/** What there is to try the service with: two users with a key and an agent each, and calls of the first one's agent. */
export type DemoData = {
  apiKey: string;
  uid: string;
  agentId: string;
  otherUid: string;
  otherApiKey: string;
  otherAgentId: string;
  callId: string;
  phone: string;
};

/** Makes the demo data, or finds those of an earlier run, whose keys only `file` still knows. */
export const demoData = async (file: string | undefined): Promise<DemoData> => {
  if (file && existsSync(file)) return JSON.parse(readFileSync(file, 'utf8')) as DemoData;
  const [first, other] = await Promise.all([
    userWithAgent('demo-user', 'Front desk'),
    userWithAgent('other-user', 'Somebody else’s agent'),
  ]);
  const { agentId } = first;
  const phone = '+14155550100';
  const callId = 'demo-call-2';
  const day = (days: number) => new Date(Date.now() - days * 86_400_000).toISOString();
  for (const facts of [
    {
      callId: 'demo-call-1',
      phone,
      direction: 'inbound' as const,
      startedAt: day(3),
      durationSeconds: 74,
      status: 'completed',
    },
    { callId, phone, direction: 'outbound' as const, startedAt: day(1), durationSeconds: 212, status: 'completed' },
    {
      callId: 'demo-call-3',
      phone: '+442071838750',
      direction: 'inbound' as const,
      startedAt: day(2),
      durationSeconds: 31,
    },
  ]) {
    await calls.open().change({ agentId, reference: { callId: facts.callId } }, () => ({ agentId, ...facts }));
  }
  const data = {
    apiKey: first.secret,
    uid: first.uid,
    agentId,
    otherUid: other.uid,
    otherApiKey: other.secret,
    otherAgentId: other.agentId,
    callId,
    phone,
  };
  if (file) writeFileSync(file, JSON.stringify(data), { mode: 0o600 });
  return data;
};

const userWithAgent = async (uid: string, name: string) => {
  await users.open().create(uid);
  const { secret } = await apiKeys.open().create(uid, { name: 'demo' });
  const createdAt = new Date().toISOString();
  const agentId = newIdentifier('agent');
  const configuration = { greeting: 'Hello, how can I help you?', language: 'en-US', voice: 'warm' };
  await agents.open().create({ uid, agentId, name, configuration, createdAt, updatedAt: createdAt });
  return { uid, agentId, secret };
};
