import { useState } from 'react';
import type { Agent } from '../../../openapi/client/client.ts';
import { forget } from '../../tab-storage.ts';
import { buildHref, Link, navigate, useAddress } from '../address.tsx';
import { DeleteDialog, Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/fields.tsx';
import { Form } from '../components/form.tsx';
import { Loaded } from '../components/states.tsx';
import { useChange, useRead, useService } from '../service.tsx';
import { Access } from './access.tsx';
import { EditAgent } from './edit-agent.tsx';
import { History } from './history.tsx';
import { Traffic } from './traffic.tsx';
import { VersionFigures } from './version-figures.tsx';

/** An agent, in sections. */
export const AgentPage = ({ agentId }: { agentId: string }) => {
  const { api } = useService();
  const agent = useRead(['agent', agentId], (options) => api.agents.get({ agentId }, options));
  return (
    <>
      <p>
        <Link view="agents">All agents</Link>
      </p>
      <Loaded query={agent} rows={8}>
        {(data) => <AgentSections agent={data} />}
      </Loaded>
    </>
  );
};

const AgentSections = ({ agent }: { agent: Agent }) => {
  const { scopes, uid } = useService();
  const { section } = useAddress().filters;
  const { agentId, name, version, phoneNumber, split = [] } = agent;
  const sections = [
    { path: undefined, label: 'Configuration' },
    { path: 'history', label: 'History' },
    { path: 'traffic', label: 'Traffic' },
    ...(scopes.includes('calls') ? [{ path: 'figures', label: 'Figures by version' }] : []),
    ...(agent.uid === uid ? [{ path: 'access', label: 'Access' }] : []),
  ];
  return (
    <>
      <div className="heading">
        <div>
          <h1>
            <bdi>{name}</bdi>
          </h1>
          <p className="faint">
            Version {version}
            {phoneNumber && ` · ${phoneNumber}`} · <code>{agentId}</code>
            {split.length > 0 && ' · Callers are split between versions'}
          </p>
        </div>
        <Actions agent={agent} />
      </div>
      <nav aria-label="Sections of the agent">
        <ul className="sections">
          {sections.map(({ path, label }) => (
            <li key={label}>
              <Link
                view="agents"
                filters={{ agentId, section: path }}
                aria-current={section === path ? 'page' : undefined}
              >
                {label}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      {section === undefined && <EditAgent agent={agent} />}
      {section === 'history' && <History agent={agent} />}
      {section === 'traffic' && <Traffic key={JSON.stringify(split)} agent={agent} />}
      {section === 'access' && <Access agentId={agentId} />}
      {section === 'figures' && <VersionFigures agentId={agentId} />}
    </>
  );
};

const Actions = ({ agent: { agentId, name } }: { agent: Agent }) => {
  const { api } = useService();
  const [step, setStep] = useState<'copy' | 'delete'>();
  const deletion = useChange(() => api.agents.delete({ agentId }), {
    changes: [['agents']],
    done: () => `${name} is deleted.`,
  });
  return (
    <div className="buttons">
      <button type="button" className="quiet" onClick={() => setStep('copy')}>
        Copy
      </button>
      <button type="button" className="quiet warns" onClick={() => setStep('delete')}>
        Delete
      </button>
      {step === 'copy' && <CopyDialog agentId={agentId} name={name} onClose={() => setStep(undefined)} />}
      {step === 'delete' && (
        <DeleteDialog
          what="the agent"
          name={name}
          consequence="Its calls, block list, knowledge and history are deleted with it. This cannot be undone."
          deletion={deletion}
          onDeleted={() => {
            forget(`draft:${agentId}`);
            navigate(buildHref('agents'), { replace: true });
          }}
          onClose={() => setStep(undefined)}
        />
      )}
    </div>
  );
};

type CopyProps = { agentId: string; name: string; onClose(): void };

/** Copies an agent under another name. */
const CopyDialog = ({ agentId, name: original, onClose }: CopyProps) => {
  const { api } = useService();
  const [name, setName] = useState(`${original} (Copy)`);
  const copy = useChange((_, options) => api.agents.duplicate({ agentId, name: name.trim() }, options), {
    changes: [['agents']],
    done: ({ name, copied }) =>
      copied.status === 'pending' ? `${name} is completed in the background.` : `${name} is created.`,
  });
  return (
    <Dialog title={`Copy ${original}`} onClose={onClose}>
      <Form
        change={copy}
        submit="Create the copy"
        pending="Copying …"
        isDisabled={name.trim() === ''}
        onSubmit={() =>
          copy.mutate(undefined, {
            // A copy that is not complete does not exist yet.
            onSuccess: ({ agentId, copied }) =>
              navigate(buildHref('agents', { agentId: copied.status ? undefined : agentId })),
          })
        }
        onCancel={onClose}
      >
        <p className="faint">
          The copy has the configuration, the knowledge and the block list of the agent. It has no phone number and no
          calls.
        </p>
        <TextField label="Name" name="name" required maxLength={200} value={name} onChange={setName} />
      </Form>
    </Dialog>
  );
};
