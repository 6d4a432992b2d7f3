import type { ListPlatformKeysResponse } from '../../../openapi/client/client.ts';
import { DeleteButton, DialogButton, FormDialog } from '../components/dialog.tsx';
import { TextField } from '../components/fields.tsx';
import type { Texts } from '../components/form.tsx';
import { Loaded } from '../components/parts.tsx';
import { Facts, SetBy, Status, Time } from '../components/values.tsx';
import { useChange, useRead, useService } from '../service.tsx';
import { isRefused, type PlatformName, voicePlatforms } from './voice-platforms.ts';

type Listed = ListPlatformKeysResponse['platformKeys'][number];

/** The key with which the service reads the list of calls of a platform, for all agents of the user. Its value is never shown. */
export const PlatformKey = ({ name }: { name: PlatformName }) => {
  const { uid } = useService();
  const { title } = voicePlatforms[name];
  const keys = useRead(['platformKeys', uid], (api, options) => api.platformKeys.list({}, options));
  return (
    <Loaded query={keys}>
      {({ platformKeys }) => {
        const found = platformKeys.find(({ platform }) => platform === name);
        return (
          <>
            {found ? (
              <KeyFacts apiKey={found} />
            ) : (
              <p>There is no key of {title}. Without it, the service cannot read the list of calls.</p>
            )}
            <div className="buttons">
              <DialogButton label={found ? 'Replace the key' : 'Set the key'} className={found && 'quiet'}>
                {(onClose) => <SetKeyDialog name={name} accountId={found?.accountId} onClose={onClose} />}
              </DialogButton>
              {found && (
                <DeleteButton
                  label="Delete the key"
                  what="the key"
                  name={title}
                  consequence="The service no longer reads the list of calls. The key stays valid at the platform until you delete it there."
                  remove={(api, options) => api.platformKeys.delete({ platform: name }, options)}
                  changes={[['platformKeys', uid]]}
                  done={`The key of ${title} is deleted.`}
                />
              )}
            </div>
          </>
        );
      }}
    </Loaded>
  );
};

const KeyFacts = ({
  apiKey: { createdAt, keyId, keyName, accountId, lastUsedAt, lastRefused },
}: {
  apiKey: Listed;
}) => {
  return (
    <Facts
      facts={{
        Set: <SetBy at={createdAt} keyId={keyId} keyName={keyName} />,
        Account: accountId && <code>{accountId}</code>,
        'Last used': lastUsedAt ? <Time at={lastUsedAt} /> : 'Never',
        'Last refused': lastRefused && isRefused({ lastRefused, lastUsedAt }) && (
          <>
            <Status tone="bad" label={`The platform refused it (${lastRefused.status})`} /> <Time at={lastRefused.at} />
          </>
        ),
      }}
    />
  );
};

type SetKeyProps = { name: PlatformName; accountId: string | undefined; onClose(): void };

const SetKeyDialog = ({ name, accountId, onClose }: SetKeyProps) => {
  const { uid } = useService();
  const { title } = voicePlatforms[name];
  const hasAccounts = name === 'twilio' || name === 'telnyx';
  const change = useChange(
    (api, options, { apiKey = '', accountId }: Texts) =>
      api.platformKeys.set({ platform: name, apiKey, accountId: accountId || undefined }, options),
    { changes: [['platformKeys', uid]], done: () => `The key of ${title} is set.` },
  );
  return (
    <FormDialog
      title={`Key of ${title}`}
      change={change}
      submit="Set the key"
      pending="Saving …"
      onDone={onClose}
      onClose={onClose}
    >
      <TextField
        label="API key"
        name="apiKey"
        type="password"
        note="It is stored encrypted and never shown. Use one with as few rights as the platform offers."
        autoComplete="off"
        required
      />
      {hasAccounts && (
        <TextField
          label="Account SID"
          name="accountId"
          defaultValue={accountId}
          autoComplete="off"
          spellCheck="false"
          required
        />
      )}
    </FormDialog>
  );
};
