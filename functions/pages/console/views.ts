import { type ComponentType, lazy } from 'react';
import type { Scope } from './service.tsx';

export type View = {
  /** The last part of the address: `/console/calls`. The first view is at `/console` itself. */
  path: string;
  name: string;
  group: 'Monitor' | 'Build' | 'Integrate' | 'Agency';
  /** The path of an icon that is 16 pixels wide and high. */
  icon: string;
  /** A key with this scope sees the view. */
  scope: Scope;
  /** The view is about one agent: the links to it keep the filter `agentId`. */
  isOfAgent?: true;
  Content: ComponentType;
  /** Loads the file of the view before it is opened. */
  load(): Promise<unknown>;
};

const inFile = (load: () => Promise<{ default: ComponentType }>) => ({ load, Content: lazy(load) });

const inAdministration = (name: 'Changes' | 'Clients' | 'Keys' | 'Webhooks') =>
  inFile(async () => ({ default: (await import('./administration.ts'))[name] }));

/** A deployment may have no chat: the build of the pages says so. */
declare const hasChat: boolean;

/** The views of the console, in the order of the navigation. Their files are loaded when the page is idle, or when a view is first opened. */
export const views: View[] = [
  {
    path: '',
    name: 'Overview',
    group: 'Monitor',
    scope: 'calls',
    icon: 'M3 13V8.5M8 13V3m5 10V6',
    ...inFile(() => import('./overview/overview.tsx')),
  },
  {
    path: 'calls',
    name: 'Calls',
    group: 'Monitor',
    scope: 'calls',
    isOfAgent: true,
    icon: 'M4.2 2.5h2.3l1.2 3-1.6 1.1a8 8 0 0 0 3.3 3.3l1.1-1.6 3 1.2v2.3a1.5 1.5 0 0 1-1.6 1.5A11 11 0 0 1 2.7 4.1a1.5 1.5 0 0 1 1.5-1.6z',
    ...inFile(() => import('./calls/calls.tsx')),
  },
  {
    path: 'changes',
    name: 'Changes',
    group: 'Monitor',
    scope: 'changes',
    icon: 'M8 4.5V8l2.5 1.5M14 8A6 6 0 1 1 2 8a6 6 0 0 1 12 0z',
    ...inAdministration('Changes'),
  },
  {
    path: 'agents',
    name: 'Agents',
    group: 'Build',
    scope: 'agents',
    icon: 'M2.5 9.5V8a5.5 5.5 0 0 1 11 0v1.5M2.5 9.5h2.5V13H3.5a1 1 0 0 1-1-1zm11 0H11V13h1.5a1 1 0 0 0 1-1z',
    ...inFile(() => import('./agents/agents.tsx')),
  },
  {
    path: 'knowledge',
    name: 'Knowledge',
    group: 'Build',
    scope: 'knowledge',
    isOfAgent: true,
    icon: 'M8 4.2C6.5 3 4.4 2.7 2 2.8v9.7c2.4-.1 4.5.2 6 1.4 1.5-1.2 3.6-1.5 6-1.4V2.8c-2.4-.1-4.5.2-6 1.4zm0 0v9.7',
    ...inFile(() => import('./knowledge/knowledge.tsx')),
  },
  {
    path: 'numbers',
    name: 'Numbers',
    group: 'Build',
    scope: 'block-list',
    icon: 'M6 2.5 4.7 13.5m6.6-11L10 13.5M2.5 6h11.5M2 10h11.5',
    ...inFile(() => import('./numbers/numbers.tsx')),
  },
  ...(hasChat
    ? [
        {
          path: 'chat',
          name: 'Chat',
          group: 'Build',
          scope: 'agents',
          icon: 'M2.5 3h11v8H7.5l-3 2.5V11h-2z',
          ...inFile(() => import('./chat/chat.tsx')),
        } as const,
      ]
    : []),
  {
    path: 'webhooks',
    name: 'Webhooks',
    group: 'Integrate',
    scope: 'webhooks',
    icon: 'M2.5 8H11M7.5 4.5 11 8l-3.5 3.5M13.5 3v10',
    ...inAdministration('Webhooks'),
  },
  {
    path: 'keys',
    name: 'Keys',
    group: 'Integrate',
    scope: 'keys',
    icon: 'M5.5 13.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zm2.2-5.2 5.8-5.8m-2.3 2.3 2 2',
    ...inAdministration('Keys'),
  },
  {
    path: 'clients',
    name: 'Clients',
    group: 'Agency',
    scope: 'users',
    icon: 'M6 8a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5zm-4.5 5.5a4.5 4.5 0 0 1 9 0m0-10.3a2.5 2.5 0 0 1 0 4.6m2 1.7a4.5 4.5 0 0 1 2 4',
    ...inAdministration('Clients'),
  },
];
