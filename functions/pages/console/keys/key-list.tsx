import { useState } from 'react';
import type { ApiKey } from '../../../openapi/client/client.ts';
import { addressNow, Link, useAddress } from '../address.tsx';
import { type Column, PagedTable } from '../components/paged-table.tsx';
import { Section } from '../components/section.tsx';
import { Empty } from '../components/states.tsx';
import { Time } from '../components/time.tsx';
import { usePages, useService } from '../service.tsx';
import { CreateKeyDialog } from './create-key-dialog.tsx';
import { KeyDialog } from './key-dialog.tsx';
import { describeScopes, KeyStatus } from './key-facts.tsx';

/** The keys of a user: the key's own one, or a client. Keys that are over stay for 30 days. */
export const KeyList = ({ uid }: { uid: string }) => {
  const { api } = useService();
  const { keyId } = useAddress().filters;
  const [isCreating, setCreating] = useState(false);
  const pages = usePages(['keys', uid], (cursor, options) => api.keys.list({ uid, limit: 50, cursor }, options));
  const chosen = pages.data?.pages.flatMap(({ keys }) => keys).find((key) => key.keyId === keyId);
  return (
    <Section
      title="API keys"
      actions={
        <button type="button" onClick={() => setCreating(true)}>
          Create a key
        </button>
      }
    >
      <PagedTable
        caption="API keys"
        pages={pages}
        itemsOf={({ keys }) => keys}
        keyOf={({ keyId }) => keyId}
        columns={columns}
        empty={
          <Empty title="There is no key">
            <p>Each program gets a key of its own, so that it can be replaced alone.</p>
          </Empty>
        }
      />
      {chosen && <KeyDialog apiKey={chosen} />}
      {isCreating && <CreateKeyDialog uid={uid} onClose={() => setCreating(false)} />}
    </Section>
  );
};

const Name = ({ keyId, name }: ApiKey) => {
  const isOwn = useService().keyId === keyId;
  return (
    <>
      <Link view={addressNow().view} filters={{ ...addressNow().filters, keyId }}>
        <bdi>{name}</bdi>
      </Link>
      {isOwn && ' (this key)'}
    </>
  );
};

const columns: Column<ApiKey>[] = [
  { heading: 'Name', cell: (key) => <Name {...key} /> },
  { heading: 'Begins with', cell: ({ start }) => <code>{start}…</code> },
  { heading: 'Scopes', isLong: true, cell: describeScopes },
  { heading: 'State', cell: (key) => <KeyStatus {...key} /> },
  { heading: 'Created', cell: ({ createdAt }) => <Time at={createdAt} /> },
  { heading: 'Ends', cell: ({ expiresAt }) => expiresAt && <Time at={expiresAt} /> },
];
