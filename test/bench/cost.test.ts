import { readFileSync } from 'node:fs';
import { expect, it } from 'vitest';
import { toCost } from './benchmarks/cost.ts';
import prices from './prices.json' with { type: 'json' };

const request = {
  seen: [],
  used: { read: 0, write: 0 },
  count: 1,
  memoryMegabytes: 512,
  milliseconds: 0,
  requestBytes: 100,
  responseBytes: 0,
  isBehindApiGateway: true,
};
it('a keyed read costs its request, its milliseconds at 512 MB, its read units and its bytes', () => {
  const cost = toCost({ ...request, used: { read: 3, write: 0 }, milliseconds: 29.2, responseBytes: 1024 });
  expect(cost.apiGateway).toBe(1);
  // 30 ms of half a gigabyte, and the request.
  expect(cost.lambda).toBeCloseTo(0.2 + 0.5 * 0.03 * 1e6 * 0.0000133334, 6);
  expect(cost.dynamodb).toBeCloseTo(3 * 0.125, 6);
  expect(cost.transfer).toBeCloseTo((1e6 / 1024 ** 2) * 0.09, 6);
  expect([cost.s3, cost.sqs]).toEqual([0, 0]);
});

it('the guide says what one user can cost at most by the dearest requests, the units of the table and their prices', () => {
  const guide = readFileSync('lib/README.md', 'utf8');
  const dollarsOfDynamoDb = (row: string) => Number(guide.split(`\n| ${row} |`)[1]?.split('|')[2]);
  const { dynamodbPerMillionReadUnits, dynamodbPerMillionWriteUnits } = prices;
  const aDay = (unitsPerSecond: number, perMillion: number) =>
    `$${Math.round((unitsPerSecond * 86_400 * perMillion) / 1e6).toLocaleString('en')}`;
  // The requests that use most units: of each number one is written, or two are read.
  expect(dollarsOfDynamoDb('addBlockedNumbers, one of 10,000')).toBeCloseTo(dynamodbPerMillionWriteUnits, 1);
  expect(dollarsOfDynamoDb('checkBlockedNumbers, one of 10,000')).toBeCloseTo(2 * dynamodbPerMillionReadUnits, 1);
  const [, writes = ''] = guide.split('| Requests that write |');
  expect(writes.split('\n')[0]).toContain(`costs $${(10_000 * dynamodbPerMillionWriteUnits) / 1e6}`);
  expect(writes.split('\n')[0]).toContain(`${aDay(4000, dynamodbPerMillionWriteUnits)} at 4,000 units a second`);
  expect(writes.split('\n')[0]).toContain(
    `${aDay(40_000, dynamodbPerMillionWriteUnits)} at DynamoDB’s quota of 40,000`,
  );
  const [, reads = ''] = guide.split('| Requests that read |');
  expect(reads.split('\n')[0]).toContain(`costs $${(10_000 * 2 * dynamodbPerMillionReadUnits) / 1e6}`);
  expect(reads.split('\n')[0]).toContain(`${aDay(12_000, dynamodbPerMillionReadUnits)} at 12,000 units a second`);
  expect(reads.split('\n')[0]).toContain(`${aDay(40_000, dynamodbPerMillionReadUnits)} at the quota`);
});
