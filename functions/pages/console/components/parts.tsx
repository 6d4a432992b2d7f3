import type { UseQueryResult } from '@tanstack/react-query';
import { type ReactNode, useState } from 'react';
import { describeFailure, isWorthRepeating } from '../service.tsx';

type SectionProps = { title: string; isView?: boolean; actions?: ReactNode; children: ReactNode };

/** A part of a view, or the whole of it: its heading, its actions and its content. */
export const Section = ({ title, isView = false, actions, children }: SectionProps) => (
  <section className={isView ? 'stack' : 'stack section'}>
    <div className="heading">
      {isView ? <h1>{title}</h1> : <h2>{title}</h2>}
      {actions && <div className="buttons">{actions}</div>}
    </div>
    {children}
  </section>
);

/** Gray bars in place of content that is loading. */
export const Skeleton = ({ rows = 3, label = 'Loading …' }: { rows?: number; label?: string }) => (
  <div className="skeleton" role="status">
    <span className="visually-hidden">{label}</span>
    {Array.from({ length: rows }, (_, index) => (
      // biome-ignore lint/suspicious/noArrayIndexKey: the bars are all alike
      <i key={index} />
    ))}
  </div>
);

type FailedProps = { error: Error; message?: string | undefined; onRetry?: (() => void) | undefined };

/** Shows the error, with a way to continue if the same request may succeed later. */
export const Failed = ({ error, message = describeFailure(error), onRetry }: FailedProps) => (
  <div className="failed" role="alert">
    <p>{message}</p>
    {onRetry && isWorthRepeating(error) && (
      <button type="button" className="quiet" onClick={onRetry}>
        Try again
      </button>
    )}
  </div>
);

/** Shows that there are no items, and what to do next. */
export const Empty = ({ title, children }: { title: string; children?: ReactNode }) => (
  <div className="empty">
    <h2>{title}</h2>
    {children && <div>{children}</div>}
  </div>
);

/** What is shown on demand. It is rendered once it is opened. */
export const Details = ({ title, children }: { title: string; children: ReactNode }) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setOpen(currentTarget.open)}>
      <summary>{title}</summary>
      {isOpen && children}
    </details>
  );
};

type LoadedProps<Data> = { query: UseQueryResult<Data>; rows?: number; children(data: Data): ReactNode };

/** Shows the data, gray bars until they are read, and a failure with a way to continue. Data from before a failure stay. */
export const Loaded = <Data,>({ query, rows, children }: LoadedProps<Data>) => {
  const { data, error, refetch } = query;
  return (
    <>
      {error && <Failed error={error} onRetry={() => void refetch()} />}
      {data === undefined ? !error && <Skeleton rows={rows ?? 3} /> : children(data)}
    </>
  );
};
