import { describe, expect, it } from 'vitest';
import { Documentation } from '../../functions/chat/documentation.ts';

/** Common questions, each with the page that must come first. */
const questions: [question: string, page: string][] = [
  ['How do I get an API key?', '/docs/authentication'],
  ['authentication', '/docs/authentication'],
  ['How do I authenticate?', '/docs/authentication'],
  ['Which scopes does a key have?', '/docs/authentication'],
  ['A person asks to be forgotten. How do I erase them?', '/docs/personal-data'],
  ['How long is personal data kept, and what is in backups?', '/docs/personal-data'],
  ['Why is my key refused?', '/docs/authentication'],
  ['How does pagination work?', '/docs/pagination'],
  ['pagination', '/docs/pagination'],
  ['What is nextCursor?', '/docs/pagination'],
  ['CORS', '/docs/web-application'],
  ['I get a CORS error in the browser', '/docs/web-application'],
  ['How do I embed the chat with useChat?', '/docs/web-application'],
  ['How do I deploy to AWS?', '/docs/operat'],
  ['What does it cost on AWS?', '/docs/operating-on-aws'],
  ['How do I revoke a key?', '/docs/operator'],
  ['A key leaked. What now?', '/docs/operat'],
  ['How do I restore the table from a backup?', '/docs/operating-on-aws'],
  ['Which alarms are there and what do I do?', '/docs/operating-on-aws'],
  ['Is there a kill switch for the chat?', '/docs/operating-on-aws'],
  ['What are the rate limits?', '/docs/limits'],
  ['What is the maximum body size?', '/docs/limits'],
  ['Which timeouts are there?', '/docs/limits'],
  ['versioning and compatibility', '/docs/limits'],
  ['What does insufficient_permissions mean?', '/docs/errors'],
  ['List of error codes', '/docs/errors'],
  ['What does 429 mean?', '/docs/errors'],
  ['How do I make a request idempotent?', '/docs/retries'],
  ['Idempotency-Key', '/docs/retries'],
  ['When should I retry a request?', '/docs/retries'],
  ['phone number format', '/docs/telephony'],
  ['How do I check whether a caller is blocked?', '/docs/reference#tag/block-list/GET/agent-block-list/check'],
  ['How do I record a call?', '/docs/reference#tag/calls/PUT/calls'],
  ['How do I block a number?', '/docs/block-lists'],
  ['How do I unblock a number?', '/docs/reference#tag/block-list/DELETE/agent-block-list'],
  ['How do I copy an agent?', '/docs/reference#tag/agents/POST/duplicate-agent'],
  ['How do I create an agent?', '/docs/reference#tag/agents/POST/agents'],
  ['How do I upload a PDF?', '/docs/knowledge'],
  ['How do I add a website?', '/docs/knowledge'],
  ['Why did my document fail?', '/docs/reference#tag/documents/POST/agent-documents/retry'],
  ['How do I set a call outcome?', '/docs/call-outcomes'],
  ['How do I set outcomes from a CSV file?', '/docs/batch'],
  ['cron job at night', '/docs/batch-tool'],
  ['Is there a Python client?', '/docs/python-client'],
  ['TypeScript SDK', '/docs/typescript-client'],
  ['Where do I start?', '/docs/quickstart'],
  ['How do I get the invoices of a customer?', '/docs/reference#tag/invoices/POST/get-invoices'],
];

describe('the search of the documentation', () => {
  const documentation = new Documentation();

  it.each(questions)('%s', (query, page) => {
    const { topics } = documentation.search({ query });
    expect(topics[0]?.page, topics.map((topic) => topic?.title).join('\n')).toMatch(
      new RegExp(`^${RegExp.escape(page)}`),
    );
  });

  it('finds nothing for what it has nothing about, and then lists what there is', () => {
    const { topics, otherTopics } = documentation.search({ query: 'What is the weather?' });
    expect(topics).toEqual([]);
    expect(otherTopics).toContain('Pagination');
  });
});
