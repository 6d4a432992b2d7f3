import type { ApiKey } from '../../../openapi/client/client.ts';
import type { Scope } from '../service.tsx';

/** The scopes of a key in words. */
export const scopeLabels: Record<Scope, string> = {
  agents: 'Agents',
  knowledge: 'Knowledge',
  calls: 'Calls',
  'block-list': 'Block lists and consents',
  hooks: 'Webhooks of voice platforms',
  webhooks: 'Webhook endpoints',
  privacy: 'Exports and erasures of people’s data',
  changes: 'The log of changes',
  keys: 'Keys',
  users: 'Clients',
};

export const listScopes = () => Object.keys(scopeLabels) as Scope[];

/** The scopes that a key has if none are named. */
export const initialScopes: Scope[] = ['agents', 'knowledge', 'calls', 'block-list', 'hooks', 'webhooks'];

/** The scopes that no key gives another key of its user. */
export const notPassedOn: Scope[] = ['privacy', 'users', 'keys'];

/** Returns what a key may use. */
export const describeScopes = ({ scopes = initialScopes }: Pick<ApiKey, 'scopes'>): string =>
  scopes.map((scope) => scopeLabels[scope]).join(', ');
