import { Identifier } from '../../../../functions/domain/identifiers.ts';
import { as } from '../../../command-line/arguments.ts';
import { dataOf } from '../../../command-line/data-of.ts';
import { print } from '../../../command-line/output.ts';
import type { Group } from '../../program.ts';
import { webhooksCommand, withWebhooks } from '../../webhooks/command.ts';

export const redeliverWebhook = (webhooks: Group) =>
  webhooksCommand(webhooks, 'redeliver', 'Send the event of a delivery again', ['delivery_01KA… --uid acme'])
    .argument('<deliveryId>', 'the delivery', as(Identifier))
    .action(async (deliveryId, _, command) => {
      const options = command.optsWithGlobals();
      await withWebhooks(options, async ({ api, uid }) => {
        const delivery = dataOf(await api.webhooks.redeliver({ uid, deliveryId }));
        print(options, delivery, () => `Delivery ${deliveryId} is sent again.`);
      });
    });
