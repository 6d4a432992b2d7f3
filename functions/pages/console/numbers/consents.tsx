import type { Consent } from '../../../openapi/client/client.ts';
import { useAgentChoices } from '../components/agent-filter.tsx';
import { DialogButton } from '../components/dialog.tsx';
import { type Column, PagedTable, Table } from '../components/paged-table.tsx';
import { Empty, Failed, Section } from '../components/parts.tsx';
import { By, Status, Time, type Tone } from '../components/values.tsx';
import { usePages, useRead } from '../service.tsx';
import { channels } from './channels.ts';
import { ConsentDialog } from './consent-dialog.tsx';

/** What a person has consented to, and what proves it. */
export const Consents = ({ number }: { number: string }) => {
  const pages = usePages(['numbers', 'consents', number], (api, options, cursor) =>
    api.consents.list({ number, limit: 50, cursor }, options),
  );
  const recorded = pages.data?.pages.flatMap(({ consents }) => consents.map(({ purpose }) => purpose)) ?? [];
  const required = useAgentChoices().data?.flatMap(
    ({ configuration }) => configuration.calling?.consent?.purpose ?? [],
  );
  const purposes = [...new Set([...recorded, ...(required ?? [])])].filter((purpose) => purpose !== '*').toSorted();
  return (
    <Section
      title="Consents"
      actions={
        <>
          <DialogButton label="Record a consent" className="quiet">
            {(onClose) => <ConsentDialog number={number} state="given" purposes={purposes} onClose={onClose} />}
          </DialogButton>
          <DialogButton label="Revoke" fullLabel="Revoke a consent" className="quiet">
            {(onClose) => <ConsentDialog number={number} state="revoked" purposes={purposes} onClose={onClose} />}
          </DialogButton>
        </>
      }
    >
      {purposes.length > 0 && (
        <Table
          caption="Purposes"
          items={purposes.map((purpose) => ({ number, purpose }))}
          keyOf={({ purpose }) => purpose}
          columns={columnsOfPurposes}
        />
      )}
      <PagedTable
        caption="History of consents"
        pages={pages}
        itemsOf={({ consents }) => consents}
        keyOf={({ consentId }) => consentId}
        columns={columns}
        empty={
          <Empty title="Nothing is recorded of this person">
            An agent whose rules ask for a consent does not call it:{' '}
            <a href="/docs/consent-and-disclosure">about consent</a>.
          </Empty>
        }
      />
    </Section>
  );
};

type Purpose = { number: string; purpose: string };

const states: Record<'given' | 'revoked' | 'expired' | 'none', { tone: Tone; label: string }> = {
  given: { tone: 'good', label: 'Given' },
  revoked: { tone: 'bad', label: 'Revoked' },
  expired: { tone: 'off', label: 'Over' },
  none: { tone: 'off', label: 'Never given' },
};

const useConsent = ({ number, purpose }: Purpose) =>
  useRead(['numbers', 'consent', number, purpose], (api, options) => api.consents.check({ number, purpose }, options));

const State = (purpose: Purpose) => {
  const { data, error, refetch } = useConsent(purpose);
  if (error) return <Failed error={error} onRetry={() => void refetch()} />;
  return data && <Status {...states[data.state]} />;
};

const Since = (purpose: Purpose) => {
  const at = useConsent(purpose).data?.at;
  return at && <Time at={at} />;
};

const Until = (purpose: Purpose) => {
  const at = useConsent(purpose).data?.expiresAt;
  return at && <Time at={at} />;
};

const columnsOfPurposes: Column<Purpose>[] = [
  { heading: 'Purpose', cell: ({ purpose }) => <code>{purpose}</code> },
  { heading: 'Now', cell: (purpose) => <State {...purpose} /> },
  { heading: 'Since', cell: (purpose) => <Since {...purpose} /> },
  { heading: 'Until', cell: (purpose) => <Until {...purpose} /> },
];

const Proof = ({ proof, seller }: Consent) => (
  <>
    {proof && channels[proof.channel]}
    {proof?.text && (
      <>
        : <bdi>“{proof.text}”</bdi>
      </>
    )}
    {proof?.url && (
      <p>
        <a href={proof.url} target="_blank" rel="noreferrer">
          {proof.url}
        </a>
      </p>
    )}
    {proof?.callId && (
      <p>
        <code>{proof.callId}</code>
      </p>
    )}
    {proof?.ip && <p className="faint">From {proof.ip}</p>}
    {proof?.sha256 && <p className="faint">SHA-256 {proof.sha256}</p>}
    {seller && (
      <p className="faint">
        On behalf of <bdi>{seller}</bdi>
      </p>
    )}
  </>
);

const columns: Column<Consent>[] = [
  { heading: 'Said', cell: ({ at }) => <Time at={at} /> },
  { heading: 'Purpose', cell: ({ purpose }) => (purpose === '*' ? 'All purposes' : <code>{purpose}</code>) },
  {
    heading: 'What',
    cell: ({ state, expiresAt }) => (
      <>
        <Status {...states[state]} />
        {expiresAt && (
          <p className="faint">
            until <Time at={expiresAt} />
          </p>
        )}
      </>
    ),
  },
  { heading: 'Proof', isLong: true, cell: (consent) => <Proof {...consent} /> },
  {
    heading: 'Recorded',
    cell: ({ recordedAt, keyId, keyName }) => (
      <>
        <Time at={recordedAt} />
        <p className="faint">
          <By keyId={keyId} keyName={keyName} />
        </p>
      </>
    ),
  },
];
