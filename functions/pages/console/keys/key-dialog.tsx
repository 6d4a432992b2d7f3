import { useState } from 'react';
import type { ApiKey } from '../../../openapi/client/client.ts';
import { setFilters } from '../address.tsx';
import { DeleteDialog, Dialog } from '../components/dialog.tsx';
import { Facts } from '../components/facts.tsx';
import { TextField } from '../components/fields.tsx';
import { Form } from '../components/form.tsx';
import { Secret } from '../components/secret.tsx';
import { Time } from '../components/time.tsx';
import { useChange, useService } from '../service.tsx';
import { describeScopes, KeyStatus } from './key-facts.tsx';

const close = () => setFilters({ keyId: undefined });

/** A key, which can be rotated and revoked. */
export const KeyDialog = ({ apiKey }: { apiKey: ApiKey }) => {
  const { api, keyId: ownKeyId } = useService();
  const { uid, keyId, name, start, status, createdAt, expiresAt } = apiKey;
  const [step, setStep] = useState<'rotate' | 'revoke'>();
  const [overlapHours, setOverlapHours] = useState('24');
  const back = () => setStep(undefined);
  const changes = [['keys', uid]];
  const rotation = useChange(
    (_, options) => api.keys.rotate({ uid, keyId, overlapHours: Number(overlapHours) }, options),
    { changes },
  );
  const revocation = useChange(() => api.keys.revoke({ uid, keyId }), {
    changes,
    done: () => `The key ${name} is revoked.`,
  });
  if (rotation.data) {
    return (
      <Dialog title="The new key" onClose={close}>
        <Secret secret={rotation.data.secret} onDone={close}>
          Replace the former key by this one within {overlapHours} hours.
        </Secret>
      </Dialog>
    );
  }
  if (step === 'rotate') {
    return (
      <Dialog title={`Rotate the key ${name}?`} onClose={back}>
        <Form
          change={rotation}
          submit="Rotate the key"
          pending="Rotating …"
          onSubmit={() => rotation.mutate(undefined)}
          onCancel={back}
        >
          <p>A new key of the same name and scopes is made and shown once. The former one ends after the overlap.</p>
          <TextField
            label="Hours of overlap"
            name="overlapHours"
            type="number"
            required
            min={0}
            max={168}
            value={overlapHours}
            onChange={setOverlapHours}
          />
        </Form>
      </Dialog>
    );
  }
  if (step === 'revoke') {
    return (
      <DeleteDialog
        what="the key"
        verb="Revoke"
        name={name}
        consequence={
          keyId === ownKeyId
            ? 'It is the key that this page uses: the console stops working with it. Programs that use it are refused at once.'
            : 'Programs that use it are refused at once. This cannot be undone.'
        }
        deletion={revocation}
        onDeleted={close}
        onClose={back}
      />
    );
  }
  return (
    <Dialog title={name} isWide onClose={close}>
      <div className="stack">
        <div>
          <KeyStatus status={status} />
        </div>
        <Facts
          facts={{
            'Begins with': <code>{start}…</code>,
            Scopes: describeScopes(apiKey),
            Created: <Time at={createdAt} />,
            Ends: expiresAt && <Time at={expiresAt} />,
            'Key ID': <code>{keyId}</code>,
          }}
        />
        {(status === 'active' || status === 'ending') && (
          <div className="buttons">
            <button type="button" className="quiet" onClick={() => setStep('rotate')}>
              Rotate
            </button>
            <button type="button" className="danger" onClick={() => setStep('revoke')}>
              Revoke
            </button>
          </div>
        )}
      </div>
    </Dialog>
  );
};
