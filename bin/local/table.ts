import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { StartupError } from './started.ts';

/** How long an endpoint that is given has to respond; DynamoDB Local has as long as its process lives. */
const endpointSeconds = 30;

/** Waits until DynamoDB responds, and creates the table as the data stack does, unless it exists. */
export const createTable = async (
  tableName: string,
  { endpoint, failure }: { endpoint: string; failure?: () => string | undefined },
): Promise<void> => {
  const client = new DynamoDBClient({ endpoint, maxAttempts: 1, requestHandler: { requestTimeout: 5000 } });
  const deadline = failure ? Number.POSITIVE_INFINITY : Date.now() + endpointSeconds * 1000;
  for (;;) {
    try {
      await client.send(
        new CreateTableCommand({
          TableName: tableName,
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
      await client.send(new UpdateTimeToLiveCommand({ TableName: tableName, TimeToLiveSpecification }));
      return;
    } catch (error) {
      if (error instanceof ResourceInUseException) return;
      const reason = failure?.();
      if (reason) throw new StartupError(reason);
      if (Date.now() > deadline) throw new StartupError(`DynamoDB does not respond at ${endpoint}: ${error}`);
      await sleep(100);
    }
  }
};
