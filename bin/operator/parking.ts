import { S3Client } from '@aws-sdk/client-s3';
import { GetQueueUrlCommand, SendMessageCommand, SQSClient, type SQSClientConfig } from '@aws-sdk/client-sqs';
import { Files } from '../../functions/clients/files.ts';
import { retryChanges } from '../../functions/jobs/retry-changes.ts';
import { type ParkedChange, ParkedChanges, type ParkedEntity } from '../../functions/parking/parked-changes.ts';
import { CommandError, exitCodes } from '../command-line/exit-codes.ts';
import { readOutputs } from './stack.ts';
import { type GlobalOptions, localRun, openStores } from './stores.ts';

/** The parked changes of a deployment or of the local run, the files with their records, and the job that tries them again. */
export type Parking = { parked: ParkedChanges; files: Files; retry: () => Promise<void> };

/** An item with parked changes, the first of which is the one that fails. */
export type ParkedItem = { id: string; entity: ParkedEntity; changes: [ParkedChange, ...ParkedChange[]] };

/** The bucket of the local run. */
const localBucket = 'voice-agent-platform-files';

export const openParking = async (options: GlobalOptions): Promise<Parking> => {
  const { stack, table: tableName, region, runFile } = options;
  if (!stack && (tableName ?? process.env.TABLE_NAME)) {
    const reason = 'The records of parked changes are in the bucket of a deployment. Name it with --stack.';
    throw new CommandError(reason, exitCodes.usage);
  }
  const { table } = await openStores(options);
  const run = stack ? undefined : await localRun(runFile);
  const bucket = stack ? ((await readOutputs(stack, region)).FilesBucket ?? '') : localBucket;
  const shared = { region: run?.region ?? region, credentials: run?.credentials };
  const { config } = new S3Client(shared);
  const { accessKeyId, secretAccessKey, sessionToken } = await config.credentials();
  const given = { accessKeyId, secretAccessKey, sessionToken, region: await config.region() };
  const endpoint = run?.endpoints.s3 ?? process.env.AWS_ENDPOINT_URL_S3 ?? process.env.AWS_ENDPOINT_URL;
  const files = new Files({ ...given, endpoint: endpoint?.replace(/\/$/, ''), bucket });
  const retry = () => startRetry({ ...shared, endpoint: run?.endpoints.sqs }, stack);
  return { parked: new ParkedChanges(table, files), files, retry };
};

/** Sends the message that starts the job. All jobs of the local run share a queue. */
const startRetry = async (config: SQSClientConfig, stack: string | undefined): Promise<void> => {
  const client = new SQSClient(config);
  const QueueName = stack ? `${stack}-${retryChanges.name}` : 'jobs';
  const { QueueUrl } = await client.send(new GetQueueUrlCommand({ QueueName }));
  await client.send(new SendMessageCommand({ QueueUrl, MessageBody: JSON.stringify({ job: retryChanges.name }) }));
};

/** Returns the items with parked changes, the one that has waited longest first. */
export const listParkedItems = async ({ parked }: Pick<Parking, 'parked'>): Promise<ParkedItem[]> => {
  const entities = [...(await parked.entities())].sort(([, one], [, other]) => one.since - other.since);
  const items = entities.map(async ([id, entity]) => {
    const [first, ...others] = await parked.list(id);
    return first ? [{ id, entity, changes: [first, ...others] } satisfies ParkedItem] : [];
  });
  return (await Promise.all(items)).flat();
};

/** Returns a parked change by its number in the stream, with its item. */
export const findParked = async (parking: Pick<Parking, 'parked'>, sequenceNumber: string) => {
  for (const item of await listParkedItems(parking)) {
    const change = item.changes.find((one) => one.sequenceNumber === sequenceNumber);
    if (change) return { ...item, change };
  }
  throw new CommandError(`There is no parked change ${sequenceNumber}.`, exitCodes.failed, 'parked_change_not_found');
};

/** Describes an item by its kind and ids. */
export const describeItem = ({ item, uid }: ParkedEntity): string => {
  const { kind = 'item', list, ...ids } = (item ?? {}) as { kind?: string; list?: object };
  return [kind, ...Object.values({ uid, ...ids, ...list }).filter(Boolean)].join(' ');
};
