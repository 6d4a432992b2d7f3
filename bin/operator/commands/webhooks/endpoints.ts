import { print, table } from '../../../command-line/output.ts';
import type { Group } from '../../program.ts';
import { webhooksCommand, withWebhooks } from '../../webhooks/command.ts';

export const listWebhookEndpoints = (webhooks: Group) =>
  webhooksCommand(webhooks, 'endpoints', 'List the webhook endpoints of a user', [
    '--uid acme',
    '--uid acme --json --stack voice-agents-prod',
  ]).action(async (_, command) => {
    const options = command.optsWithGlobals();
    await withWebhooks(options, async ({ api, uid }) => {
      const endpoints = await Array.fromAsync(api.webhooks.listEndpoints({ uid }));
      print(options, { uid, endpoints }, () =>
        table(
          endpoints,
          {
            ENDPOINT: 'endpointId',
            URL: 'url',
            EVENTS: ({ events }) => events.join(', '),
            STATE: ({ active, disabledReason }) =>
              active ? 'active' : `disabled${disabledReason ? `: ${disabledReason}` : ''}`,
            'FAILING SINCE': 'failingSince',
          },
          `User ${uid} has no webhook endpoints.`,
        ),
      );
    });
  });
