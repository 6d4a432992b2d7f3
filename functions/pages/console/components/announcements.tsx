import { useSyncExternalStore } from 'react';

const shownMilliseconds = 6000;

let text = '';
let timer: ReturnType<typeof setTimeout> | undefined;
const listeners = new Set<() => void>();

const show = (sentence: string) => {
  text = sentence;
  for (const listener of listeners) listener();
};

/** Shows a sentence for some seconds, and has a screen reader read it. */
export const announce = (sentence: string): void => {
  clearTimeout(timer);
  timer = setTimeout(() => show(''), shownMilliseconds);
  show(sentence);
};

const subscribe = (listener: () => void) => {
  listeners.add(listener);
  return () => listeners.delete(listener);
};

/** The place of announcements. */
export const Announcements = () => (
  <p className="announcement" role="status">
    {useSyncExternalStore(subscribe, () => text)}
  </p>
);
