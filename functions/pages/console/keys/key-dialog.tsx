import { useState } from 'react';
import type { ApiKey } from '../../../openapi/client/client.ts';
import { NameLink, setFilters } from '../address.tsx';
import { CopyButton } from '../components/copy-button.tsx';
import { DeleteDialog, Dialog, FormDialog, Secret } from '../components/dialog.tsx';
import { TextField } from '../components/fields.tsx';
import type { Texts } from '../components/form.tsx';
import { Facts, Status, Time } from '../components/values.tsx';
import { useChange, useService } from '../service.tsx';
import { LimitField, LimitOfKey, parseLimit } from './limit.tsx';
import { describeScopes } from './scopes.ts';

const close = () => setFilters({ keyId: undefined });

/** A key, which can be rotated and revoked. */
export const KeyDialog = ({ apiKey }: { apiKey: ApiKey }) => {
  const { keyId: ownKeyId } = useService();
  const { uid, keyId, name, start, status, createdAt, expiresAt, endsAt = expiresAt } = apiKey;
  const { clientHost, parentKeyId, lastUsedAt } = apiKey;
  const isGrant = parentKeyId !== undefined;
  const [step, setStep] = useState<'change' | 'rotate' | 'revoke'>();
  const back = () => setStep(undefined);
  const changes = [['keys', uid]];
  const rotation = useChange(
    (api, options, { overlapHours }: Texts) =>
      api.keys.rotate({ uid, keyId, overlapHours: Number(overlapHours) }, options),
    { changes },
  );
  const change = useChange(
    (api, options, { name, requestsPerMinute }: Texts) =>
      api.keys.update({ uid, keyId, name, requestsPerMinute: parseLimit(requestsPerMinute) }, options),
    { changes, done: () => 'The key is changed.' },
  );
  if (step === 'change') {
    return (
      <FormDialog
        title={`Change the key ${name}`}
        change={change}
        submit="Save"
        pending="Saving …"
        onDone={back}
        onClose={back}
      >
        <TextField label="Name" name="name" required maxLength={64} defaultValue={name} />
        <LimitField value={apiKey.requestsPerMinute} />
      </FormDialog>
    );
  }
  if (step === 'rotate') {
    return (
      <FormDialog
        title={`Rotate the key ${name}?`}
        resultTitle="The new key"
        result={
          rotation.data && (
            <Secret secret={rotation.data.secret} onDone={close}>
              Replace the former key by this one within {rotation.variables.overlapHours} hours.
            </Secret>
          )
        }
        change={rotation}
        submit="Rotate the key"
        pending="Rotating …"
        onClose={rotation.data ? close : back}
      >
        <p>A new key of the same name and scopes is made and shown once. The former one ends after the overlap.</p>
        <TextField
          label="Hours of overlap"
          name="overlapHours"
          type="number"
          required
          min={0}
          max={168}
          defaultValue="24"
        />
      </FormDialog>
    );
  }
  if (step === 'revoke') {
    return (
      <DeleteDialog
        what={isGrant ? 'the AI client' : 'the key'}
        verb={isGrant ? 'Disconnect' : 'Revoke'}
        name={name}
        consequence={
          isGrant
            ? 'It is signed out at once. To connect it again, somebody gives it a key.'
            : keyId === ownKeyId
              ? 'It is the key that this page uses: the console stops working with it. Programs that use it are refused at once.'
              : 'Programs that use it are refused at once. This cannot be undone.'
        }
        remove={(api) => api.keys.revoke({ uid, keyId })}
        changes={changes}
        done={isGrant ? `${name} is disconnected.` : `The key ${name} is revoked.`}
        onDeleted={close}
        onClose={back}
      />
    );
  }
  return (
    <Dialog title={name} isWide onClose={close}>
      <div className="stack">
        <div>
          <Status {...keyStates[status]} />
        </div>
        <Facts
          facts={{
            'AI client': clientHost,
            'Connected with': parentKeyId && (
              <NameLink filters={{ keyId: parentKeyId }} name="the key that was given" />
            ),
            'Last used': lastUsedAt && <Time at={lastUsedAt} />,
            'Begins with': isGrant ? undefined : <code>{start}…</code>,
            'May use': describeScopes(apiKey),
            'Request limit': <LimitOfKey apiKey={apiKey} />,
            Created: <Time at={createdAt} />,
            Ends: endsAt && <Time at={endsAt} />,
            'Key ID': (
              <>
                <code>{keyId}</code> <CopyButton text={keyId} what="The id" />
              </>
            ),
          }}
        />
        {(status === 'active' || status === 'ending') && (
          <div className="buttons">
            {!isGrant && (
              <button type="button" className="quiet" onClick={() => setStep('change')}>
                Change
              </button>
            )}
            {status === 'active' && !isGrant && (
              <button type="button" className="quiet" onClick={() => setStep('rotate')}>
                Rotate
              </button>
            )}
            <button type="button" className="quiet warns" onClick={() => setStep('revoke')}>
              {isGrant ? 'Disconnect' : 'Revoke'}
            </button>
          </div>
        )}
      </div>
    </Dialog>
  );
};

export const keyStates = {
  active: { tone: 'good', label: 'Active' },
  ending: { tone: 'working', label: 'Ends soon' },
  expired: { tone: 'off', label: 'Expired' },
  revoked: { tone: 'off', label: 'Revoked' },
} as const;
