import { useState } from 'react';
import type { Erasure, PersonExport } from '../../../openapi/client/client.ts';
import { setFilters, useAddress } from '../address.tsx';
import { DeleteDialog, DialogButton } from '../components/dialog.tsx';
import { Choice } from '../components/fields.tsx';
import { ChangeButton } from '../components/form.tsx';
import { Failed, Loaded, Section } from '../components/parts.tsx';
import { Facts, Status, Time } from '../components/values.tsx';
import { formatBytes, formatNumber } from '../formats.ts';
import { getErrorCode, useChange, useRead, useReadAgain, useService } from '../service.tsx';

const pollMilliseconds = 1500;

const states = {
  pending: { tone: 'working', label: 'Waiting' },
  running: { tone: 'working', label: 'In progress' },
  done: { tone: 'good', label: 'Done' },
  failed: { tone: 'bad', label: 'Failed' },
} as const;

const pollWhileUnderWay = (job: { status: string } | undefined) =>
  job?.status === 'pending' || job?.status === 'running' ? pollMilliseconds : false;

/** What there is of a person as a file, and its erasure. */
export const PersonData = ({ number }: { number: string }) => {
  const { exportId, erasureId } = useAddress().filters;
  const { scopes } = useService();
  const exporting = useChange((api, options) => api.personExports.create({ number }, options), {
    changes: [],
    done: () => 'The export has begun.',
  });
  const begin = { ...exporting, mutate: () => exporting.mutate(undefined, { onSuccess: showExport }) };
  if (!scopes.includes('privacy')) return null;
  return (
    <Section
      title="This person’s data"
      actions={
        <>
          <ChangeButton change={begin} className="quiet">
            Export this person’s data
          </ChangeButton>
          <DialogButton label="Erase" fullLabel={`Erase ${number}`} className="quiet warns">
            {(onClose) => <EraseDialog number={number} onClose={onClose} />}
          </DialogButton>
        </>
      }
    >
      {!exportId && !erasureId && (
        <p className="faint">
          All data of this person in one file: calls, transcripts, entries and rules of block lists, consents and call
          attempts. <a href="/docs/personal-data">About personal data</a>
        </p>
      )}
      {exportId && <Export exportId={exportId} />}
      {erasureId && <ErasureProgress erasureId={erasureId} />}
    </Section>
  );
};

const showExport = ({ exportId }: { exportId: string }) => setFilters({ exportId }, { replace: true });

const formatCounts = ({ calls, blockedNumbers, consents }: Erasure['erased']) =>
  `${formatNumber(calls)} calls, ${formatNumber(blockedNumbers)} entries of block lists, ${formatNumber(consents)} consents`;

const formatExportCounts = ({ transcripts, rules, attempts, ...counts }: PersonExport['counts']) =>
  `${formatCounts(counts)}, ${formatNumber(transcripts)} transcripts, ${formatNumber(rules)} rules, ${formatNumber(attempts)} attempts`;

const Export = ({ exportId }: { exportId: string }) => {
  const query = useRead(['person-export', exportId], (api, options) => api.personExports.get({ exportId }, options), {
    refetchInterval: pollWhileUnderWay,
  });
  if (getErrorCode(query.error) === 'not_found') {
    return <p className="faint">The exported file is deleted. Export the data again.</p>;
  }
  return <Loaded query={query}>{(found) => <ExportFacts {...found} />}</Loaded>;
};

const ExportFacts = ({ status, counts, url, bytes = 0, createdAt, expiresAt, error }: PersonExport) => (
  <div className="card" aria-live="polite">
    {error && <p className="problem">{error}</p>}
    <Facts
      facts={{
        Export: <Status {...states[status]} />,
        Requested: <Time at={createdAt} />,
        'In the file': status === 'done' ? formatExportCounts(counts) : undefined,
        'Kept until': expiresAt && <Time at={expiresAt} />,
      }}
    />
    {url && (
      <a className="button" href={url} download>
        Download the file ({formatBytes(bytes)})
      </a>
    )}
    {status === 'done' && !url && <p>There is nothing of this person.</p>}
  </div>
);

const ErasureProgress = ({ erasureId }: { erasureId: string }) => {
  const query = useRead(['erasure', erasureId], (api, options) => api.erasures.get({ erasureId }, options), {
    refetchInterval: pollWhileUnderWay,
  });
  useReadAgain([['numbers'], ['calls']], query.data?.status === 'done');
  return (
    <Loaded query={query}>
      {({ status, erased, requestedAt, error }) => (
        <div className="card" aria-live="polite">
          {error && <p className="problem">{error}</p>}
          <Facts
            facts={{
              Erasure: <Status {...states[status]} />,
              Requested: <Time at={requestedAt} />,
              Erased: formatCounts(erased),
            }}
          />
        </div>
      )}
    </Loaded>
  );
};

/** Erases a person, after it says what there is. */
const EraseDialog = ({ number, onClose }: { number: string; onClose(): void }) => {
  const [blockList, setBlockList] = useState<'keep' | 'remove'>('keep');
  const found = useRead(['numbers', 'erasable', number], (api, options) =>
    api.erasures.create({ number, dryRun: true }, options),
  );
  return (
    <DeleteDialog
      what="this person"
      verb="Erase"
      name={number}
      consequence="The calls with the number, its consents and their proofs are erased in the background, for all your agents. This cannot be undone."
      remove={(api, options) => api.erasures.create({ number, blockList }, options)}
      changes={[['numbers']]}
      done="The erasure has begun."
      onDeleted={({ erasureId }) => setFilters({ erasureId, exportId: undefined }, { replace: true })}
      onClose={onClose}
    >
      {found.error ? (
        <Failed error={found.error} />
      ) : (
        <p>{found.data ? `Found: ${formatCounts(found.data.found)}.` : 'Counting …'}</p>
      )}
      <Choice
        label="Blocks and revocations"
        options={[
          { value: 'keep', label: 'Keep them without reason and proof: the person stays blocked' },
          { value: 'remove', label: 'Remove them, too' },
        ]}
        value={blockList}
        onChange={(value) => setBlockList(value as 'keep' | 'remove')}
      />
    </DeleteDialog>
  );
};
