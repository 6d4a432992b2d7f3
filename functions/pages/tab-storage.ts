import type { UIMessage } from 'ai';
import type { AgentDraft } from './console/agents/agent-fields.ts';

/** Data of this tab. They survive a reload and end with the tab. */
type Stored = {
  /** Empty once the user has removed it. */
  apiKey: string;
  /** When the page was last loaded again because a file of it was missing (Unix milliseconds). */
  reloadedAt: number;
  /** An edit of an agent in the console that is not saved, by the agent's id. */
  [draft: `draft:${string}`]: AgentDraft;
  /** The client whose console a maker has opened in this tab, and the end of the key. */
  visit: { name: string; until: string };
  conversation: { id: string; messages: UIMessage[]; scrollTop?: number | undefined; draft?: string };
};

export const load = <K extends keyof Stored>(name: K): Stored[K] | undefined => {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
};

/** Saves a value. In a browser without storage, a reload loses it. */
export const save = <K extends keyof Stored>(name: K, value: Stored[K]): void => {
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch {}
};

/** Opens a page of the console in a new tab with data of its own. A new tab begins with a copy of this one's, which are set aside. */
export const openTab = (href: string, data: Partial<Stored>): void => {
  const own = Object.entries(sessionStorage);
  sessionStorage.clear();
  for (const [name, value] of Object.entries(data)) sessionStorage.setItem(name, JSON.stringify(value));
  window.open(href, '_blank');
  sessionStorage.clear();
  for (const [name, value] of own) sessionStorage.setItem(name, value);
};

export const forget = (name: keyof Stored): void => sessionStorage.removeItem(name);
