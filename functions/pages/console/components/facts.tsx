import type { ReactNode } from 'react';

/** Facts with their names. Undefined facts are left out. */
export const Facts = ({ facts }: { facts: Record<string, ReactNode> }) => (
  <dl className="facts">
    {Object.entries(facts).map(
      ([name, value]) =>
        value !== undefined && (
          <div key={name}>
            <dt>{name}</dt>
            <dd dir="auto">{value}</dd>
          </div>
        ),
    )}
  </dl>
);
