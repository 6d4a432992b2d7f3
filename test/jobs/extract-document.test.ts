import { CreateQueueCommand, ReceiveMessageCommand, SQSClient } from '@aws-sdk/client-sqs';
import { afterEach, beforeAll, expect, it, vi } from 'vitest';
import { Files } from '../../functions/clients/files.ts';
import { JobQueue } from '../../functions/clients/job-queue.ts';
import { fileKey } from '../../functions/domain/documents.ts';
import { newIdentifier } from '../../functions/domain/identifiers.ts';
import { hasFailed, retryAttempt, waitingForFile } from '../../functions/domain/source-state.ts';
import { environment } from '../../functions/environment.ts';
import { extractDocument } from '../../functions/jobs/extract-document.ts';
import { giveUp } from '../../functions/jobs/give-up.ts';
import { maxDeliveries } from '../../functions/jobs/job.ts';
import { type Agents, agents } from '../../functions/store/agents/agents.ts';
import { apiKeys } from '../../functions/store/api-keys.ts';
import { Credentials, credentials } from '../../functions/store/credentials.ts';
import { type DocumentRecord, documentKind } from '../../functions/store/sources/documents.ts';
import { SourceReads } from '../../functions/store/sources/source-reads.ts';
import { Sources } from '../../functions/store/sources/sources.ts';
import { type WebsiteRecord, websiteKind } from '../../functions/store/sources/website-reads.ts';
import { table } from '../../functions/store/table.ts';
import '../support/quiet-logs.ts';
import { deliverMessage } from '../support/deliver-message.ts';
import { openFaultyTable } from '../support/faults.ts';
import { countPieces } from '../support/uploads.ts';
import { emulatorHeaders, newWorld, target, unique, useTargetInThisProcess, type World } from '../support/world.ts';

/** A bucket without notifications: its jobs run here, where faults can be put between them and the table. */
const bucket = unique('bucket');
let documents: Sources<DocumentRecord>;
let reads: SourceReads<DocumentRecord>;
let files: Files;
let sqs: SQSClient;
/** The job without faults. */
let sound: ReturnType<typeof makeJob>;
/** A queue that no job works on. */
let queueUrl: string;
/** The groups of the messages that were sent to it: the emulator does not keep them. */
const groups: (string | undefined)[] = [];
beforeAll(async () => {
  useTargetInThisProcess();
  sqs = new SQSClient({ useQueueUrlAsEndpoint: false });
  const heard = (next: (args: { input: object }) => Promise<object>) => (args: { input: object }) => {
    if ('MessageBody' in args.input) groups.push((args.input as { MessageGroupId?: string }).MessageGroupId);
    return next(args);
  };
  sqs.middlewareStack.add(heard as never, { step: 'initialize' });
  queueUrl = (await sqs.send(new CreateQueueCommand({ QueueName: unique('queue') }))).QueueUrl ?? '';
  await fetch(`${target.endpoints.s3}/${bucket}`, { method: 'PUT', headers: emulatorHeaders });
  documents = new Sources(table.get(), documentKind);
  reads = new SourceReads(table.get(), documentKind);
  files = new Files({ ...environment.s3, bucket });
  sound = makeJob(() => undefined);
});
afterEach(() => {
  vi.useRealTimers();
});

type Choice = Parameters<typeof openFaultyTable>[0];

/** The job as one function's process has it; `choose` says what goes wrong between it and the table. */
const makeJob = (
  choose: Choice,
  seen?: (operation: string) => void,
  access: { get(): Pick<Credentials, 'readAccess'> } = credentials.for('readAccess'),
  languages: { get(): Pick<Agents, 'findLanguage'> } = agents.for('findLanguage'),
) => {
  const table = openFaultyTable(choose, seen);
  const faulty = new Sources<DocumentRecord>(table, documentKind);
  const services = {
    documents: { get: () => faulty },
    documentReads: { get: () => new SourceReads<DocumentRecord>(table, documentKind) },
    websiteReads: { get: () => new SourceReads<WebsiteRecord>(table, websiteKind) },
    credentials: access,
    files: { get: () => files },
    agents: languages,
    jobQueue: { get: () => new JobQueue(sqs, queueUrl) },
  };
  return (message: object, delivery = 1) => deliverMessage({ ...extractDocument, services }, message, delivery);
};

const pickKey = ({ uid, keyId }: World) => ({ uid, keyId });

/** A document that waits for its file, and its file. */
const uploaded = async (
  content: string | Buffer = 'The text',
  more: Partial<DocumentRecord> = {},
): Promise<DocumentRecord> => {
  const record: DocumentRecord = {
    id: newIdentifier('doc'),
    agentId: unique('agent'),
    name: 'a.txt',
    size: Buffer.byteLength(content),
    active: true,
    lastUpdatedBy: 'somebody',
    lastUpdatedAt: '2026-03-01T10:00:00.000Z',
    ...waitingForFile(),
    ...more,
  };
  await documents.add(record);
  await files.put(fileKey(record), Buffer.from(content));
  return record;
};

/** The message that a file has arrived. */
const notification = ({ agentId, id }: DocumentRecord) => ({
  job: 'extractDocument',
  uid: 'somebody',
  agentId,
  documentId: id,
});

/** A notification of S3 about files, with its encoding of their keys. */
const makeNotification = (record: DocumentRecord) => ({
  Records: [
    {
      eventName: 'ObjectCreated:Put',
      s3: { object: { key: encodeURIComponent(fileKey(record)).replace('%2F', '/') } },
    },
  ],
});

const now = async ({ agentId, id }: DocumentRecord) => {
  const record = await reads.find(agentId, id);
  if (!record) return undefined;
  const texts = await reads.readTexts({ agentId, id }, undefined);
  return { ...record, content: texts?.content };
};

/** Counts the calls to the table of a whole extraction. */
const collectCalls = async (run: (job: ReturnType<typeof makeJob>) => Promise<unknown>) => {
  let calls = 0;
  await run(
    makeJob(
      () => undefined,
      () => calls++,
    ),
  );
  return calls;
};

it.concurrent('an extraction stores the text of a file that S3 reports', async () => {
  const record = await uploaded('Grüße');
  expect(await sound(notification(record))).toBe(true);
  expect(await now(record)).toMatchObject({ status: 'ready', type: 'txt', size: 7, content: 'Grüße' });
  expect(await now(record)).not.toHaveProperty('fileDeadlineAt');
  expect(await now(record)).not.toHaveProperty('ttlSeconds');
});

it.concurrent('a file that is larger than announced is not read, also when it is tried again', async () => {
  const record = await uploaded('The text', { size: 7 });
  for (let attempt = 0; attempt < 2; attempt++) {
    expect(await sound(notification(record))).toBe(true);
    expect(await now(record)).toMatchObject({
      ...{ status: 'failed', size: 7 },
      error: 'The file is larger than the 7 bytes that were announced.',
    });
  }
});

it.concurrent('an extraction during which the agent gets another language makes an index for the new one', async () => {
  const record = await uploaded('Das Haus');
  let begun = false;
  const seen = (operation: string) => {
    begun ||= operation === 'UpdateItem';
  };
  // The language changes once the run has begun: nothing else would index the document again.
  const languages = { get: () => ({ findLanguage: async () => (begun ? 'de' : 'en') }) };
  await makeJob(() => undefined, seen, undefined, languages)(notification(record));
  expect((await now(record))?.text?.index?.language).toBe('de');
});

/** Deletes a document at every call of an extraction to the table, or at every few. */
const deleteAtEvery = async (step: number) => {
  const most = await collectCalls(async (job) => job(notification(await uploaded())));
  for (let call = 1; call <= most; call += step) {
    const record = await uploaded();
    let calls = 0;
    let deletion: Promise<boolean> | undefined;
    const job = makeJob((): undefined => {
      if (++calls === call) deletion = documents.remove(record, (one) => files.delete(fileKey(one)));
    });
    await job(notification(record));
    await deletion;
    expect(await now(record)).toBeUndefined();
    await sound(notification(record), 2);
    expect([await now(record), await countPieces(record.id), await files.head(fileKey(record))]).toEqual([
      undefined,
      0,
      undefined,
    ]);
  }
};

it.concurrent('an extraction of a deleted document stores nothing and deletes the file, whenever the deletion came', () =>
  deleteAtEvery(4));
it('an extraction of a deleted document leaves nothing, at whichever call the deletion came', { tags: 'heavy' }, () =>
  deleteAtEvery(1),
);

it.concurrent('an extraction of an earlier attempt changes nothing once there is another', async () => {
  const record = await uploaded('%PDF-1.7 and no more');
  await sound(notification(record));
  const failed = await now(record);
  expect(failed).toMatchObject({ status: 'failed', error: expect.stringContaining('damaged') });
  const attempt = `${failed?.attempt}:again`;
  await documents.restart(record, { attempt, uid: 'somebody' }, () => true);
  await sound({ ...notification(record), attempt: `${failed?.attempt}:another` });
  expect((await now(record))?.status).toBe('pending');
  await sound({ ...notification(record), attempt });
  expect((await now(record))?.status).toBe('failed');
  // The first notification, delivered again, is of the same file: it is known.
  await sound(notification(record));
  expect((await now(record))?.attempt).toBe(attempt);
});

it.concurrent('an extraction that is tried again without its file fails, and says that the file is gone', async () => {
  const record = await uploaded('%PDF-1.7 and no more');
  await sound(notification(record));
  await files.delete(fileKey(record));
  const attempt = 'again';
  await documents.restart(record, { attempt, uid: 'somebody' }, () => true);
  await sound({ ...notification(record), attempt });
  expect(await now(record)).toMatchObject({ status: 'failed', error: 'The file is gone. Upload it again.' });
});

it('an extraction whose function dies at every delivery ends as failed, with a reason, after the last deadline', async () => {
  const record = await uploaded();
  let began = 0;
  for (let delivery = 1; delivery <= maxDeliveries; delivery++) {
    began = Date.now();
    // The process dies at its first piece of text, so it cannot report that it gives up.
    let isDead = false;
    const dying: Choice = (operation) => {
      isDead ||= operation === 'BatchWriteItem';
      return isDead ? 'kill' : undefined;
    };
    expect(await makeJob(dying)(notification(record), delivery)).toBe(false);
    expect((await now(record))?.status).toBe('processing');
  }
  const [ended, timeoutMilliseconds] = [Date.now(), extractDocument.timeoutSeconds * 1000];
  vi.setSystemTime(began + timeoutMilliseconds - 1);
  expect((await now(record))?.status).toBe('processing');
  vi.setSystemTime(ended + timeoutMilliseconds);
  expect(await now(record)).toMatchObject({
    status: 'failed',
    error: 'The document could not be read because of a problem in the service. Try again.',
  });
  vi.useRealTimers();
  const attempt = 'again';
  await documents.restart(record, { attempt, uid: 'somebody' }, () => true);
  expect(await sound({ ...notification(record), attempt })).toBe(true);
  expect(await now(record)).toMatchObject({ status: 'ready', content: 'The text' });
});

it.concurrent('an extraction that begins after the wait for the file is over brings the document back, and loses nothing', async () => {
  const hoursAgo = waitingForFile(Date.now() - 3 * 60 * 60_000);
  const record = await uploaded('The text', hoursAgo);
  expect(await now(record)).toBeUndefined();
  expect(await sound(notification(record))).toBe(true);
  expect(await now(record)).toMatchObject({ status: 'ready', content: 'The text' });
  expect(await now(record)).not.toHaveProperty('fileDeadlineAt');

  const unreadable = await uploaded('%PDF-1.7 and no more', hoursAgo);
  await sound(notification(unreadable));
  expect(await now(unreadable)).toMatchObject({ status: 'failed', error: expect.stringContaining('damaged') });

  const dying = await uploaded('The text', hoursAgo);
  await makeJob((operation) => (operation === 'BatchWriteItem' ? 'kill' : undefined))(
    notification(dying),
    maxDeliveries,
  );
  expect(await deliverMessage(giveUp, notification(dying))).toBe(true);
  expect(await now(dying)).toMatchObject({ status: 'failed', error: 'The document could not be read. Try again.' });
  expect(await files.head(fileKey(dying))).toBeDefined();
});

it.concurrent('an extraction of a form whose user lost access fails with that reason, until another user tries it again', async () => {
  const owner = await newWorld();
  const stranger = await newWorld();
  const { agentId } = owner;
  const record = await uploaded('The text', { agentId, formIssuedTo: pickKey(stranger) });
  await sound(notification(record));
  expect(await now(record)).toMatchObject({
    status: 'failed',
    error: expect.stringContaining('may no longer use the agent'),
  });
  expect((await now(record))?.content).toBe('');
  const attempt = retryAttempt((await now(record))?.attempt, 'again');
  await documents.restart(record, { attempt, uid: owner.uid }, hasFailed);
  await sound({ ...notification(record), attempt });
  expect(await now(record)).toMatchObject({ status: 'ready', content: 'The text' });

  const own = await uploaded('The text', { agentId, formIssuedTo: pickKey(owner) });
  await sound(notification(own));
  expect((await now(own))?.status).toBe('ready');
});

it.concurrent('an extraction of a form whose key was revoked fails with that reason', async () => {
  const owner = await newWorld();
  const late = await uploaded('The text', { agentId: owner.agentId, formIssuedTo: pickKey(owner) });
  await apiKeys.get().revoke(owner.uid, owner.keyId);
  await sound(notification(late));
  expect(await now(late)).toMatchObject({
    ...{ status: 'failed', content: '', error: expect.stringContaining('key whose upload form') },
  });
});

it('an extraction of a late file is shown, and queues with the work of the agent’s owner, since S3 names no user', async () => {
  const { uid, agentId } = await newWorld();
  const [of, ofCopy] = [
    await uploaded('The text', { agentId, fileDeadlineAt: Date.now() - 1 }),
    await uploaded('The text'),
  ];
  expect(await now(of)).toBeUndefined();
  const both = { Records: [...makeNotification(of).Records, ...makeNotification(ofCopy).Records] };
  expect(await sound(both)).toBe(true);
  expect((await now(of))?.status).toBe('pending');
  const { Messages = [] } = await sqs.send(new ReceiveMessageCommand({ QueueUrl: queueUrl, MaxNumberOfMessages: 10 }));
  const sent = Messages.map(({ Body = '' }) => JSON.parse(Body));
  expect(sent).toEqual([
    { job: 'extractDocument', uid, agentId, documentId: of.id },
    { job: 'extractDocument', uid: ofCopy.agentId, agentId: ofCopy.agentId, documentId: ofCopy.id },
  ]);
  expect(groups).toEqual([uid, ofCopy.agentId]);
  for (const message of sent) expect(await sound(message)).toBe(true);
  expect([await now(of), await now(ofCopy)]).toMatchObject([{ status: 'ready' }, { status: 'ready' }]);
});

it.concurrent('an extraction whose notification could never be forwarded is failed, and may be tried again', async () => {
  const record = await uploaded();
  const noTable: Choice = (operation) => (operation === 'BatchGetItem' ? 'kill' : undefined);
  const spared = { get: () => new Credentials(openFaultyTable(noTable)) };
  expect(await makeJob(() => undefined, undefined, spared)(makeNotification(record), 1)).toBe(false);
  expect((await now(record))?.status).toBe('pending');
  expect(await makeJob(() => undefined, undefined, spared)(makeNotification(record), maxDeliveries)).toBe(false);
  expect(await deliverMessage(giveUp, makeNotification(record))).toBe(true);
  expect(await now(record)).toMatchObject({ status: 'failed', error: 'The document could not be read. Try again.' });
  const again = { ...notification(record), attempt: retryAttempt((await now(record))?.attempt, 'again') };
  await documents.restart(record, { attempt: again.attempt, uid: 'somebody' }, hasFailed);
  expect(await sound(again)).toBe(true);
  expect((await now(record))?.status).toBe('ready');
});

it.concurrent('a message to extract with the bucket’s own test event, a file of another kind, or nothing has no effect', async () => {
  expect(await sound({ Service: 'Amazon S3', Event: 's3:TestEvent', Bucket: bucket })).toBe(true);
  expect(await sound({ Records: [{ s3: { object: { key: 'documents/strange+name' } } }] })).toBe(true);
  expect(await sound({ job: 'extractDocument', uid: 'somebody', agentId: 'agent', documentId: 'doc_unknown' })).toBe(
    true,
  );
  expect(await sound({ job: 'extractDocument' })).toBe(false);
});
