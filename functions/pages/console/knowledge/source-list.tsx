import { type ReactNode, useState } from 'react';
import type { Result } from '../../../openapi/client/client.ts';
import { Link, useAddress } from '../address.tsx';
import { type Column, Table } from '../components/paged-table.tsx';
import { Section } from '../components/section.tsx';
import { Empty, Loaded } from '../components/states.tsx';
import { Status } from '../components/status.tsx';
import { Switch } from '../components/switch.tsx';
import { Time } from '../components/time.tsx';
import { formatBytes, formatNumber } from '../formats.ts';
import { useChange, useRead, useReadAgain, useService } from '../service.tsx';
import { AddWebsiteDialog } from './add-website-dialog.tsx';
import { SourceDialog } from './source-dialog.tsx';
import { describeState, isUnderWay, type Source } from './sources.ts';
import { UploadDialog } from './upload-dialog.tsx';

/** The polling interval of the sources while one of them is in progress. */
const pollMilliseconds = 2000;

/** The websites and documents of an agent, and one of them with its actions. */
export const Sources = ({ agentId }: { agentId: string }) => {
  const { api } = useService();
  const { sourceId } = useAddress().filters;
  const [adding, setAdding] = useState<'website' | 'files'>();
  const poll = (sources: Pick<Source, 'status'>[] | undefined) =>
    sources?.some(isUnderWay) === true && pollMilliseconds;
  const search = { agentId, content: false } as const;
  const websites = useRead(['knowledge', agentId, 'websites'], (options) => api.websites.list(search, options), {
    refetchInterval: (data) => poll(data?.websites),
  });
  const documents = useRead(['knowledge', agentId, 'documents'], (options) => api.documents.list(search, options), {
    refetchInterval: (data) => poll(data?.documents),
  });
  const found: Source[] = [
    ...(websites.data?.websites ?? []).map((website) => ({ kind: 'website' as const, ...website })),
    ...(documents.data?.documents ?? []).map((document) => ({ kind: 'document' as const, ...document })),
  ];
  // A search has what was read when it was made.
  useReadAgain([['knowledge', agentId, 'search']], found.length > 0 && !found.some(isUnderWay));
  const chosen = found.find(({ id }) => id === sourceId);
  const close = () => setAdding(undefined);
  return (
    <>
      <Section
        title="Websites"
        actions={
          <button type="button" onClick={() => setAdding('website')}>
            Add a website
          </button>
        }
      >
        <Loaded query={websites} rows={3}>
          {({ nextCursor }) => (
            <SourceTable
              caption="Websites"
              sources={found.filter(({ kind }) => kind === 'website')}
              isPart={nextCursor !== undefined}
              empty={
                <Empty title="This agent has no website yet">
                  <p>
                    Add the address of a site: its pages are read in the background, and the agent answers from them.
                  </p>
                </Empty>
              }
            />
          )}
        </Loaded>
      </Section>
      <Section
        title="Documents"
        actions={
          <button type="button" onClick={() => setAdding('files')}>
            Upload documents
          </button>
        }
      >
        <Loaded query={documents} rows={3}>
          {({ nextCursor }) => (
            <SourceTable
              caption="Documents"
              sources={found.filter(({ kind }) => kind === 'document')}
              isPart={nextCursor !== undefined}
              empty={
                <Empty title="This agent has no document yet">
                  <p>
                    Upload PDF, Word or text files: their text is read in the background, and the agent answers from it.
                  </p>
                </Empty>
              }
            />
          )}
        </Loaded>
      </Section>
      {sourceId && (
        <SourceDialog
          source={chosen}
          isLoading={!(websites.data && documents.data)}
          error={websites.error ?? documents.error}
        />
      )}
      {adding === 'website' && <AddWebsiteDialog agentId={agentId} onClose={close} />}
      {adding === 'files' && <UploadDialog agentId={agentId} onClose={close} />}
    </>
  );
};

type SourceTableProps = { caption: string; sources: Source[]; isPart: boolean; empty: ReactNode };

const SourceTable = ({ caption, sources, isPart, empty }: SourceTableProps) => (
  <>
    <Table caption={caption} items={sources} keyOf={({ id }) => id} columns={columns} empty={empty} />
    {isPart && <p className="faint">There are more sources than are shown here. The API lists all of them.</p>}
  </>
);

const Name = ({ source: { id, name } }: { source: Source }) => (
  <Link view="knowledge" filters={{ ...useAddress().filters, sourceId: id }}>
    <bdi>{name}</bdi>
  </Link>
);

/** Returns the problem of a source: its error, the number of pages that could not be read, or what is missing in its text. */
const describeProblem = (source: Source): string | undefined => {
  if (source.error) return source.error;
  const count = source.kind === 'website' ? source.failedPages.length : 0;
  if (count > 0) return `Pages that could not be read: ${formatNumber(count)}.`;
  return source.warnings?.map(({ message }) => message).join(' ');
};

const State = ({ source }: { source: Source }) => {
  const { tone, label } = describeState(source);
  const problem = describeProblem(source);
  return (
    <>
      <Status tone={tone}>{label}</Status>
      {problem && <p className="faint">{problem}</p>}
    </>
  );
};

/** Enables or disables a source. */
const Use = ({ source }: { source: Source }) => {
  const { api } = useService();
  const { kind, id, agentId, name, active } = source;
  const { mutate, isPending } = useChange(
    async (active: boolean, options): Promise<Result<Pick<Source, 'active'>>> =>
      kind === 'website'
        ? api.websites.update({ agentId, websiteId: id, active }, options)
        : api.documents.update({ agentId, documentId: id, active }, options),
    {
      changes: [['knowledge', agentId]],
      done: ({ active }) => `${name} is ${active ? 'used by the agent' : 'not used by the agent'}.`,
    },
  );
  return <Switch label={`Use ${name}`} isOn={active} isDisabled={isPending} onChange={mutate} />;
};

const describeSize = (source: Source) => {
  if (source.kind === 'website') return source.pages === 1 ? '1 page' : `${formatNumber(source.pages)} pages`;
  return source.size === undefined ? undefined : formatBytes(source.size);
};

const columns: Column<Source>[] = [
  { heading: 'Name', isLong: true, cell: (source) => <Name source={source} /> },
  { heading: 'State', isLong: true, cell: (source) => <State source={source} /> },
  { heading: 'Size', isNumber: true, cell: describeSize },
  { heading: 'Changed', cell: ({ lastUpdatedAt }) => <Time at={lastUpdatedAt} /> },
  { heading: 'In use', cell: (source) => <Use source={source} /> },
];
