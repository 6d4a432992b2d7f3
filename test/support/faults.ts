import type { DynamoDBDocumentClient } from '@aws-sdk/lib-dynamodb';
import { StandardRetryStrategy } from '@smithy/core/retry';
import { openTable, type Table, table } from '../../functions/store/table.ts';

/** The faults of one call to DynamoDB. */
export type Fault = 'lost response' | 'throttle' | 'conflict' | 'server error' | 'slow' | 'silence';

/** The value is small, so that a test sees retries and not waits. */
const slowMilliseconds = 15;
/** The pause between the attempts of one request. The SDK's own pauses after throttling are up to a second. */
export const pauseMilliseconds = 10;
const backoff = { setDelayBase() {}, computeNextBackoffDelay: () => pauseMilliseconds };

/** Numbers from 0 to 1, the same for the same seed. */
export const chance = (seed: number) => {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
};

const faults: Fault[] = ['lost response', 'throttle', 'conflict', 'server error', 'slow'];

/** A fault for one attempt in ten. */
export const tenPercent = (seed: number) => {
  const next = chance(seed);
  return (): Fault | undefined => (next() < 0.1 ? faults[Math.floor(next() * faults.length)] : undefined);
};

const awsError = (name: string, status: number, more: object = {}) =>
  Object.assign(new Error(name), {
    name,
    $fault: status < 500 ? 'client' : 'server',
    $metadata: { httpStatusCode: status },
    ...more,
  });

type Next = (args: { input: unknown; request?: unknown }) => Promise<{ output: Record<string, unknown> }>;

type Faults = [
  choose: (operation: string) => Fault | 'kill' | undefined,
  seen?: (operation: string) => void,
  sent?: (input: unknown) => void,
];

/**
 * Puts faults between the SDK's retries and the wire. What DynamoDB did stays done, and the caller gets another result.
 * `choose` is called once for each attempt, and `seen` for each operation that reached DynamoDB.
 */
export const injectFaultsInto = (
  client: DynamoDBDocumentClient,
  ...[choose, seen = () => {}, sent = () => {}]: Faults
): void => {
  const middleware = (next: Next, context: { commandName?: string }) => async (args: Parameters<Next>[0]) => {
    const operation = (context.commandName ?? '').replace(/Command$/, '');
    const fault = choose(operation);
    sent(args.input);
    const isTransaction = operation === 'TransactWriteItems';
    const isBatch = operation === 'BatchExecuteStatement';
    if (fault === 'kill')
      throw Object.assign(new Error('killed'), {
        name: 'Killed',
        $fault: 'client',
        $metadata: { httpStatusCode: 400 },
      });
    if (fault === 'silence') return new Promise<never>(() => {});
    if (fault === 'slow') await new Promise((resolve) => setTimeout(resolve, slowMilliseconds));
    if (fault === 'throttle') {
      throw awsError('ProvisionedThroughputExceededException', 400, { $retryable: { throttling: true } });
    }
    if (fault === 'server error') throw awsError('InternalServerError', 500, { $retryable: {} });
    if (fault === 'conflict' && isTransaction) {
      const { TransactionCanceledException } = await import('@aws-sdk/client-dynamodb');
      throw new TransactionCanceledException({
        message: 'conflict',
        $metadata: { httpStatusCode: 400 },
        CancellationReasons: [{ Code: 'TransactionConflict' }, { Code: 'None' }],
      });
    }
    if (fault === 'conflict' && isBatch) return next(args).then((result) => withStatementFault(result));
    const result = await next(args);
    seen(operation);
    if (fault === 'lost response')
      throw Object.assign(new Error('socket hang up'), { name: 'TimeoutError', code: 'ECONNRESET' });
    return result;
  };
  const retryStrategy = new StandardRetryStrategy({ maxAttempts: 3, backoff });
  client.config.retryStrategy = async () => retryStrategy;
  client.middlewareStack.add(middleware as never, {
    step: 'deserialize',
    name: 'injectFaults',
    priority: 'high',
    override: true,
  });
};

/** Opens the table of the service once more, with faults of its own: other tests run at the same time. */
export const openFaultyTable = (...how: Faults): Table => {
  const faulty = openTable(table.get().name);
  injectFaultsInto(faulty.client, ...how);
  return faulty;
};

/** Does the same for the table that the service's own functions use. */
export const injectFaults = (...how: Faults): void => injectFaultsInto(table.get().client, ...how);

export const noFaults = (): void => injectFaults(() => undefined);

/** One statement of a batch is reported as in conflict with another request, whether it was done or not. */
const withStatementFault = (result: { output: Record<string, unknown> }) => {
  const responses = result.output.Responses as { Error?: object }[] | undefined;
  if (responses?.[0]) responses[0] = { Error: { Code: 'TransactionConflict', Message: 'injected' } };
  return result;
};
