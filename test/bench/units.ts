import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';

type Batch<Items> = { [table: string]: Items };

/** Counts the requested items of a batch that do not exist. */
const missingItems = (input: { RequestItems?: Batch<{ Keys?: unknown[] }> }, found: unknown): number => {
  const asked = Object.entries(input.RequestItems ?? {}).map(([name, { Keys }]): [string, number] => [
    name,
    Keys?.length ?? 0,
  ]);
  const responses = (found ?? {}) as Batch<unknown[]>;
  return asked.reduce((sum, [name, count]) => (count === 0 ? sum : sum + count - (responses[name]?.length ?? 0)), 0);
};

const transactionItems = ({ TransactItems = [] }: { TransactItems?: unknown[] }) => TransactItems.length;

export type Units = { take(): { read: number; write: number } };
type Capacity = { CapacityUnits?: number };

/** Counts the capacity units that DynamoDB reports for each request of a client. */
export const countUnits = (client: DynamoDBDocumentClient): Units => {
  let used = { read: 0, write: 0 };
  type Next = (args: {
    input: object;
  }) => Promise<{ output: { ConsumedCapacity?: Capacity | Capacity[]; Responses?: unknown } }>;
  const count =
    (next: Next, { commandName = '' }: { commandName?: string }) =>
    async (args: { input: object }) => {
      const result = await next({ ...args, input: { ...args.input, ReturnConsumedCapacity: 'TOTAL' } });
      const kind = /^(Get|BatchGet|Query)/.test(commandName) ? 'read' : 'write';
      const { ConsumedCapacity = [], Responses } = result.output;
      // DynamoDB charges a unit for each item of a batch that is missing, and DynamoDB Local none.
      used.read += missingItems(args.input, Responses);
      // DynamoDB Local reports no units for PartiQL. The samples' items are under 1 KB: each statement is one unit.
      if (commandName.startsWith('BatchExecuteStatement')) used.write += (Responses as unknown[]).length;
      // For a transaction it reports less than DynamoDB charges, which is two units for each item.
      else if (commandName.startsWith('TransactWrite')) used.write += 2 * transactionItems(args.input);
      else for (const { CapacityUnits = 0 } of [ConsumedCapacity].flat()) used[kind] += CapacityUnits;
      return result;
    };
  client.middlewareStack.add(count as never, { step: 'initialize', name: 'countUnits', override: true });
  return {
    take() {
      const taken = used;
      used = { read: 0, write: 0 };
      return taken;
    },
  };
};
