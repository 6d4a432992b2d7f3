import type { ApiCommand } from './declare-command.ts';

/** The commands that call an operation under a shorter name, with options of their own. Their groups have other commands, too. */
export const namedCommands: ApiCommand[] = [
  {
    command: 'agent show <agentId>',
    calls: ['agents.get', 'agents.listAccess'],
    joins: true,
    summary: 'Show an agent and who has access to it',
  },
  { command: 'agent update <agentId>', calls: ['agents.update'] },
  { command: 'calls show <callIdOrPhone>', calls: ['calls.get'] },
  {
    command: 'calls update <callIdOrPhone>',
    calls: ['calls.updateOutcome'],
    options: { custom_call_outcome: 'outcome', custom_call_outcome_value: 'value', custom_call_metadata: 'metadata' },
  },
  { command: 'calls delete <callIdOrPhone>', calls: ['calls.delete'] },
  {
    command: 'block-list add <numbers...>',
    calls: ['blockList.add', 'userBlockList.add'],
    summary: 'Block numbers for an agent, or for all agents of a user',
    options: { expiresAt: 'expires' },
  },
  {
    command: 'block-list remove <numbers...>',
    calls: ['blockList.remove', 'userBlockList.remove'],
    summary: 'Unblock numbers of an agent, or of a user',
  },
  { command: 'block-list check <numbers...>', calls: ['blockList.checkMany'] },
  {
    command: 'knowledge add-site <url>',
    calls: ['websites.add'],
    options: { includePaths: 'include', excludePaths: 'exclude' },
    waits: true,
  },
  { command: 'knowledge refresh <websiteId>', calls: ['websites.refresh'], waits: true },
  { command: 'knowledge retry <documentId>', calls: ['documents.retry'], waits: true },
  {
    command: 'knowledge list',
    calls: ['websites.list', 'documents.list'],
    joins: true,
    summary: 'List the websites and documents of an agent',
    columns: [
      'id',
      'url',
      'name',
      'status',
      'active',
      'pages',
      'size',
      'failedPages',
      'error',
      'warnings',
      'nextRefreshAt',
    ],
  },
  {
    command: 'knowledge update <source>',
    calls: ['websites.update', 'documents.update'],
    summary: 'Rename, enable or disable a website or document, or set when a website is crawled again',
    options: { active: ['enable', 'disable'], refreshEvery: ['refresh-every', 'no-refresh'] },
  },
  {
    command: 'knowledge delete <sources...>',
    calls: ['websites.delete', 'documents.delete'],
    summary: 'Delete websites and documents with their texts and files',
  },
  { command: 'webhooks endpoints', calls: ['webhooks.listEndpoints'] },
  {
    command: 'webhooks deliveries',
    calls: ['webhooks.listDeliveries'],
    options: { endpointId: 'endpoint' },
    columns: ['deliveryId', 'type', 'createdAt', 'status', 'waitsFor', 'attempts', 'nextAttemptAt'],
  },
  { command: 'webhooks redeliver <deliveryId>', calls: ['webhooks.redeliver'] },
  {
    command: 'changes',
    calls: ['changes.list'],
    options: { keyId: 'key', from: 'since' },
    columns: ['at', 'action', 'id', 'uid', 'keyName', 'keyId', 'via', 'requestId'],
  },
];
