import { request } from 'undici';
import { expect, it } from 'vitest';
import { findReason } from '../../../bin/local/dynamodb.ts';
import { target } from '../../support/world.ts';

it.each([
  [
    'Exception in thread "main" java.lang.IllegalArgumentException: Invalid directory for database creation.\n\tat com.amazonaws.Main.run(Main.java:7)\n\t... 3 more\n',
    'Invalid directory for database creation.',
  ],
  [
    'WARNING: A restricted method was called\n\nAddress already in use (Bind failed)\n',
    'Address already in use (Bind failed)',
  ],
  ['java.lang.ExceptionInInitializerError\n\tat java.base/java.lang.System\n', 'it gave no reason.'],
  ['', 'it gave no reason.'],
])('the reason why DynamoDB Local has ended is a sentence without a stack (%#)', (output, reason) => {
  expect(findReason(output)).toBe(reason);
});

it.each([
  ['127.0.0.1:8000', 200],
  ['localhost', 200],
  ['evil.example', 404],
  ['127.0.0.1.evil.example:8000', 404],
])('the database of a local run responds to a request to %s with %i', async (host, status) => {
  const headers = {
    host,
    'content-type': 'application/x-amz-json-1.0',
    'x-amz-target': 'DynamoDB_20120810.ListTables',
    authorization:
      'AWS4-HMAC-SHA256 Credential=any/20260301/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
  };
  const response = await request(target.endpoints.dynamodb, { method: 'POST', headers, body: '{}' });
  await response.body.dump();
  expect(response.statusCode).toBe(status);
});
