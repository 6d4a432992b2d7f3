// Makes DynamoDB Local as strict as DynamoDB, which refuses two actions on one item in a transaction. DynamoDB Local may report a
// failed condition instead, which hides the mistake. Loaded by every test file, and by the service under test.
import { DynamoDBDocumentClient, TransactWriteCommand } from '@aws-sdk/lib-dynamodb';

const { prototype } = DynamoDBDocumentClient;
const send = prototype.send as (...sent: unknown[]) => unknown;

const strictSend = function (this: DynamoDBDocumentClient, command: unknown, ...rest: unknown[]) {
  if (command instanceof TransactWriteCommand) refuseRepeatedKeys(command.input.TransactItems);
  return send.call(this, command, ...rest);
};

const refuseRepeatedKeys = (actions: TransactWriteCommand['input']['TransactItems'] = []) => {
  const keys = new Set<string>();
  for (const { Put, Update, Delete, ConditionCheck } of actions) {
    const { pk, sk } = Put?.Item ?? Update?.Key ?? Delete?.Key ?? ConditionCheck?.Key ?? {};
    const key = JSON.stringify([pk, sk]);
    if (keys.has(key)) throw new Error(`A transaction has two actions on the item ${key}.`);
    keys.add(key);
  }
};

if (!Object.hasOwn(prototype, 'send')) Object.assign(prototype, { send: strictSend });
