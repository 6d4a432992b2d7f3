import { createServer } from 'node:http';
import { listen } from '../../bin/local/listen.ts';
import { sealedSecrets } from '../../functions/clients/sealed-secrets.ts';
import { newIdentifier, newUlid } from '../../functions/domain/identifiers.ts';
import { deliverWebhook } from '../../functions/jobs/deliver-webhook.ts';
import { readChanges } from '../../functions/jobs/read-changes.ts';
import { lazyServices } from '../../functions/service.ts';
import { callKey } from '../../functions/store/keys.ts';
import type { TableChange } from '../../functions/store/table-changes.ts';
import { newEndpointSecret } from '../../functions/webhooks/secrets.ts';
import { WebhookReceivers } from '../../functions/webhooks/webhook-receivers.ts';
import { newAgentRecord, newEndpointRecord } from '../support/records.ts';
import prices from './prices.json' with { type: 'json' };
import type { World } from './world.ts';

/** The work of a job for webhooks: the number of items per invocation, and the external waits. */
export type WebhookWork = {
  what: string;
  count: number;
  memoryMegabytes: number;
  receiverMilliseconds: number;
  /** Requests of the queue's poller for an invocation: it receives a batch and deletes it. */
  sqsRequests: number;
  run(): Promise<unknown>;
};

const at = '2026-03-01T10:00:00.000Z';
/** The default memory of the functions of jobs. */
const jobMegabytes = 1024;
const until = () => ({ until: Date.now() + 60_000 });

/** Measures the work that webhooks cause: reading changes for one endpoint and for ten, delivering, and putting a delivery to rest. */
export const everyWebhook = async (world: World): Promise<WebhookWork[]> => {
  const server = createServer((_, response) => response.writeHead(204).end());
  const { endpoint: origin } = await listen(server);
  server.unref();
  const services = lazyServices(readChanges.services);
  const webhookReceivers = new WebhookReceivers({ trustedOrigins: new Set([origin]) });
  const delivering = { ...lazyServices(deliverWebhook.services), webhookReceivers };
  const changes = 100;
  const deliveries = deliverWebhook.messagesAtOnce ?? 1;

  const agentWithEndpoints = async (count: number, more: object = {}) => {
    const uid = `user-${newUlid()}`;
    const agent = newAgentRecord(uid);
    await world.directly.agentChanges.create(agent);
    const endpoints = Array.from({ length: count }, () => newEndpointRecord(`${origin}/${newUlid()}`));
    for (const { endpointId, ...endpoint } of endpoints) {
      const sealed = await sealedSecrets.get().seal(endpointId, newEndpointSecret());
      const secrets = [{ sealed, createdBy: 'bench', keyId: 'key_bench' }];
      await world.directly.webhookEndpoints.add(uid, { endpointId, ...endpoint, secrets, ...more });
    }
    return { uid, agentId: agent.agentId, endpointIds: endpoints.map(({ endpointId }) => endpointId) };
  };
  const read = (endpoints: number): WebhookWork => {
    const agent = agentWithEndpoints(endpoints);
    return {
      what: `webhook event, read for ${endpoints === 1 ? 'one endpoint' : `${endpoints} endpoints`}`,
      count: changes,
      memoryMegabytes: readChanges.memoryMegabytes ?? jobMegabytes,
      ...{ receiverMilliseconds: 0, sqsRequests: 0 },
      run: async () => readChanges.handle(callsRecorded((await agent).agentId, changes), services, until()),
    };
  };
  const deliver = async (what: string, more?: object): Promise<WebhookWork> => {
    const { uid, agentId, endpointIds } = await agentWithEndpoints(1, more);
    const [endpointId = ''] = endpointIds;
    // One batch for each of the two runs that are measured.
    const batches: string[][] = [];
    for (let batch = 0; batch < 2; batch++) {
      const ids = Array.from({ length: deliveries }, () => newIdentifier('delivery'));
      const pending = { endpointId, type: 'call.recorded', createdAt: at, timestamp: at, status: 'pending' } as const;
      const about = { ids: { agent_id: agentId }, subject: { agentId }, eventId: newIdentifier('event') };
      const added = ids.map((deliveryId) => ({
        uid,
        delivery: { deliveryId, ...pending, ...about, attempts: [], sequence: 0, failures: 0 },
      }));
      await world.directly.webhookDeliveries.addAll(added, Date.now() + 60_000);
      batches.push(ids);
    }
    const message = { job: 'deliverWebhook', uid, endpointId, sequence: 0 } as const;
    return {
      what,
      count: deliveries,
      memoryMegabytes: deliverWebhook.memoryMegabytes ?? jobMegabytes,
      receiverMilliseconds: more ? 0 : prices.assumptions.receiverMilliseconds,
      sqsRequests: 2,
      run: () =>
        Promise.all(
          (batches.pop() ?? []).map((deliveryId) =>
            deliverWebhook.handle({ ...message, deliveryId }, delivering, { ...until(), lastDeliveryEndsAt: 0 }),
          ),
        ),
    };
  };
  const failing = { failingSince: at, probe: { deliveryId: 'delivery_probe', until: Date.now() + 3_600_000 } };
  return [
    read(1),
    read(10),
    await deliver('webhook delivery'),
    await deliver('webhook delivery to an endpoint that fails, laid aside', failing),
  ];
};

/** The changes in the stream when calls are recorded. */
const callsRecorded = (agentId: string, count: number): TableChange[] =>
  Array.from({ length: count }, (_, n) => {
    const callId = newUlid();
    const key = callKey(agentId, callId);
    const after = { ...key, agentId, callId, direction: 'inbound', startedAt: at, version: 'first' };
    return { key, after, at: Date.now(), sequenceNumber: String(1000 + n) };
  });
