import { useState } from 'react';
import type { User } from '../../../openapi/client/client.ts';
import { buildHref, Link, navigate } from '../address.tsx';
import { DeleteDialog } from '../components/dialog.tsx';
import { Facts } from '../components/facts.tsx';
import { ChangeButton } from '../components/form.tsx';
import { Loaded } from '../components/states.tsx';
import { Time } from '../components/time.tsx';
import { formatNumber } from '../formats.ts';
import { KeyList } from '../keys/key-list.tsx';
import { useChange, useRead, useService } from '../service.tsx';
import { ClientDialog } from './client-dialog.tsx';
import { ClientStatus } from './client-status.tsx';

/** A client with its quotas, its keys, and its end. */
export const ClientPage = ({ uid }: { uid: string }) => {
  const { api } = useService();
  const client = useRead(['clients', uid], (options) => api.users.get({ uid }, options));
  return (
    <>
      <p>
        <Link view="clients">All clients</Link>
      </p>
      <Loaded query={client} rows={4}>
        {(data) => (
          <>
            <div className="heading">
              <h1>
                <bdi>{data.name ?? uid}</bdi>
              </h1>
              <Actions client={data} />
            </div>
            <ClientStatus suspended={data.suspended} />
            {data.suspended && (
              <p className="faint">Every request with a key of the client is refused. Its webhooks wait.</p>
            )}
            <Facts
              facts={{
                'User ID': <code>{uid}</code>,
                Agents: `${formatNumber(data.agents)} of ${formatNumber(data.quotas.agents)}`,
                'Sources at most': formatNumber(data.quotas.sources),
                Created: <Time at={data.createdAt} />,
              }}
            />
            <KeyList uid={uid} />
          </>
        )}
      </Loaded>
    </>
  );
};

const Actions = ({ client }: { client: User }) => {
  const { api } = useService();
  const { uid, suspended } = client;
  const [step, setStep] = useState<'edit' | 'delete'>();
  const changes = [['clients']];
  const suspension = useChange((_, options) => api.users.update({ uid, suspended: !suspended }, options), {
    changes,
    done: ({ suspended }) => `The client is ${suspended ? 'suspended' : 'active again'}.`,
  });
  const deletion = useChange(() => api.users.delete({ uid, confirm: uid }), {
    changes,
    done: () => 'The client is being deleted.',
  });
  return (
    <div className="buttons">
      <button type="button" className="quiet" onClick={() => setStep('edit')}>
        Edit
      </button>
      <ChangeButton change={suspension} className="quiet">
        {suspended ? 'Resume' : 'Suspend'}
      </ChangeButton>
      <button type="button" className="quiet warns" onClick={() => setStep('delete')}>
        Delete
      </button>
      {step === 'edit' && <ClientDialog client={client} onClose={() => setStep(undefined)} />}
      {step === 'delete' && (
        <DeleteDialog
          what="the client"
          name={uid}
          consequence="Its keys end at once. Its agents, calls and knowledge are deleted in the background. This cannot be undone."
          deletion={deletion}
          onDeleted={() => navigate(buildHref('clients'), { replace: true })}
          onClose={() => setStep(undefined)}
        />
      )}
    </div>
  );
};
