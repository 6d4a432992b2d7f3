import { Option } from '@commander-js/extra-typings';
import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { DeliveryStatus } from '../../../../functions/domain/webhooks.ts';
import type { WebhookDelivery } from '../../../../functions/openapi/client/client.ts';
import { as, wholeNumber } from '../../../command-line/arguments.ts';
import { print, table } from '../../../command-line/output.ts';
import type { Group } from '../../program.ts';
import { webhooksCommand, withWebhooks } from '../../webhooks/command.ts';

export const listWebhookDeliveries = (webhooks: Group) =>
  webhooksCommand(
    webhooks,
    'deliveries',
    'List the deliveries of events to a user, the newest first, with their last attempt',
    ['--uid acme --status failed', '--uid acme --endpoint endpoint_01KA… --limit 500'],
  )
    .option('--endpoint <id>', 'only those to this endpoint', as(Identifier))
    .addOption(new Option('--status <status>', 'only those with this status').choices(DeliveryStatus.options))
    .option('--limit <number>', 'the maximum number of deliveries', wholeNumber(1, 10_000), 50)
    .action(async (_, command) => {
      const options = command.optsWithGlobals();
      const { endpoint: endpointId, status, limit } = options;
      await withWebhooks(options, async ({ api, uid }) => {
        const deliveries: WebhookDelivery[] = [];
        for await (const delivery of api.webhooks.listDeliveries({ uid, endpointId, status })) {
          if (deliveries.push(delivery) === limit) break;
        }
        print(options, { uid, deliveries }, () =>
          table(
            deliveries,
            {
              DELIVERY: 'deliveryId',
              EVENT: 'type',
              CREATED: 'createdAt',
              STATUS: 'status',
              ATTEMPTS: ({ attempts }) => attempts.length,
              'LAST RESULT': ({ attempts }) => attempts.at(-1)?.cause ?? attempts.at(-1)?.status,
              'NEXT ATTEMPT': 'nextAttemptAt',
            },
            `User ${uid} has no such deliveries.`,
          ),
        );
      });
    });
