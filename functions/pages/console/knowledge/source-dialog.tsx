import { useState } from 'react';
import type { Result } from '../../../openapi/client/client.ts';
import { setFilters } from '../address.tsx';
import { DeleteDialog, Dialog } from '../components/dialog.tsx';
import { ChangeButton, Form, type Texts } from '../components/form.tsx';
import { Empty, Failed, Skeleton } from '../components/parts.tsx';
import { Failures } from '../components/report.tsx';
import { Facts, Status, Time } from '../components/values.tsx';
import { formatBytes, formatNumber } from '../formats.ts';
import { useChange } from '../service.tsx';
import { RefreshField } from './refresh-field.tsx';
import { describeState, isUnderWay, type Source } from './sources.ts';

const close = () => setFilters({ sourceId: undefined });

type SourceDialogProps = { source: Source | undefined; isLoading: boolean; error: Error | null };

/** A website or a document: its content and its actions. */
export const SourceDialog = ({ source, isLoading, error }: SourceDialogProps) => {
  const [isDeleting, setDeleting] = useState(false);
  if (source && isDeleting) return <Deletion source={source} onClose={() => setDeleting(false)} />;
  return (
    <Dialog title={source?.name ?? 'Source'} isWide onClose={close}>
      {source ? (
        <Details source={source} onDelete={() => setDeleting(true)} />
      ) : error ? (
        <Failed error={error} />
      ) : isLoading ? (
        <Skeleton rows={4} />
      ) : (
        <Empty title="The agent has no such source">It may have been deleted.</Empty>
      )}
    </Dialog>
  );
};

const Details = ({ source, onDelete }: { source: Source; onDelete(): void }) => {
  return (
    <div className="stack">
      <p role="status">
        <Status {...describeState(source)} />
      </p>
      {source.error && <p className="problem">{source.error}</p>}
      {source.warnings && (
        <section>
          <h3>Missing in the text</h3>
          <ul>
            {source.warnings.map(({ message }) => (
              <li key={message}>{message}</li>
            ))}
          </ul>
        </section>
      )}
      <Facts facts={listFacts(source)} />
      {source.kind === 'website' && <RefreshPeriod key={source.refreshEvery} source={source} />}
      {source.kind === 'website' && source.failedPages.length > 0 && (
        <section>
          <h3>Pages that could not be read</h3>
          <Failures
            caption="Pages that could not be read"
            what="Page"
            failures={source.failedPages.map(({ url, reason }) => ({ what: url, why: reason }))}
          />
        </section>
      )}
      <div className="buttons">
        <ReadAgain source={source} />
        {source.kind === 'document' && source.fileUrl && (
          <a className="quiet" href={source.fileUrl}>
            Download the file
          </a>
        )}
        <button type="button" className="quiet warns" onClick={onDelete}>
          Delete
        </button>
      </div>
    </div>
  );
};

const listFacts = (source: Source) =>
  source.kind === 'website'
    ? {
        Address: source.url,
        'Pages read': formatNumber(source.pages),
        'Pages at most': formatNumber(source.limit),
        'Links deep at most': formatNumber(source.maxDepth),
        'Only paths': source.includePaths.join(', ') || undefined,
        'Without paths': source.excludePaths.join(', ') || undefined,
        'Last read': source.lastCrawledAt && <Time at={source.lastCrawledAt} />,
        'Read again': source.nextRefreshAt && <Time at={source.nextRefreshAt} />,
        Changed: <Time at={source.lastUpdatedAt} />,
        By: source.lastUpdatedBy,
      }
    : {
        Kind: source.type?.toUpperCase(),
        Size: source.size === undefined ? undefined : formatBytes(source.size),
        Changed: <Time at={source.lastUpdatedAt} />,
        By: source.lastUpdatedBy,
      };

/** Changes how often a website is read again. */
const RefreshPeriod = ({ source: { agentId, id, refreshEvery } }: { source: Source & { kind: 'website' } }) => {
  const change = useChange(
    (api, options, texts: Texts) =>
      api.websites.update({ agentId, websiteId: id, refreshEvery: Number(texts.refreshEvery) || null }, options),
    { changes: [['knowledge', agentId]], done: () => 'The period is saved.' },
  );
  return (
    <Form change={change} submit="Save the period" pending="Saving …">
      <RefreshField days={refreshEvery} />
    </Form>
  );
};

/** Reads the pages of a website again, or retries a failed document. */
const ReadAgain = ({ source: { kind, id, agentId, status } }: { source: Source }) => {
  const change = useChange(
    async (api, options): Promise<Result<object>> =>
      kind === 'website'
        ? api.websites.refresh({ agentId, websiteId: id }, options)
        : api.documents.retry({ agentId, documentId: id }, options),
    { changes: [['knowledge', agentId]], done: () => 'It is read again in the background.' },
  );
  if (kind === 'document' && status !== 'failed') return null;
  return (
    <ChangeButton change={change} isDisabled={isUnderWay({ status })}>
      {kind === 'website' ? 'Read the pages again' : 'Try again'}
    </ChangeButton>
  );
};

const Deletion = ({ source: { kind, id, agentId, name }, onClose }: { source: Source; onClose(): void }) => (
  <DeleteDialog
    what={`the ${kind}`}
    name={name}
    consequence="The agent no longer answers from it. Its text and its file are deleted at once, and cannot be restored."
    remove={(api): Promise<Result<object>> =>
      kind === 'website'
        ? api.websites.delete({ agentId, websiteId: id })
        : api.documents.delete({ agentId, documentId: id })
    }
    changes={[['knowledge', agentId]]}
    onDeleted={close}
    onClose={onClose}
  />
);
