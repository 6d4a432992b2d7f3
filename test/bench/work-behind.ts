import type { DocumentType } from '../../functions/domain/documents.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import type { JobMessage } from '../../functions/domain/job-messages.ts';
import { limits } from '../../functions/domain/limits.ts';
import { readDocument } from '../../functions/extraction/document-texts.ts';
import { createDeliveries } from '../../functions/jobs/create-deliveries.ts';
import { callKey } from '../../functions/store/keys.ts';
import { type Item, table } from '../../functions/store/table.ts';
import {
  type FollowServices,
  followChanges,
  followServices,
  readChange,
} from '../../functions/stream/follow-changes.ts';
import { webhookEndpoints } from '../../functions/webhooks/webhook-endpoints.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { rawDocx } from '../support/documents.ts';
import { newEndpointRecord } from '../support/records.ts';
import type { Figure } from './benchmark.ts';
import type { Units } from './units.ts';
import type { World } from './world.ts';

/** What the service took for the same before its work followed what is asked. */
const before = { docxMilliseconds: 29_000, htmlMilliseconds: 12_400, readerWriteUnits: 40_000, readerMessages: 20_000 };
const share = 1 / 5;

const compare = (what: string, value: number, unit: Figure['ours']['unit'], former: number, note?: string): Figure => ({
  what: `${what}, at the quota`,
  ours: { value, unit },
  target: { text: `≤ a fifth of ${former.toLocaleString('en')}`, reached: value <= former * share },
  note,
});

/** Measures documents with as many elements as fit into them. */
export const measureReading = async (): Promise<Figure[]> => {
  const attributes = Array.from({ length: 1_000_000 }, (_, n) => `a${n}`).join(' ');
  const read = async (bytes: Buffer, type: DocumentType): Promise<number> => {
    const begin = process.cpuUsage();
    await readDocument(new Uint8Array(bytes), type);
    const { user, system } = process.cpuUsage(begin);
    return (user + system) / 1000;
  };
  // The first one loads the libraries.
  await read(rawDocx('<w:p><w:r><w:t>words</w:t></w:r></w:p>'), 'docx');
  const docx = await read(rawDocx('<w:p><w:r><w:t>x</w:t></w:r></w:p>'.repeat(100_000)), 'docx');
  const html = await read(Buffer.from(`<html><p ${attributes}>words</p>`), 'txt');
  return [
    compare('a Word document of 100,000 paragraphs', docx, 'ms', before.docxMilliseconds, 'CPU of the job'),
    compare('HTML with 1,000,000 attributes', html, 'ms', before.htmlMilliseconds, 'CPU of the job'),
  ];
};

/** Measures what follows from calls of a user with as many endpoints as it may have: in the reader that all share, and in jobs. */
export const measureFanOut = async ({ uid, directly, newAgent }: World, units: Units): Promise<Figure[]> => {
  const agentId = await newAgent();
  const endpoints = await webhookEndpoints.get().list(uid);
  for (let n = endpoints.length; n < limits.webhookEndpoints; n++)
    await webhookEndpoints.get().add(uid, newEndpointRecord(`https://crm-${n}.example.com/hooks`));
  const callIds = Array.from({ length: limits.callsPerRequest }, () => newIdentifier('event'));
  const facts = { phone: '+14155550177', direction: 'inbound', startedAt: '2026-03-01T10:00:00.000Z' } as const;
  for (const callId of callIds) await directly.calls.record(agentId, callId, facts);
  const items = await table.get().getMany<Item>(callIds.map((callId) => callKey(agentId, callId)));
  const changes = items.map(({ pk, sk, ...rest }, n) =>
    readChange({ key: { pk, sk }, after: { pk, sk, ...rest }, at: Date.now(), sequenceNumber: String(1e12 + n) }),
  );
  const messages: JobMessage<'createDeliveries'>[] = [];
  const services = {
    ...Object.fromEntries(Object.entries(followServices).map(([name, service]) => [name, service.get()])),
    eventQueue: { sendMany: async (some: JobMessage<'createDeliveries'>[]) => void messages.push(...some) },
  } as unknown as FollowServices;
  units.take();
  const begin = process.threadCpuUsage();
  const { failures, events } = await followChanges(changes, services, { until: Date.now() + 600_000 });
  const { user, system } = process.threadCpuUsage(begin);
  const { read, write } = units.take();
  if (failures.size > 0 || events === 0) throw new Error(`${failures.size} changes failed, of ${events} events.`);
  for (const message of messages) await deliverMessage(createDeliveries, message);
  const ofJobs = units.take();
  const note = `${read} R, ${Math.round((user + system) / 1000)} ms of CPU; ${events} events; their jobs, of this user alone: ${ofJobs.read} R, ${ofJobs.write} W`;
  const what = `the shared reader, ${limits.callsPerRequest.toLocaleString('en')} calls with ${limits.webhookEndpoints} endpoints`;
  return [
    compare(`${what}: write units`, write, 'units', before.readerWriteUnits, note),
    compare(`${what}: messages`, messages.length, 'requests', before.readerMessages),
  ];
};
