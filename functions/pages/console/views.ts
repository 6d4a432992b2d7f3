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
};

/** A deployment may have no chat: the build of the pages says so. */
declare const hasChat: boolean;

/** The views of the console, in the order of the navigation. Each is a separate file, loaded when it is first opened. */
export const views: View[] = [
  { path: '', name: 'Overview', scope: 'calls', Content: lazy(() => import('./overview/overview.tsx')) },
  { path: 'calls', name: 'Calls', scope: 'calls', isOfAgent: true, Content: lazy(() => import('./calls/calls.tsx')) },
  { path: 'agents', name: 'Agents', scope: 'agents', Content: lazy(() => import('./agents/agents.tsx')) },
  { path: 'numbers', name: 'Numbers', scope: 'block-list', Content: lazy(() => import('./numbers/numbers.tsx')) },
  {
    path: 'knowledge',
    name: 'Knowledge',
    scope: 'knowledge',
    isOfAgent: true,
    Content: lazy(() => import('./knowledge/knowledge.tsx')),
  },
  { path: 'webhooks', name: 'Webhooks', scope: 'webhooks', Content: lazy(() => import('./webhooks/webhooks.tsx')) },
  { path: 'changes', name: 'Changes', scope: 'changes', Content: lazy(() => import('./changes/changes.tsx')) },
  { path: 'keys', name: 'Keys', scope: 'keys', Content: lazy(() => import('./keys/keys.tsx')) },
  { path: 'clients', name: 'Clients', scope: 'users', Content: lazy(() => import('./clients/clients.tsx')) },
  ...(hasChat
    ? [{ path: 'chat', name: 'Chat', scope: 'agents', Content: lazy(() => import('./chat/chat.tsx')) } as const]
    : []),
];
