import type { UIMessage } from 'ai';

/** What this tab keeps across reloads, and forgets when it is closed. */
type Stored = {
  /** Empty once the user has removed it. */
  apiKey: string;
  conversation: { id: string; messages: UIMessage[]; scrollTop?: number | undefined; draft?: string };
};

export const load = <K extends keyof Stored>(name: K): Stored[K] | undefined => {
  try {
    return JSON.parse(sessionStorage.getItem(name) ?? 'null') ?? undefined;
  } catch {
    return undefined;
  }
};

/** A browser that stores nothing loses no more than the reload. */
export const save = <K extends keyof Stored>(name: K, value: Stored[K]): void => {
  try {
    sessionStorage.setItem(name, JSON.stringify(value));
  } catch {}
};

export const forget = (name: keyof Stored): void => sessionStorage.removeItem(name);
