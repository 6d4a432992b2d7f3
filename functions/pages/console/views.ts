import { type ComponentType, lazy } from 'react';
import type { Scope } from './service.tsx';

export type View = {
  /** The last part of the address: `/console/calls`. The first view is at `/console` itself. */
  path: string;
  name: string;
  /** A key with this scope sees the view. */
  scope: Scope;
  /** The view is about one agent: the links to it keep the filter `agentId`. */
  isOfAgent?: true;
  Content: ComponentType;
  /** Loads the file of the view before it is opened. */
  load(): Promise<unknown>;
};

const inFile = (load: () => Promise<{ default: ComponentType }>) => ({ load, Content: lazy(load) });

/** A deployment may have no chat: the build of the pages says so. */
declare const hasChat: boolean;

/** The views of the console, in the order of the navigation. Each is a separate file, loaded when the page is idle or when it is first opened. */
export const views: View[] = [
  { path: '', name: 'Overview', scope: 'calls', ...inFile(() => import('./overview/overview.tsx')) },
  { path: 'calls', name: 'Calls', scope: 'calls', isOfAgent: true, ...inFile(() => import('./calls/calls.tsx')) },
  { path: 'agents', name: 'Agents', scope: 'agents', ...inFile(() => import('./agents/agents.tsx')) },
  { path: 'numbers', name: 'Numbers', scope: 'block-list', ...inFile(() => import('./numbers/numbers.tsx')) },
  {
    path: 'knowledge',
    name: 'Knowledge',
    scope: 'knowledge',
    isOfAgent: true,
    ...inFile(() => import('./knowledge/knowledge.tsx')),
  },
  { path: 'webhooks', name: 'Webhooks', scope: 'webhooks', ...inFile(() => import('./webhooks/webhooks.tsx')) },
  { path: 'changes', name: 'Changes', scope: 'changes', ...inFile(() => import('./changes/changes.tsx')) },
  { path: 'keys', name: 'Keys', scope: 'keys', ...inFile(() => import('./keys/keys.tsx')) },
  { path: 'clients', name: 'Clients', scope: 'users', ...inFile(() => import('./clients/clients.tsx')) },
  ...(hasChat
    ? [{ path: 'chat', name: 'Chat', scope: 'agents', ...inFile(() => import('./chat/chat.tsx')) } as const]
    : []),
];
