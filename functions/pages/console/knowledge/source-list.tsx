import type { UseQueryResult } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import { type ApiClient, dataOf, type RequestOptions, type Result } from '../../../openapi/client/client.ts';
import { NameLink, useAddress } from '../address.tsx';
import { DialogButton } from '../components/dialog.tsx';
import { Switch } from '../components/fields.tsx';
import { News } from '../components/news.tsx';
import { type Column, Table } from '../components/paged-table.tsx';
import { Empty, Loaded, Section } from '../components/parts.tsx';
import { Status, Time } from '../components/values.tsx';
import { formatBytes, formatNumber } from '../formats.ts';
import { useChange, useRead, useReadAgain } from '../service.tsx';
import { AddWebsiteDialog } from './add-website-dialog.tsx';
import { SourceDialog } from './source-dialog.tsx';
import { describeState, isUnderWay, type Source } from './sources.ts';
import { UploadDialog } from './upload-dialog.tsx';

/** The polling interval of the sources while one of them is in progress. */
const pollMilliseconds = 2000;

const keyOf = ({ id }: { id: string }) => id;

const poll = (sources: Pick<Source, 'status'>[] | undefined) => sources?.some(isUnderWay) === true && pollMilliseconds;

/** The websites and documents of an agent, and one of them with its actions. */
export const Sources = ({ agentId }: { agentId: string }) => {
  const { sourceId } = useAddress().filters;
  const search = { agentId, content: false } as const;
  const readWebsites = (api: ApiClient, options: RequestOptions) => api.websites.list(search, options);
  const readDocuments = (api: ApiClient, options: RequestOptions) => api.documents.list(search, options);
  const websites = useRead(['knowledge', agentId, 'websites'], readWebsites, {
    refetchInterval: (data) => poll(data?.websites),
  });
  const documents = useRead(['knowledge', agentId, 'documents'], readDocuments, {
    refetchInterval: (data) => poll(data?.documents),
  });
  const found: Source[] = [
    ...(websites.data?.websites ?? []).map((website) => ({ kind: 'website' as const, ...website })),
    ...(documents.data?.documents ?? []).map((document) => ({ kind: 'document' as const, ...document })),
  ];
  // A search has what was read when it was made.
  useReadAgain([['knowledge', agentId, 'search']], found.length > 0 && !found.some(isUnderWay));
  const chosen = found.find(({ id }) => id === sourceId);
  return (
    <>
      <SourceSection
        title="Websites"
        query={websites}
        sources={found.filter(({ kind }) => kind === 'website')}
        empty="This agent has no website yet"
        advice="Add the address of a site: its pages are read in the background, and the agent answers from them."
      >
        <News
          list={['knowledge', agentId, 'websites']}
          keyOf={keyOf}
          one="new website"
          several="new websites"
          isEnabled={websites.isSuccess}
          shown={websites.data?.websites ?? []}
          read={async (api, options) => dataOf(await readWebsites(api, options)).websites}
        />
        <DialogButton label="Add a website">
          {(onClose) => <AddWebsiteDialog agentId={agentId} onClose={onClose} />}
        </DialogButton>
      </SourceSection>
      <SourceSection
        title="Documents"
        query={documents}
        sources={found.filter(({ kind }) => kind === 'document')}
        empty="This agent has no document yet"
        advice="Upload PDF, Word or text files: their text is read in the background, and the agent answers from it."
      >
        <News
          list={['knowledge', agentId, 'documents']}
          keyOf={keyOf}
          one="new document"
          several="new documents"
          isEnabled={documents.isSuccess}
          shown={documents.data?.documents ?? []}
          read={async (api, options) => dataOf(await readDocuments(api, options)).documents}
        />
        <DialogButton label="Upload documents">
          {(onClose) => <UploadDialog agentId={agentId} onClose={onClose} />}
        </DialogButton>
      </SourceSection>
      {sourceId && (
        <SourceDialog
          source={chosen}
          isLoading={!(websites.data && documents.data)}
          error={websites.error ?? documents.error}
        />
      )}
    </>
  );
};

type SectionProps = {
  title: string;
  query: UseQueryResult<{ nextCursor?: string }>;
  sources: Source[];
  /** The title and the advice in place of a source. */
  empty: string;
  advice: string;
  /** The button that adds a source. */
  children: ReactNode;
};

/** The sources of a kind. */
const SourceSection = ({ title, query, sources, empty, advice, children }: SectionProps) => (
  <Section title={title} actions={children}>
    <Loaded query={query} rows={3}>
      {({ nextCursor }) => (
        <>
          <Table
            caption={title}
            items={sources}
            keyOf={keyOf}
            columns={columns}
            empty={<Empty title={empty}>{advice}</Empty>}
          />
          {nextCursor && (
            <p className="faint">There are more sources than are shown here. The API lists all of them.</p>
          )}
        </>
      )}
    </Loaded>
  </Section>
);

/** Returns the problem of a source: its error, the number of pages that could not be read, or what is missing in its text. */
const describeProblem = (source: Source): string | undefined => {
  if (source.error) return source.error;
  const count = source.kind === 'website' ? source.failedPages.length : 0;
  if (count > 0) return `Pages that could not be read: ${formatNumber(count)}.`;
  return source.warnings?.map(({ message }) => message).join(' ');
};

const State = ({ source }: { source: Source }) => {
  const problem = describeProblem(source);
  return (
    <>
      <Status {...describeState(source)} />
      {problem && <p className="faint">{problem}</p>}
    </>
  );
};

/** Enables or disables a source. */
const Use = ({ source }: { source: Source }) => {
  const { kind, id, agentId, name, active } = source;
  const { mutate, isPending } = useChange(
    async (api, options, active: boolean): Promise<Result<Pick<Source, 'active'>>> =>
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
  { heading: 'Name', isLong: true, cell: ({ id, name }) => <NameLink filters={{ sourceId: id }} name={name} /> },
  { heading: 'State', isLong: true, cell: (source) => <State source={source} /> },
  { heading: 'Size', isNumber: true, cell: describeSize },
  { heading: 'Changed', cell: ({ lastUpdatedAt }) => <Time at={lastUpdatedAt} /> },
  { heading: 'In use', cell: (source) => <Use source={source} /> },
];
