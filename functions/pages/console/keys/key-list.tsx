import type { ApiKey } from '../../../openapi/client/client.ts';
import { NameLink, useAddress } from '../address.tsx';
import { DialogButton } from '../components/dialog.tsx';
import { type Column, PagedTable } from '../components/paged-table.tsx';
import { Empty, Section } from '../components/parts.tsx';
import { Status, Time } from '../components/values.tsx';
import { formatNumber } from '../formats.ts';
import { usePages, useService } from '../service.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { KeyDialog, keyStates } from './key-dialog.tsx';
import { describeScopes } from './scopes.ts';

/** The keys of a user: the key's own one, or a client. Keys that are over stay for 30 days. */
export const KeyList = ({ uid, isView = false }: { uid: string; isView?: boolean }) => {
  const { keyId } = useAddress().filters;
  const pages = usePages(['keys', uid], (api, options, cursor) => api.keys.list({ uid, limit: 50, cursor }, options));
  const chosen = pages.data?.pages.flatMap(({ keys }) => keys).find((key) => key.keyId === keyId);
  return (
    <Section
      title="API keys"
      isView={isView}
      actions={
        <DialogButton label="Create a key">{(onClose) => <CreateKeyDialog uid={uid} onClose={onClose} />}</DialogButton>
      }
    >
      <PagedTable
        caption="API keys"
        pages={pages}
        itemsOf={({ keys }) => keys}
        keyOf={({ keyId }) => keyId}
        columns={columns}
        empty={
          <Empty title="There is no key">Each program gets a key of its own, so that it can be replaced alone.</Empty>
        }
      />
      {chosen && <KeyDialog apiKey={chosen} />}
    </Section>
  );
};

const Name = ({ keyId, name, clientHost }: ApiKey) => {
  const isOwn = useService().keyId === keyId;
  return (
    <>
      <NameLink filters={{ keyId }} name={name} />
      {isOwn && ' (this key)'}
      {clientHost && ` (AI client at ${clientHost})`}
    </>
  );
};

const columns: Column<ApiKey>[] = [
  { heading: 'Name', cell: (key) => <Name {...key} /> },
  { heading: 'Begins with', cell: ({ start, via }) => !via && <code className="unbroken">{start}…</code> },
  { heading: 'May use', isLong: true, cell: describeScopes },
  { heading: 'State', cell: ({ status }) => <Status {...keyStates[status]} /> },
  {
    heading: 'Requests per minute',
    isNumber: true,
    cell: ({ requestsPerMinute }) => (requestsPerMinute === undefined ? 'No limit' : formatNumber(requestsPerMinute)),
  },
  { heading: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { heading: 'Ends', cell: ({ expiresAt, endsAt = expiresAt }) => endsAt && <Time at={endsAt} /> },
];
