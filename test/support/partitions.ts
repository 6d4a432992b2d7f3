import { createServer } from 'node:http';
import { buffer } from 'node:stream/consumers';
import { listen } from '../../bin/local/listen.ts';
import { chunks } from '../../functions/domain/chunks.ts';

/** The units that DynamoDB charges. A strongly consistent read of 4 KB and a write of 1 KB are one unit each. */
export type Units = { read: number; write: number };

type Kind = keyof Units;
/** An attribute as it is on the wire: `{ "S": "text" }`. */
type Attribute = Record<string, unknown>;
type Attributes = Record<string, Attribute>;
/** An item that a request reads or writes. `factor` is 2 in transactions. */
type Access = { pk: string; sk: string | undefined; kind: Kind; factor: number };
// biome-ignore lint/suspicious/noExplicitAny: requests and responses of DynamoDB
type Json = any;

/**
 * Starts a table that meters and refuses as DynamoDB's partitions do. It is a proxy to DynamoDB Local, and counts the units of
 * each partition key by DynamoDB's published rules. With a limit, a key whose units are used up refuses requests until they
 * are refilled, in the form that each operation has for it.
 */
export const startPartitions = async (upstream: string) => {
  let used = new Map<string, Units>();
  let limit: Units | undefined;
  const buckets = new Map<string, { left: Units; at: number }>();

  /** Returns the units that a key has left, refilled by the time that has passed. A quiet second is saved at most. */
  const computeRest = (pk: string, { read, write }: Units): Units => {
    const now = performance.now();
    const bucket = buckets.get(pk) ?? { left: { read, write }, at: now };
    const seconds = (now - bucket.at) / 1000;
    bucket.left.read = Math.min(read, bucket.left.read + seconds * read);
    bucket.left.write = Math.min(write, bucket.left.write + seconds * write);
    bucket.at = now;
    buckets.set(pk, bucket);
    return bucket.left;
  };
  /** Takes the minimum cost of an access before it is made. Returns false when the key has no units left. */
  const reserve = ({ pk, kind, factor }: Access): boolean => {
    const left = limit && computeRest(pk, limit);
    if (left && left[kind] <= 0) return false;
    if (left) left[kind] -= factor;
    return true;
  };
  const charge = ({ pk, kind, factor }: Access, units: number) => {
    const total = used.get(pk) ?? { read: 0, write: 0 };
    total[kind] += units;
    used.set(pk, total);
    if (limit) computeRest(pk, limit)[kind] -= units - factor;
  };

  const server = createServer(async (request, response) => {
    const { 'x-amz-target': target = '', authorization = '' } = request.headers as Record<string, string>;
    const send = async (operation: string, input: Json): Promise<{ status: number; body: Json }> => {
      const headers = { 'x-amz-target': `DynamoDB_20120810.${operation}`, authorization, ...jsonType };
      const answer = await fetch(upstream, { method: 'POST', headers, body: JSON.stringify(input) });
      return { status: answer.status, body: await answer.json() };
    };
    const operation = target.replace(/^.*\./, '');
    const input = JSON.parse((await buffer(request)).toString());
    const accesses = listAccesses(operation, input);
    const measureSizes = async (all: Access[]) => sizes(await readItems(all, input, send));
    const writes = accesses.filter(({ kind }) => kind === 'write');
    const refused = new Set(accesses.filter((access) => !reserve(access)));
    const before = await measureSizes(writes);
    const { status, body } = await forward(operation, input, accesses, refused, send);
    const after = await measureSizes(writes);
    for (const access of accesses) {
      if (refused.has(access) || (refused.size > 0 && operation === 'TransactWriteItems')) continue;
      if (operation === 'Query') charge(access, Math.max(1, body.ConsumedCapacity?.CapacityUnits ?? 0));
      else if (access.kind === 'write') {
        const size = Math.max(before.get(formName(access)) ?? 0, after.get(formName(access)) ?? 0);
        charge(access, access.factor * Math.max(1, Math.ceil(size / 1024)));
      } else charge(access, Math.max(1, Math.ceil((sizes(itemsRead(body)).get(formName(access)) ?? 0) / 4096)));
    }
    response.writeHead(status, jsonType).end(JSON.stringify(body));
  });
  const { endpoint, stop } = await listen(server);
  return {
    endpoint,
    stop,
    /** Sets the units of every key and second. Without them, nothing is refused. */
    limit(units: Units | undefined) {
      limit = units;
      buckets.clear();
    },
    /** Returns the units by partition key since the last call. */
    take() {
      const taken = used;
      used = new Map();
      return taken;
    },
  };
};

const jsonType = { 'content-type': 'application/x-amz-json-1.0' };
const formName = ({ pk, sk }: Pick<Access, 'pk' | 'sk'>) => `${pk}\n${sk}`;

/** Returns the items that a request names. Scans name none, because they read the whole table. */
const listAccesses = (operation: string, input: Json): Access[] => {
  const access = (kind: Kind, key: Attributes, factor = 1): Access => ({
    pk: String(key.pk?.S),
    sk: key.sk && String(key.sk.S),
    kind,
    factor,
  });
  switch (operation) {
    case 'GetItem':
      return [access('read', input.Key)];
    case 'BatchGetItem':
      return listRequests(input).flatMap(({ Keys }) => Keys.map((key: Attributes) => access('read', key)));
    case 'Query':
      return [access('read', { pk: input.ExpressionAttributeValues[':pk'] })];
    case 'PutItem':
      return [access('write', input.Item)];
    case 'UpdateItem':
    case 'DeleteItem':
      return [access('write', input.Key)];
    case 'BatchWriteItem':
      return listRequests(input)
        .flat()
        .map(({ PutRequest, DeleteRequest }) => access('write', PutRequest?.Item ?? DeleteRequest.Key));
    case 'TransactWriteItems':
      return input.TransactItems.map((action: Json) => {
        const [{ Item, Key }] = Object.values(action) as [Json];
        return access('write', Item ?? Key, 2);
      });
    case 'BatchExecuteStatement':
      return input.Statements.map((statement: Json) => access('write', readKey(statement)));
    default:
      return [];
  }
};

const listRequests = ({ RequestItems }: Json): Json[] => Object.values(RequestItems);

/** Returns the key of a statement: the first two values of an `INSERT`, the first two of the `WHERE` of an `UPDATE`. */
const readKey = ({ Statement, Parameters }: Json): Attributes => {
  const [changes = ''] = Statement.split(' WHERE ');
  const start = Statement.startsWith('INSERT') ? 0 : (changes.match(/\?/g)?.length ?? 0);
  return { pk: Parameters[start], sk: Parameters[start + 1] };
};

type Send = (operation: string, input: Json) => Promise<{ status: number; body: Json }>;

/** Forwards the items that are not refused, and returns the response together with those that are. */
const forward = async (operation: string, input: Json, accesses: Access[], refused: Set<Access>, send: Send) => {
  const isRefused = (index: number) => refused.has(accesses[index] as Access);
  if (refused.size === 0 && operation === 'Query')
    return send(operation, { ...input, ReturnConsumedCapacity: 'TOTAL' });
  if (refused.size === 0) return send(operation, input);
  switch (operation) {
    case 'TransactWriteItems': {
      const CancellationReasons = accesses.map((_, index) => ({ Code: isRefused(index) ? 'ThrottlingError' : 'None' }));
      return { status: 400, body: { ...makeError('TransactionCanceledException'), CancellationReasons } };
    }
    case 'BatchGetItem':
    case 'BatchWriteItem': {
      const [[table, requests]] = Object.entries(input.RequestItems) as [[string, Json]];
      const all: Json[] = operation === 'BatchGetItem' ? requests.Keys : requests;
      const [passed, held] = [all.filter((_, index) => !isRefused(index)), all.filter((_, index) => isRefused(index))];
      const withThese = (some: Json[]) => ({
        [table]: operation === 'BatchGetItem' ? { ...requests, Keys: some } : some,
      });
      const { status, body } =
        passed.length > 0 ? await send(operation, { RequestItems: withThese(passed) }) : { status: 200, body: {} };
      const unprocessed = operation === 'BatchGetItem' ? 'UnprocessedKeys' : 'UnprocessedItems';
      return { status, body: { ...body, [unprocessed]: withThese(held) } };
    }
    case 'BatchExecuteStatement': {
      const passed = input.Statements.filter((_: Json, index: number) => !isRefused(index));
      const { status, body } =
        passed.length > 0 ? await send(operation, { Statements: passed }) : { status: 200, body: { Responses: [] } };
      const results = body.Responses?.values();
      const refusal = { Code: 'ThrottlingError', Message: 'Throughput exceeds the limit of the partition.' };
      return {
        status,
        body: {
          ...body,
          Responses: accesses.map((one) => (refused.has(one) ? { Error: refusal } : results.next().value)),
        },
      };
    }
    default:
      return { status: 400, body: makeError('ThrottlingException') };
  }
};

const makeError = (name: string) => ({
  __type: `com.amazonaws.dynamodb.v20120810#${name}`,
  Message: 'Throughput exceeds the limit of the partition.',
});

/** Reads the items that a request writes, for their sizes. */
const readItems = async (accesses: Access[], input: Json, send: Send): Promise<Attributes[]> => {
  const table = input.TableName ?? Object.keys(input.RequestItems ?? {})[0] ?? nameTable(input);
  const keys = new Map(accesses.map((access) => [formName(access), { pk: { S: access.pk }, sk: { S: access.sk } }]));
  const batches = chunks([...keys.values()], 100);
  const read = await Promise.all(batches.map((Keys) => send('BatchGetItem', { RequestItems: { [table]: { Keys } } })));
  return read.flatMap(({ body }) => itemsRead(body));
};

const nameTable = ({ TransactItems, Statements }: Json): string =>
  TransactItems
    ? (Object.values(TransactItems[0]) as Json[])[0].TableName
    : String(/"([^"]+)"/.exec(Statements[0].Statement)?.[1]);

const itemsRead = ({ Item, Responses }: Json): Attributes[] => {
  if (Item) return [Item];
  return Responses && !Array.isArray(Responses) ? (Object.values(Responses).flat() as Attributes[]) : [];
};

const sizes = (items: Attributes[]) =>
  new Map(items.map((item) => [formName({ pk: String(item.pk?.S), sk: String(item.sk?.S) }), measureSize(item)]));

/** Returns the size of an item by DynamoDB's rules: the bytes of names and values, and three more of a list or a map. */
const measureSize = (item: Attributes): number =>
  Object.entries(item).reduce((sum, [name, value]) => sum + Buffer.byteLength(name) + sizeOfValue(value), 0);

const sizeOfValue = (attribute: Attribute): number => {
  const [[type, value]] = Object.entries(attribute) as [[string, Json]];
  switch (type) {
    case 'S':
      return Buffer.byteLength(value);
    case 'N':
      return Math.ceil(value.length / 2) + 1;
    case 'B':
      return Buffer.byteLength(value, 'base64');
    case 'SS':
      return value.reduce((sum: number, one: string) => sum + Buffer.byteLength(one), 0);
    case 'L':
      return value.reduce((sum: number, one: Attribute) => sum + 1 + sizeOfValue(one), 3);
    case 'M':
      return Object.entries(value as Attributes).reduce(
        (sum, [name, one]) => sum + 1 + Buffer.byteLength(name) + sizeOfValue(one),
        3,
      );
    default:
      return 1;
  }
};
