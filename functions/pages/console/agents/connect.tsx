import { useState } from 'react';
import { signatureAdvice } from '../../../domain/signature-advice.ts';
import type { Agent, ListHookSecretsResponse } from '../../../openapi/client/client.ts';
import { useAddress } from '../address.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { DeleteDialog, DialogButton, FormDialog } from '../components/dialog.tsx';
import { SelectFilter, TextField } from '../components/fields.tsx';
import type { Texts } from '../components/form.tsx';
import { Loaded, Section } from '../components/parts.tsx';
import { Facts, SetBy, Status, Time } from '../components/values.tsx';
import { useChange, useRead, useService } from '../service.tsx';
import { TryIt } from './try-it.tsx';
import { isRefused, type PlatformName, voicePlatforms } from './voice-platforms.ts';

type HookSecret = ListHookSecretsResponse['hookSecrets'][number];

/** The interval at which the first signed request is looked for. */
const pollMilliseconds = 3000;

/** What the address of a platform needs beside the agent, and where it is entered. */
const setups: Record<
  PlatformName,
  { parameter?: 'next' | 'assistantId'; takesOverrides?: true; secret: string; steps: string }
> = {
  vapi: {
    parameter: 'assistantId',
    takesOverrides: true,
    secret: 'The HMAC or bearer credential that you create at Vapi for this address.',
    steps:
      'Phone Numbers › your number › Server URL. Leave the assistant of the number empty. Assistants › Advanced › Messaging: enter the same address, and check end-of-call-report.',
  },
  retell: {
    takesOverrides: true,
    secret: 'The API key of Retell with the webhook badge.',
    steps:
      'Phone Numbers › your number › Inbound Webhook. Agents › your agent › Webhook Settings › Agent Level Webhook URL: enter the same address.',
  },
  elevenlabs: {
    takesOverrides: true,
    secret: 'The secret that ElevenLabs shows when you create the webhook.',
    steps:
      'Agents › Settings: enter the address as Conversation Initiation Client Data Webhook, with the secret in the header x-hook-secret, and as Post-Call Webhook (transcription).',
  },
  twilio: {
    parameter: 'next',
    secret: 'The auth token of the account. Use that of a subaccount that has only these phone numbers.',
    steps:
      'Phone Numbers › your number › Voice Configuration: enter the address for a call that comes in, and as the call status callback.',
  },
  telnyx: {
    parameter: 'next',
    secret: 'The public key of the account: Keys & Credentials › Public Key.',
    steps: 'Your TeXML application: enter the address as the voice URL, and as the status callback.',
  },
};

const parameterFields = {
  next: { label: 'Address of your TwiML', note: 'Where an accepted call goes on.' },
  assistantId: { label: 'ID of the assistant', note: 'The assistant that an accepted call gets.' },
};

const options = Object.entries(voicePlatforms).map(([value, { title }]) => ({ value, label: title }));

/** How a voice platform is connected with the agent: its address, its secret, and whether its requests arrive. */
export const Connect = ({ agent }: { agent: Agent }) => {
  const { filters } = useAddress();
  const own = agent.configuration.platform?.name;
  // The platform of the agent is the first choice.
  const sorted = options.toSorted((a, b) => Number(b.value === own) - Number(a.value === own));
  const name = (options.find(({ value }) => value === filters.platform) ?? sorted[0])?.value as PlatformName;
  return (
    <div className="stack connect">
      <SelectFilter name="platform" label="Voice platform" options={sorted} />
      <Platform key={name} agent={agent} name={name} />
    </div>
  );
};

const Platform = ({ agent, name }: { agent: Agent; name: PlatformName }) => {
  const { uid } = useService();
  const { title } = voicePlatforms[name];
  const { parameter, takesOverrides, steps } = setups[name];
  const [value, setValue] = useState('');
  const [overrides, setOverrides] = useState(false);
  const query = new URLSearchParams({
    ...{ uid, agentId: agent.agentId },
    ...(parameter && value && { [parameter]: value }),
    ...(overrides && { overrides: 'true' }),
  });
  const address = `${location.origin}/hooks/${name}?${query}`;
  return (
    <>
      <Section title={`1. The secret of ${title}`}>
        <Secret name={name} />
      </Section>
      <Section title="2. The address">
        {parameter && (
          <TextField {...parameterFields[parameter]} value={value} onChange={setValue} spellCheck="false" />
        )}
        {takesOverrides && (
          <label className="check">
            <input type="checkbox" checked={overrides} onChange={({ target }) => setOverrides(target.checked)} />
            An accepted call gets the greeting, the instructions and the language of the agent
          </label>
        )}
        {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the address is selected by keyboard, too */}
        <code className="secret" role="img" aria-label={`Address for ${title}`} tabIndex={0}>
          {address}
        </code>
        <div className="buttons">
          <CopyButton text={address} what="The address" isQuiet={false} />
        </div>
        {parameter && !value && (
          <p className="problem">
            {title} needs the {parameterFields[parameter].label.toLowerCase()} to accept a call.
          </p>
        )}
        <p>{steps}</p>
        <p>
          <a href={parameter === 'next' ? '/docs/voice-platforms' : `/docs/voice-platform-setup#${name}`}>
            Outcomes, knowledge and everything else at {title}
          </a>
        </p>
      </Section>
      <Section title="3. Try it">
        <TryIt agent={agent} name={name} query={query} />
      </Section>
    </>
  );
};

/** Returns the state of the signed requests of a platform. */
const describeRequests = (secret: HookSecret | undefined) => {
  if (!secret) return { tone: 'off', label: 'No secret: its requests need an API key in a header' } as const;
  if (isRefused(secret)) return { tone: 'bad', label: 'The last request was refused' } as const;
  if (secret.lastUsedAt === undefined) return { tone: 'working', label: 'Waits for the first signed request' } as const;
  return { tone: 'good', label: 'Signed requests arrive' } as const;
};

const Secret = ({ name }: { name: PlatformName }) => {
  const { scopes } = useService();
  const { title } = voicePlatforms[name];
  const secrets = useRead(['hookSecrets'], (api, options) => api.hookSecrets.list({}, options), {
    enabled: scopes.includes('hooks'),
    refetchInterval: (data) => {
      const secret = data?.hookSecrets.find(({ platform }) => platform === name);
      return secret !== undefined && describeRequests(secret).tone !== 'good' && pollMilliseconds;
    },
  });
  if (!scopes.includes('hooks'))
    return <p className="faint">This API key lacks the scope hooks, and sees no secrets.</p>;
  return (
    <Loaded query={secrets} rows={2}>
      {({ hookSecrets }) => {
        const secret = hookSecrets.find(({ platform }) => platform === name);
        return (
          <>
            <p role="status">
              <Status {...describeRequests(secret)} />
            </p>
            {secret && <SecretFacts secret={secret} />}
            <div className="buttons">
              <DialogButton label={secret ? 'Replace the secret' : 'Set the secret'} className={secret && 'quiet'}>
                {(onClose) => <SetSecret name={name} onClose={onClose} />}
              </DialogButton>
              {secret && (
                <DialogButton label="Delete the secret" className="quiet warns">
                  {(onClose) => (
                    <DeleteDialog
                      what="the secret"
                      name={title}
                      consequence="Signed requests are refused from then on. Requests with an API key stay as they are."
                      remove={(api, options) => api.hookSecrets.delete({ platform: name }, options)}
                      changes={[['hookSecrets']]}
                      done={`The secret of ${title} is deleted.`}
                      onDeleted={onClose}
                      onClose={onClose}
                    />
                  )}
                </DialogButton>
              )}
            </div>
          </>
        );
      }}
    </Loaded>
  );
};

const SecretFacts = ({ secret }: { secret: HookSecret }) => {
  const { createdAt, keyId, keyName, lastUsedAt, lastRefused, formerUntil } = secret;
  return (
    <>
      <Facts
        facts={{
          Set: <SetBy at={createdAt} keyId={keyId} keyName={keyName} />,
          'Last signed request': lastUsedAt ? <Time at={lastUsedAt} /> : 'None yet',
          'Last refused': lastRefused && <Time at={lastRefused.at} />,
          'The former secret holds until': formerUntil && <Time at={formerUntil} />,
        }}
      />
      {lastRefused && (
        <p className="problem">
          {signatureAdvice[lastRefused.reason]}
          {lastRefused.field && ` The field is ${lastRefused.field}.`}
        </p>
      )}
    </>
  );
};

const SetSecret = ({ name, onClose }: { name: PlatformName; onClose(): void }) => {
  const { title } = voicePlatforms[name];
  const field = name === 'telnyx' ? 'publicKey' : 'secret';
  const change = useChange(
    (api, options, texts: Texts) => api.hookSecrets.set({ platform: name, [field]: texts[field] }, options),
    { changes: [['hookSecrets']], done: () => `The secret of ${title} is set.` },
  );
  return (
    <FormDialog
      title={`Secret of ${title}`}
      change={change}
      submit="Set the secret"
      pending="Saving …"
      onDone={onClose}
      onClose={onClose}
    >
      <TextField
        label={field === 'secret' ? 'Secret' : 'Public key'}
        name={field}
        type={field === 'secret' ? 'password' : 'text'}
        note={`${setups[name].secret} It is stored encrypted, and never shown.`}
        autoComplete="off"
        spellCheck="false"
        required
      />
      <p className="faint">It holds for all of your agents. A secret that it replaces is accepted for another day.</p>
    </FormDialog>
  );
};
