import { Table } from './paged-table.tsx';

type Failure = { what: string; why: string };
type FailuresProps = {
  caption: string /** The heading of what failed, such as “File”. */;
  what: string;
  failures: Failure[];
};

/** What failed of several, each with its reason. */
export const Failures = ({ caption, what, failures }: FailuresProps) => (
  <Table
    caption={caption}
    items={failures}
    keyOf={(_, index) => String(index)}
    columns={[
      { heading: what, isLong: true, cell: ({ what }) => <bdi>{what}</bdi> },
      { heading: 'Why', isLong: true, cell: ({ why }) => why },
    ]}
  />
);

type ReportProps = FailuresProps & { text: string; problem?: string | undefined; onDone(): void };

/** What a change of several things did, and what failed. */
export const Report = ({ text, problem, onDone, ...failures }: ReportProps) => (
  <div className="stack">
    <p>{text}</p>
    {problem && <p className="problem">{problem}</p>}
    {failures.failures.length > 0 && <Failures {...failures} />}
    <div className="buttons">
      <button type="button" onClick={onDone}>
        Done
      </button>
    </div>
  </div>
);
