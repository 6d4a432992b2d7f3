import { expect, it } from 'vitest';
import { Documentation } from '../../functions/chat/documentation.ts';

/** Common questions, each with the page that must come first. */
const questions: [question: string, page: string][] = [
  ['How do I connect n8n, Make or Zapier?', '/docs/workflows'],
  ['What does the attestation of a caller mean?', '/docs/voice-platforms#attested-callers'],
  ['Who changed this agent last night?', '/docs/changes'],
  ['How do I get an API key?', '/docs/authentication'],
  ['How do I keep agents in Git?', '/docs/agents-in-git'],
  ['Does my voice platform use the greeting of the agent?', '/docs/what-an-agent-is'],
  ['What is an agent?', '/docs/what-an-agent-is'],
  ['call.outcome_updated event data', '/docs/reference#tag/events/webhook/POST/call.outcome-updated'],
  ['How do I authenticate?', '/docs/authentication'],
  ['A person asks to be forgotten. How do I erase them?', '/docs/personal-data'],
  ['Why is my key refused?', '/docs/authentication'],
  ['How does pagination work?', '/docs/pagination'],
  ['I get a CORS error in the browser', '/docs/web-application'],
  ['How do I embed the chat with useChat?', '/docs/web-application'],
  ['How do I deploy to AWS?', '/docs/operat'],
  ['What does it cost on AWS?', '/docs/operating-on-aws'],
  ['How do I revoke a key?', '/docs/operator'],
  ['A key leaked. What now?', '/docs/operat'],
  ['How do I restore the table from a backup?', '/docs/operating-on-aws'],
  ['versioning and compatibility', '/docs/limits'],
  ['What does insufficient_permissions mean?', '/docs/errors'],
  ['How do I make a request idempotent?', '/docs/retries'],
  ['phone number format', '/docs/telephony'],
  ['How do I check whether a caller is blocked?', '/docs/reference#tag/block-list/GET/agent-block-list/check'],
  ['How do I record a call during the call, and when it ends?', '/docs/telephony#during-the-call-record-the-call'],
  ['How do I block a number?', '/docs/block-lists'],
  ['How do I unblock a number?', '/docs/reference#tag/block-list/DELETE/agent-block-list'],
  ['How do I copy an agent?', '/docs/reference#tag/agents/POST/duplicate-agent'],
  ['How do I create an agent?', '/docs/reference#tag/agents/POST/agents'],
  ['How do I upload a PDF?', '/docs/knowledge'],
  ['How do I add a website?', '/docs/knowledge'],
  ['Why did my document fail?', '/docs/reference#tag/documents/POST/agent-documents/retry'],
  ['How many calls were there last month, and what were they worth?', '/docs/call-figures'],
  ['What did the calls of each agent cost, and what is the margin?', '/docs/call-figures'],
  ['Can I open call figures in Excel as CSV?', '/docs/call-figures'],
  ['How do I set a call outcome?', '/docs/call-outcomes'],
  ['How do I set outcomes from a CSV file?', '/docs/batch'],
  ['cron job at night', '/docs/batch-tool'],
  ['Is there a Python client?', '/docs/python-client'],
  ['Where do I start?', '/docs/quickstart'],
  ['How do I get the invoices of a customer?', '/docs/reference#tag/invoices/POST/get-invoices'],
  ['How do webhooks work?', '/docs/webhooks'],
  ['How do I verify the signature of a webhook?', '/docs/webhooks#verify-a-request'],
  ['My server was down. Are webhook events sent again?', '/docs/webhooks#when-your-server-is-down'],
  ['How do I rotate a webhook secret?', '/docs/webhooks#rotate-the-secret'],
  ['How do I use MCP?', '/docs/mcp'],
  ['Can I use it from Claude Code?', '/docs/mcp#claude-code'],
  ['Can an AI client delete something?', '/docs/mcp#what-an-ai-client-may-change-or-delete'],
  ['How do I connect claude.ai?', '/docs/mcp#connect-claudeai-chatgpt-and-other-clients-that-sign-in'],
  ['How do I connect Twilio?', '/docs/voice-platforms#twilio'],
  ['Retell webhook', '/docs/voice-platform-setup#retell'],
  ['Why are signed requests refused?', '/docs/platform-signatures#when-requests-are-refused'],
  ['How do I reject anonymous callers?', '/docs/voice-platforms#withheld-numbers'],
  ['How do I import a CSV of blocked numbers?', '/docs/block-lists#import-a-file'],
  [
    'How do I block a caller by the outcome of the call?',
    '/docs/block-lists#block-callers-by-the-outcome-of-their-call',
  ],
  ['How do I check many numbers at once?', '/docs/reference#tag/block-list/POST/agent-block-list/check'],
  ['At which hours may people be called?', '/docs/outbound-calls'],
  ['right to be forgotten', '/docs/personal-data#erase-a-person'],
  ['How do I restore a former version of an agent?', '/docs/versions#restore-a-version'],
  ['How do I test a new version with 10 % of the callers?', '/docs/traffic'],
  ['How do I delete an agent?', '/docs/reference#tag/agents/DELETE/agents/{agentId}'],
  ['How do I search the knowledge of an agent?', '/docs/knowledge#search-the-knowledge'],
  ['RAG', '/docs/knowledge#search-the-knowledge'],
  ['opening hours', '/docs/outbound-calls'],
  ['blok list', '/docs/block-lists'],
  ['custom domain', '/docs/operating-on-aws'],
  ['How do I run it on another port?', '/docs/local-run#options'],
  ['How do I call the API from my own frontend on localhost?', '/docs/local-run#your-own-front-end'],
  ['backup', '/docs/operating-on-aws#restore-the-table'],
  ['How do I get the next page of a list?', '/docs/pagination'],
  ['next page', '/docs/pagination'],
  ['how do I rotte a webhok secret', '/docs/webhooks#rotate-the-secret'],
  ['idempotancy', '/docs/retries'],
  ['webhok', '/docs/webhooks'],
  ['kill switch', '/docs/operating-on-aws#kill-switches'],
  ['rate limit', '/docs/limits#rate-limits'],
];

/** Headings of guides, each of which finds itself. */
const headings: [heading: string, page: string][] = [
  ['Embed the build chat', '/docs/web-application#embed-the-build-chat'],
  ['Record many calls', '/docs/batch#record-many-calls'],
  ['When something is wrong', '/docs/operator#when-something-is-wrong'],
  ['A key is refused', '/docs/authentication#a-key-is-refused'],
  ['Share an agent', '/docs/users-and-keys#share-an-agent'],
  ['Idempotency-Key', '/docs/retries#idempotency-key'],
  ['Timeouts', '/docs/limits#timeouts'],
  ['Restore a version', '/docs/versions#restore-a-version'],
  ['Set the key', '/docs/agents-in-git#set-the-key'],
  ['Search the knowledge', '/docs/knowledge#search-the-knowledge'],
  ['Block a number', '/docs/block-lists#block-a-number'],
  ['Import a file', '/docs/block-lists#import-a-file'],
  ['Declare the outcomes of an agent', '/docs/call-outcomes#declare-the-outcomes-of-an-agent'],
  ['Choose the rows', '/docs/call-figures#choose-the-rows'],
  ['What is erased', '/docs/calls-as-files#what-is-erased'],
  ['When the service cannot answer', '/docs/outbound-calls#when-the-service-cannot-answer'],
  ['Revoke by an outcome', '/docs/consent-and-disclosure#revoke-by-an-outcome'],
  ['Numbers in other forms', '/docs/voice-platforms#numbers-in-other-forms'],
  ['When an end is lost', '/docs/voice-platforms#when-an-end-is-lost'],
  ['Set the secret', '/docs/platform-signatures#set-the-secret'],
  ['Create an endpoint', '/docs/webhooks#create-an-endpoint'],
  ['What every tool needs', '/docs/workflows#what-every-tool-needs'],
  ['Claude Code', '/docs/mcp#claude-code'],
  ['Erasures and operator restore', '/docs/personal-data#erasures-and-operator-restore'],
  ['A real language model', '/docs/local-run#a-real-language-model'],
  ['Exit codes', '/docs/operator-command-line#exit-codes'],
  ['Restore the table', '/docs/operating-on-aws#restore-the-table'],
  ['Retention', '/docs/operating-on-aws#retention'],
  ['Upgrade', '/docs/operating-on-aws#upgrade'],
  ['Rotate the edge secret', '/docs/operating-on-aws#rotate-the-edge-secret'],
];

const documentation = new Documentation();

it.each([...questions, ...headings])('the search of the documentation finds the page for: %s', (query, page) => {
  const { topics } = documentation.search({ query });
  expect(topics[0]?.page, topics.map((topic) => topic?.title).join('\n')).toMatch(
    new RegExp(`^${RegExp.escape(page)}`),
  );
});

it('the search of the documentation does not show the comments of a page', () => {
  const { topics } = documentation.search({ query: 'What does it cost on AWS?' });
  expect(topics.map((topic) => topic?.text).join('\n')).toContain('million requests');
  expect(topics.map((topic) => topic?.text).join('\n')).not.toContain('<!--');
});

it.each([
  'What is the weather?',
  'weather',
  'What’s the weather in Berlin tomorrow?',
  'How is the weather today?',
  'What is the weather like in New York?',
  'Will it rain tomorrow in Paris?',
  'Is it going to rain today?',
  'Who won the football match?',
  'recipe for pancakes',
  'tell me a joke',
])('the search of the documentation finds nothing for %s, and then lists the pages', (query) => {
  const { topics, otherTopics } = documentation.search({ query });
  expect(topics).toEqual([]);
  expect(otherTopics).toContain('Pagination');
});
