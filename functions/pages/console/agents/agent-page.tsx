import type { Agent } from '../../../openapi/client/client.ts';
import { forget } from '../../tab-storage.ts';
import { buildHref, Link, navigate, useAddress } from '../address.tsx';
import { DeleteButton, DialogButton, FormDialog } from '../components/dialog.tsx';
import { TextField } from '../components/fields.tsx';
import type { Texts } from '../components/form.tsx';
import { Later } from '../components/later.tsx';
import { Loaded } from '../components/parts.tsx';
import { formatPhone } from '../formats.ts';
import { useChange, useRead, useService } from '../service.tsx';
import { Access } from './access.tsx';
import { Connect } from './connect.tsx';
import { EditAgent } from './edit-agent.tsx';
import { History } from './history.tsx';
import { AgentPlatform } from './platform.tsx';
import { listSections } from './sections.ts';
import { Traffic } from './traffic.tsx';
import { VersionFigures } from './version-figures.tsx';

/** An agent, in sections. */
export const AgentPage = ({ agentId }: { agentId: string }) => {
  const agent = useRead(['agent', agentId], (api, options) => api.agents.get({ agentId }, options));
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
  const service = useService();
  const { section } = useAddress().filters;
  const { agentId, name, version, phoneNumber, split = [] } = agent;
  return (
    <>
      <div className="heading">
        <div>
          <h1>
            <bdi>{name}</bdi>
          </h1>
          <p className="faint">
            Version {version}
            {phoneNumber && ` · ${formatPhone(phoneNumber)}`} · <code>{agentId}</code>
            {split.length > 0 && ' · Callers are split between versions'}
          </p>
        </div>
        <Actions agent={agent} />
      </div>
      <nav aria-label="Sections of the agent">
        <ul className="sections">
          {listSections(agent, service).map(({ path, label }) => (
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
      <Later key={section}>
        {section === undefined && <EditAgent agent={agent} />}
        {section === 'connect' && <Connect agent={agent} />}
        {section === 'history' && <History agent={agent} />}
        {section === 'traffic' && <Traffic agent={agent} />}
        {section === 'access' && <Access agentId={agentId} />}
        {section === 'platform' && <AgentPlatform agent={agent} />}
        {section === 'figures' && <VersionFigures agentId={agentId} />}
      </Later>
    </>
  );
};

const Actions = ({ agent: { agentId, name } }: { agent: Agent }) => (
  <div className="buttons">
    <DialogButton label="Copy" className="quiet">
      {(onClose) => <CopyDialog agentId={agentId} name={name} onClose={onClose} />}
    </DialogButton>
    <DeleteButton
      what="the agent"
      name={name}
      consequence="Its calls, block list, knowledge and history are deleted with it. This cannot be undone."
      remove={(api) => api.agents.delete({ agentId })}
      changes={[['agents']]}
      onDeleted={() => {
        forget(`draft:${agentId}`);
        navigate(buildHref('agents'), { replace: true });
      }}
    />
  </div>
);

type CopyProps = { agentId: string; name: string; onClose(): void };

/** Copies an agent under another name. */
const CopyDialog = ({ agentId, name: original, onClose }: CopyProps) => {
  const copy = useChange((api, options, { name }: Texts) => api.agents.duplicate({ agentId, name }, options), {
    changes: [['agents']],
    done: ({ name, copied }) =>
      copied.status === 'pending' ? `${name} is completed in the background.` : `${name} is created.`,
  });
  return (
    <FormDialog
      title={`Copy ${original}`}
      change={copy}
      submit="Create the copy"
      pending="Copying …"
      // A copy that is not complete does not exist yet.
      onDone={({ agentId, copied }) => navigate(buildHref('agents', { agentId: copied.status ? undefined : agentId }))}
      onClose={onClose}
    >
      <p className="faint">
        The copy has the configuration, the knowledge and the block list of the agent. It has no phone number and no
        calls.
      </p>
      <TextField label="Name" name="name" required maxLength={200} defaultValue={`${original} (Copy)`} />
    </FormDialog>
  );
};
