import { setTimeout as sleep } from 'node:timers/promises';
import { InvalidArgumentError } from '@commander-js/extra-typings';
import { now } from '../../functions/domain/date-time.ts';
import { Identifier, newIdentifier } from '../../functions/domain/identifiers.ts';
import { validate } from '../../functions/domain/validation.ts';
import { type DeliveryAttempt, NewWebhookEndpoint } from '../../functions/domain/webhooks.ts';
import { attemptOf, messageOf } from '../../functions/webhooks/deliver.ts';
import { newEndpointSecret } from '../../functions/webhooks/secrets.ts';
import type { StoredDelivery } from '../../functions/webhooks/webhook-deliveries.ts';
import type { StoredEndpoint } from '../../functions/webhooks/webhook-endpoints.ts';
import { WebhookReceivers } from '../../functions/webhooks/webhook-receivers.ts';
import { as, detailsOf } from '../command-line/arguments.ts';
import { describeError } from '../command-line/describe-error.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { interruption } from '../command-line/interruption.ts';
import { print, say, visible } from '../command-line/output.ts';
import { existingAgent } from './existing-agent.ts';
import { existingUser } from './existing-user.ts';
import { examples, type Operator } from './program.ts';
import { type GlobalOptions, localRun, openStores, type Stores } from './stores.ts';

/** How long the endpoint outlives a command that is killed, and how often a running command extends that. */
const leaseMilliseconds = 60_000;
const renewalMilliseconds = 20_000;
const pauseMilliseconds = 250;
const pauseAfterErrorMilliseconds = 5000;
const concurrency = 20;

export const addWebhooksCommands = (program: Operator) => {
  const webhooks = program.command('webhooks').description('Webhooks of users');

  webhooks
    .command('listen')
    .description(
      'Forward the events of a user to an address, such as one on this machine, until it is interrupted.\n\n' +
        'It creates a temporary endpoint, fetches its events from the table, and sends each once, signed with the secret that it prints.',
    )
    .requiredOption('--forward-to <address>', 'where to send the events', httpAddress)
    .option('--uid <uid>', 'the user (default: the demo user of the local run)', as(Identifier))
    .option('--event <type...>', 'types of events, such as call.recorded or call.* (default: all)')
    .option('--agent-id <id...>', 'only events of these agents')
    .addHelpText(
      'after',
      `\nEnvironment:\n  VAP_WEBHOOK_SECRET  the signing secret to use (default: a new one each time)\n${examples(
        'webhooks listen --forward-to http://127.0.0.1:4242/webhooks',
        'webhooks listen --forward-to http://127.0.0.1:4242/webhooks --stack voice-agents-dev --uid acme --event "call.*"',
      )}`,
    )
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { forwardTo: url, event: events, agentId: agentIds } = options;
      const secret = process.env.VAP_WEBHOOK_SECRET ?? newEndpointSecret();
      if (!/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)) {
        throw new CommandError('VAP_WEBHOOK_SECRET is not a signing secret. They start with whsec_.', exitCodes.usage);
      }
      const uid = options.uid ?? (await demoUserOf(options));
      const asked = { uid, url, events, agentIds, description: 'operator webhooks listen' };
      const { data, error } = validate(NewWebhookEndpoint, asked);
      if (error) throw new CommandError(`The options are not valid: ${detailsOf(error)}.`, exitCodes.usage);
      const stores = await openStores(options);
      await existingUser(stores.users, uid);
      for (const agentId of data.agentIds ?? []) {
        const { owner, guests } = await existingAgent(stores.agents, agentId);
        if (uid !== owner && !guests.includes(uid)) {
          throw new CommandError(`User ${uid} has no access to agent ${agentId}.`);
        }
      }
      const { uid: _u, ...fields } = data;
      const endpointId = newIdentifier('endpoint');
      // It is signed here: the table has no secret of this endpoint.
      const endpoint = { endpointId, ...fields, active: true, createdAt: now(), secrets: [] };
      using stop = interruption();
      print(options, { endpointId, uid, url, secret }, () =>
        [`Forwarding the events of ${uid} to ${url}. Ctrl-C ends it.`, `Signing secret: ${secret}`].join('\n'),
      );
      const report = (delivery: StoredDelivery, attempt: DeliveryAttempt) =>
        print(options, { ...shownIds(delivery), ...attempt }, () => describeAttempt(delivery, attempt));
      await forward(stores, { uid, endpoint, secret }, report, stop.signal);
    });
};

type Listener = { uid: string; endpoint: StoredEndpoint; secret: string };

/** Keeps an endpoint and sends its events to its address, until the signal. Then the endpoint is gone. */
const forward = async (
  stores: Pick<Stores, 'webhookEndpoints' | 'webhookDeliveries' | 'webhookEvents'>,
  { uid, endpoint, secret }: Listener,
  report: (delivery: StoredDelivery, attempt: DeliveryAttempt) => void,
  signal: AbortSignal,
): Promise<void> => {
  const { webhookEndpoints, webhookDeliveries } = stores;
  const { endpointId, url } = endpoint;
  const webhookReceivers = new WebhookReceivers({ trustedOrigins: new Set([new URL(url).origin]) });
  const sending = new Set<string>();
  const send = async (delivery: StoredDelivery) => {
    const message = await messageOf(delivery, stores);
    const { attempt } = await attemptOf(message, { url, secrets: [secret] }, { webhookReceivers });
    report(delivery, attempt);
    await webhookDeliveries.take(uid, delivery);
  };
  let leaseEndsAt = 0;
  const renew = async () => {
    if (Date.now() < leaseEndsAt - leaseMilliseconds + renewalMilliseconds) return;
    const listeningUntil = Date.now() + leaseMilliseconds;
    const renewed = await webhookEndpoints.change(uid, endpointId, (found) => ({ ...found, listeningUntil }));
    if (!renewed && Date.now() < leaseEndsAt) throw new CommandError('The endpoint of this command was deleted.');
    // The first time; or the machine slept for longer than the lease.
    if (!renewed) await webhookEndpoints.add(uid, { ...endpoint, listeningUntil });
    leaseEndsAt = listeningUntil;
  };
  const fetchNext = async () => {
    await renew();
    for await (const delivery of webhookDeliveries.offered(uid, endpointId)) {
      if (sending.size === concurrency) break;
      const { deliveryId } = delivery;
      if (sending.has(deliveryId)) continue;
      sending.add(deliveryId);
      void send(delivery)
        .catch((error) => say(describeError(error)))
        .finally(() => sending.delete(deliveryId));
    }
  };
  // An endpoint that cannot be made ends the command; what fails later is tried again.
  await renew();
  try {
    while (!signal.aborted) {
      const milliseconds = await fetchNext().then(
        () => pauseMilliseconds,
        (error) => {
          if (error instanceof CommandError) throw error;
          say(describeError(error));
          return pauseAfterErrorMilliseconds;
        },
      );
      await sleep(milliseconds, undefined, { signal }).catch(() => {});
    }
  } finally {
    await webhookEndpoints.remove(uid, endpointId);
    for await (const delivery of webhookDeliveries.offered(uid, endpointId))
      await webhookDeliveries.take(uid, delivery);
  }
};

const demoUserOf = async ({ stack, table, runFile }: GlobalOptions): Promise<string> => {
  if (stack ?? table ?? process.env.TABLE_NAME) {
    throw new CommandError('With --stack, --table or TABLE_NAME, --uid is required.', exitCodes.usage);
  }
  return (await localRun(runFile)).uid;
};

const shownIds = ({ eventId, type, timestamp }: StoredDelivery) => ({ eventId, type, timestamp });

const describeAttempt = ({ type, eventId }: StoredDelivery, { at, status, milliseconds, cause }: DeliveryAttempt) =>
  visible(`${at}  ${type}  ${eventId}  ${status ?? cause} (${milliseconds} ms)`);

function httpAddress(text: string): string {
  const url = URL.parse(text);
  if (url && ['http:', 'https:'].includes(url.protocol) && !url.username && !url.password) return url.href;
  throw new InvalidArgumentError('It must be an address such as http://127.0.0.1:4242/webhooks.');
}
