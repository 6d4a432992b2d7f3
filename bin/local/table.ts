import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { claimFormat, NewerFormatError } from '../../functions/store/format.ts';
import { openTable } from '../../functions/store/table.ts';
import { StartupError } from './started.ts';

/** The time within which the user's own endpoint must respond. DynamoDB Local may take as long as its process runs. */
const endpointSeconds = 30;

/** Waits until DynamoDB responds, creates the table as the data stack does, unless it exists, and checks its format. */
export const createTable = async (
  tableName: string,
  { endpoint, failure }: { endpoint: string; failure?: () => string | undefined },
): Promise<void> => {
  await makeTable(tableName, { endpoint, failure });
  await claimFormat(openTable(tableName, { endpoint })).catch((error: Error) => {
    throw error instanceof NewerFormatError ? new StartupError(error.message) : error;
  });
};

const makeTable = async (
  TableName: string,
  { endpoint, failure }: { endpoint: string; failure: (() => string | undefined) | undefined },
): Promise<void> => {
  const client = new DynamoDBClient({ endpoint, maxAttempts: 1, requestHandler: { requestTimeout: 5000 } });
  const deadline = failure ? Number.POSITIVE_INFINITY : Date.now() + endpointSeconds * 1000;
  for (;;) {
    try {
      await client.send(
        new CreateTableCommand({
          TableName,
          BillingMode: 'PAY_PER_REQUEST',
          AttributeDefinitions: [
            { AttributeName: 'pk', AttributeType: 'S' },
            { AttributeName: 'sk', AttributeType: 'S' },
          ],
          StreamSpecification: { StreamEnabled: true, StreamViewType: 'NEW_AND_OLD_IMAGES' },
          KeySchema: [
            { AttributeName: 'pk', KeyType: 'HASH' },
            { AttributeName: 'sk', KeyType: 'RANGE' },
          ],
        }),
      );
      const TimeToLiveSpecification = { AttributeName: 'ttlSeconds', Enabled: true };
      await client.send(new UpdateTimeToLiveCommand({ TableName, TimeToLiveSpecification }));
      return;
    } catch (error) {
      if (error instanceof ResourceInUseException) return;
      const { name, message } = error as Error;
      if (name === 'ValidationException') throw new StartupError(`TABLE_NAME: ${message}`);
      const reason = failure?.();
      if (reason) throw new StartupError(reason);
      if (Date.now() > deadline) throw new StartupError(`DynamoDB does not respond at ${endpoint}: ${error}`);
      await sleep(100);
    }
  }
};
