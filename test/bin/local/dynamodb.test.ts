import { expect, it } from 'vitest';
import { findReason } from '../../../bin/local/dynamodb.ts';

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
