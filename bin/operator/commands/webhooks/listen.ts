import { InvalidArgumentError } from '@commander-js/extra-typings';
import { now } from '../../../../functions/domain/date-time.ts';
import { newIdentifier } from '../../../../functions/domain/identifiers.ts';
import { validate } from '../../../../functions/domain/validation.ts';
import { type DeliveryAttempt, NewWebhookEndpoint } from '../../../../functions/domain/webhooks.ts';
import { newEndpointSecret } from '../../../../functions/webhooks/secrets.ts';
import type { StoredDelivery } from '../../../../functions/webhooks/webhook-deliveries.ts';
import { formatDetails, identifier } from '../../../command-line/arguments.ts';
import { CommandError, exitCodes } from '../../../command-line/exit-codes.ts';
import { interruption } from '../../../command-line/interruption.ts';
import { print, visible } from '../../../command-line/output.ts';
import { existingUser, userWithAccess } from '../../existing.ts';
import { addCommand, type Group } from '../../program.ts';
import { type GlobalOptions, localRun, openStores } from '../../stores.ts';
import { forward } from '../../webhooks/forward.ts';

export const listenForWebhooks = (webhooks: Group) =>
  addCommand(
    webhooks,
    'webhooks listen',
    'Forward the events of a user to an address, such as one on this machine, until it is interrupted.\n\n' +
      'It creates a temporary endpoint, and fetches its events from the table. It sends each once, signed with the secret that it prints.',
    [
      '--forward-to http://127.0.0.1:4242/webhooks',
      '--forward-to http://127.0.0.1:4242/webhooks --stack voice-agents-dev --uid acme --event "call.*"',
    ],
    `\nEnvironment:\n  VAP_WEBHOOK_SECRET  the signing secret to use (default: a new one each time)\n`,
  )
    .requiredOption('--forward-to <address>', 'where to send the events', httpAddress)
    .option('--uid <uid>', 'the user (default: the demo user of the local run)', identifier)
    .option('--event <type...>', 'types of events, such as call.recorded or call.* (default: all)')
    .option('--agent-id <id...>', 'only events of these agents')
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { forwardTo: url, event: events, agentId: agentIds } = options;
      const secret = process.env.VAP_WEBHOOK_SECRET ?? newEndpointSecret();
      if (!/^whsec_[A-Za-z0-9+/]{32,}={0,2}$/.test(secret)) {
        throw new CommandError('VAP_WEBHOOK_SECRET is not a signing secret. They start with whsec_.', exitCodes.usage);
      }
      const uid = options.uid ?? (await findDemoUser(options));
      const asked = { uid, url, events, agentIds, description: 'operator webhooks listen' };
      const { data, error } = validate(NewWebhookEndpoint, asked);
      if (error) throw new CommandError(`The options are not valid: ${formatDetails(error)}.`, exitCodes.usage);
      const stores = await openStores(options);
      await existingUser(stores.users, uid);
      for (const agentId of data.agentIds ?? []) await userWithAccess(stores.agents, agentId, uid);
      const { uid: _u, ...fields } = data;
      const endpointId = newIdentifier('endpoint');
      // The command signs events itself, because the table has no secret of this endpoint.
      const endpoint = { endpointId, ...fields, active: true, createdAt: now(), secrets: [] };
      using stop = interruption();
      print(options, { endpointId, uid, url, secret }, () =>
        [`Forwarding the events of ${uid} to ${url}. Ctrl-C ends it.`, `Signing secret: ${secret}`].join('\n'),
      );
      const report = (delivery: StoredDelivery, attempt: DeliveryAttempt) =>
        print(options, { ...shownIds(delivery), ...attempt }, () => describeAttempt(delivery, attempt));
      await forward(stores, { uid, endpoint, secret }, report, stop.signal);
    });

const findDemoUser = async ({ stack, table, runFile }: GlobalOptions): Promise<string> => {
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
