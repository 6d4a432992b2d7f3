import type { Agent, AgentVersionContent } from '../../../openapi/client/client.ts';
import { setFilters, useAddress } from '../address.tsx';
import { Dialog } from '../components/dialog.tsx';
import { Choice, TextField } from '../components/fields.tsx';
import { Form, type Texts } from '../components/form.tsx';
import { Details, Loaded } from '../components/parts.tsx';
import { Facts, Json, Time, Who } from '../components/values.tsx';
import { useChange, useRead } from '../service.tsx';
import { labelOfPath } from './agent-fields.ts';
import { Difference } from './difference.tsx';

const compareWithNewest = (version: number) =>
  setFilters({ version: String(version), against: 'newest' }, { replace: true });

const close = () => setFilters({ version: undefined, against: undefined });

/** A version of an agent: what changed in it, or how it differs from the newest one. It can be restored. */
export const VersionDialog = ({ agent, version }: { agent: Agent; version: string }) => {
  const { agentId } = agent;
  const { against } = useAddress().filters;
  const number = Number(version);
  const former = number > 1 ? number - 1 : undefined;
  const isNewest = number === agent.version;
  // An undone change is the restored version before it.
  const compared = isNewest ? former : number;
  const other = against === 'newest' ? agent.version : former;
  const content = useRead(['agent', agentId, 'version', version, other], (api, options) =>
    api.agents.getVersion({ agentId, version, ...(other !== undefined && { against: other }) }, options),
  );
  return (
    <Dialog title={`Version ${version}`} isWide onClose={close}>
      <Loaded query={content} rows={6}>
        {(data) => (
          <div className="stack">
            <Facts
              facts={{
                Created: <Time at={data.createdAt} hasSeconds />,
                By: <Who {...data} />,
                Note: data.note,
                'Restored from': data.restoredFrom && `Version ${data.restoredFrom}`,
              }}
            />
            {!isNewest && (
              <Choice
                label="Compare with"
                options={[
                  { value: 'former', label: former ? `Version ${former}, the one before` : 'Nothing' },
                  { value: 'newest', label: `Version ${agent.version}, the newest one` },
                ]}
                value={against ?? 'former'}
                onChange={(chosen) =>
                  setFilters({ against: chosen === 'newest' ? 'newest' : undefined }, { replace: true })
                }
              />
            )}
            {data.changes && <Changes changes={data.changes} isWithNewest={against === 'newest'} />}
            <Details title="The whole version">
              <Json title={data.name} value={data.configuration} />
            </Details>
            {!isNewest && against === 'newest' ? (
              <Restore agent={agent} version={number} />
            ) : (
              compared && (
                <div className="buttons">
                  <button type="button" className="quiet" onClick={() => compareWithNewest(compared)}>
                    {isNewest ? 'Undo this change' : 'See what restoring this version changes'}
                  </button>
                </div>
              )
            )}
          </div>
        )}
      </Loaded>
    </Dialog>
  );
};

type ChangesProps = { changes: NonNullable<AgentVersionContent['changes']>; isWithNewest: boolean };

const Changes = ({ changes, isWithNewest }: ChangesProps) => (
  <section className="stack">
    <h3>{isWithNewest ? 'From the newest version to this one' : 'What changed'}</h3>
    {changes.length === 0 && <p className="faint">Nothing differs.</p>}
    {changes.map(({ path, before, after }) => (
      <section key={path}>
        <h4>{labelOfPath(path)}</h4>
        <Difference before={formatJson(before)} after={formatJson(after)} />
      </section>
    ))}
  </section>
);

const formatJson = (value: unknown) =>
  value === undefined || typeof value === 'string' ? value : JSON.stringify(value, null, 2);

/** Restores a version, as a new one. */
const Restore = ({ agent: { agentId, version: newest }, version }: { agent: Agent; version: number }) => {
  const restoring = useChange(
    (api, options, { note }: Texts) =>
      api.agents.restore({ agentId, version, note: note || undefined }, { ...options, ifMatch: newest }),
    {
      changes: [['agents'], ['agent', agentId]],
      done: (restored) =>
        restored.version === newest
          ? `Version ${version} is the same as the newest one.`
          : `Version ${version} is restored, as version ${restored.version}.`,
    },
  );
  return (
    <Form change={restoring} submit="Restore this version" pending="Restoring …" onDone={close}>
      <TextField label="Note for the history" name="note" maxLength={256} placeholder="Why?" />
    </Form>
  );
};
