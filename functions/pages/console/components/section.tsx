import type { ReactNode } from 'react';

/** A part of a view: its heading, its actions and its content. */
export const Section = ({ title, actions, children }: { title: string; actions?: ReactNode; children: ReactNode }) => (
  <section className="stack section">
    <div className="heading">
      <h2>{title}</h2>
      {actions && <div className="buttons">{actions}</div>}
    </div>
    {children}
  </section>
);
