import type { ReactNode } from 'react';

export type Tone = 'good' | 'bad' | 'working' | 'off';

/** A state in a word, with a dot of its color. */
export const Status = ({ tone, children }: { tone: Tone; children: ReactNode }) => (
  <span className={`status ${tone}`}>{children}</span>
);
