import type { Agent, UpdateAgentParams } from '../../../openapi/client/client.ts';
import { Choice, Field } from '../components/fields.tsx';
import { RefusableForm, useDraft } from '../components/form.tsx';
import { Section } from '../components/parts.tsx';
import { formatPhone } from '../formats.ts';
import { useChange, useService } from '../service.tsx';
import { PlatformKey } from './platform-key.tsx';
import { Reconciliations } from './reconciliations.tsx';
import { type Platform, type PlatformName, voicePlatforms } from './voice-platforms.ts';

const none = { value: '', label: 'None' };
const options = [none, ...Object.entries(voicePlatforms).map(([value, { title }]) => ({ value, label: title }))];

/** The voice platform of an agent, the key that reads its list of calls, and what the list had that was missing here. */
export const AgentPlatform = ({ agent }: { agent: Agent }) => {
  const { uid, scopes } = useService();
  const { agentId, phoneNumber, configuration } = agent;
  const { platform } = configuration;
  return (
    <>
      <p>
        Most voice platforms report the end of a call only once. The service can compare the calls with the list of the
        platform, and record those that are missing. <a href="/docs/voice-platforms">About lost ends</a>
      </p>
      <PlatformForm agentId={agentId} phoneNumber={phoneNumber} platform={platform} />
      {platform && agent.uid === uid && (
        <>
          <Section title={`Key of ${voicePlatforms[platform.name].title}`}>
            <PlatformKey key={platform.name} name={platform.name} />
          </Section>
          {scopes.includes('calls') && (
            <Section title="Calls that were missing">
              <Reconciliations agentId={agentId} />
            </Section>
          )}
        </>
      )}
    </>
  );
};

type FormProps = { agentId: string; phoneNumber: string | undefined; platform: Platform | undefined };

const PlatformForm = ({ agentId, phoneNumber, platform }: FormProps) => {
  const stored = {
    name: platform?.name ?? none.value,
    isHourly: platform?.reconcile ?? false,
    assistantIds: platform?.assistantIds?.join('\n') ?? '',
  };
  const [draft, setDraft] = useDraft<typeof stored>(stored);
  const { name, isHourly, assistantIds } = draft;
  const change = useChange(
    (api, options, platform: Platform | null) =>
      api.agents.update({ agentId, configuration: { platform } as UpdateAgentParams['configuration'] }, options),
    { changes: [['agents'], ['agent', agentId]], done: ({ version }) => `Version ${version} is saved.` },
  );
  const save = () => {
    const ids = assistantIds.split(/\s+/).filter(Boolean);
    const known = { name: name as PlatformName, reconcile: isHourly };
    change.mutate(name === none.value ? null : { ...known, assistantIds: ids.length > 0 ? ids : undefined });
  };
  const chosen = voicePlatforms[name as PlatformName];
  const chooseName = (name: string) =>
    setDraft({ ...draft, name, assistantIds: name === stored.name ? stored.assistantIds : '' });
  return (
    <RefusableForm
      className="stack platform"
      error={change.error}
      onSubmit={save}
      buttons={
        <div className="buttons">
          <button type="submit" disabled={change.isPending}>
            {change.isPending ? 'Saving …' : 'Save'}
          </button>
        </div>
      }
    >
      <Choice label="Voice platform" options={options} value={name} onChange={chooseName} />
      {chosen && (
        <>
          <Field
            label={`${chosen.assistants}, one on each line`}
            name="platform"
            note={
              phoneNumber
                ? `If there are none, calls to and from ${formatPhone(phoneNumber)} are the agent’s.`
                : 'Required, because the agent has no phone number.'
            }
          >
            {(ids) => (
              <textarea
                {...ids}
                rows={3}
                className="code"
                spellCheck="false"
                autoComplete="off"
                value={assistantIds}
                onChange={({ target }) => setDraft({ ...draft, assistantIds: target.value })}
              />
            )}
          </Field>
          <label className="check">
            <input
              type="checkbox"
              checked={isHourly}
              onChange={({ target }) => setDraft({ ...draft, isHourly: target.checked })}
            />
            Compare the calls every hour
          </label>
        </>
      )}
    </RefusableForm>
  );
};
