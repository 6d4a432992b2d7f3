import { withFacts } from '../../functions/domain/calls.ts';
import { now } from '../../functions/domain/date-time.ts';
import { newIdentifier, newUlid } from '../../functions/domain/identifiers.ts';
import { examples, type Operator } from './command-line.ts';
import { print, record } from './output.ts';
import { openStores, type Stores } from './stores.ts';

/** What a demonstration consists of. `phone` has two calls of `agentId`, of which `callId` is the later. */
export type Demo = {
  uid: string;
  apiKey: string;
  agentId: string;
  callId: string;
  phone: string;
  /** Another user, who may not use `agentId`. */
  otherUid: string;
  otherApiKey: string;
  otherAgentId: string;
};

type DemoStores = Pick<Stores, 'users' | 'apiKeys' | 'agents' | 'calls'>;

const configuration = {
  greeting: 'Hello, this is the front desk of Acme. How may I help you?',
  instructions: 'Answer questions about opening hours, take messages, and hand over whoever asks for a person.',
  voice: 'warm',
  language: 'en-US',
  timeZone: 'America/Los_Angeles',
  transferTo: '+14155550199',
};

/** Makes two users with a key and an agent each, and calls of the first one's agent. Each time anew: ids never meet. */
export const makeDemo = async (stores: DemoStores): Promise<Demo> => {
  const [one, other] = await Promise.all([
    makeUser(stores, 'demo', 'Front desk'),
    makeUser(stores, 'other', 'Night shift'),
  ]);
  const phone = '+14155550123';
  await recordCall(stores, one.agentId, '+14155550145', 3 * 60);
  await recordCall(stores, one.agentId, phone, 26 * 60);
  const callId = await recordCall(stores, one.agentId, phone, 60);
  return {
    ...one,
    callId,
    phone,
    otherUid: other.uid,
    otherApiKey: other.apiKey,
    otherAgentId: other.agentId,
  };
};

const makeUser = async ({ users, apiKeys, agents }: DemoStores, kind: string, agentName: string) => {
  const uid = `${kind}_${newUlid()}`;
  const agentId = newIdentifier('agent');
  const createdAt = now();
  await users.create(uid, `A user for trying things out (${kind})`);
  const [key] = await Promise.all([
    apiKeys.create(uid, { name: 'demo' }),
    agents.create({ uid, agentId, name: agentName, configuration, createdAt, updatedAt: createdAt }),
  ]);
  if (!key) throw new Error(`User ${uid} was made, and is not there.`);
  return { uid, apiKey: key.secret, agentId };
};

const recordCall = async ({ calls }: DemoStores, agentId: string, phone: string, minutesAgo: number) => {
  const callId = `call_${newUlid()}`;
  const started = Date.now() - minutesAgo * 60_000;
  const durationSeconds = 184;
  await calls.change({ agentId, reference: { callId } }, (found) =>
    withFacts(found, agentId, callId, {
      phone,
      direction: 'inbound',
      startedAt: new Date(started).toISOString(),
      endedAt: new Date(started + durationSeconds * 1000).toISOString(),
      durationSeconds,
      status: 'completed',
    }),
  );
  return callId;
};

export const addDemoCommand = (program: Operator) => {
  program
    .command('demo')
    .description('Make a user with a key, an agent and calls, and another user, to try things out with')
    .addHelpText('after', examples('demo', 'demo --json'))
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const demo = await makeDemo(await openStores(options));
      print(options, demo, () => record(demo));
    });
};
