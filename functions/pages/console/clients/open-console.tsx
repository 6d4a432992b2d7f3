import { useState } from 'react';
import type { User } from '../../../openapi/client/client.ts';
import { openTab } from '../../tab-storage.ts';
import { buildHref, type Filters } from '../address.tsx';
import { DialogButton, FormDialog } from '../components/dialog.tsx';
import { Checks } from '../components/fields.tsx';
import { Time } from '../components/values.tsx';
import { initialScopes, listScopes, scopeLabels } from '../keys/scopes.ts';
import { useChange, useService } from '../service.tsx';

const keyMilliseconds = 60 * 60_000;

/** Opens the console of a client in a new tab, with a key that is valid for an hour. */
export const OpenConsole = ({ label = 'Open its console', ...props }: Props & { label?: string }) => (
  <DialogButton label={label} className="quiet">
    {(onClose) => <OpenDialog {...props} onClose={onClose} />}
  </DialogButton>
);

/** `filters` are those of the overview that is opened. */
type Props = { client: User; filters?: Filters };

const OpenDialog = ({ client: { uid, name = uid }, filters, onClose }: Props & { onClose(): void }) => {
  const { name: ownName } = useService();
  const [scopes, setScopes] = useState([...initialScopes, 'changes' as const]);
  const creation = useChange(
    (api, options) => {
      const expiresAt = new Date(Date.now() + keyMilliseconds).toISOString();
      return api.keys.create({ uid, name: `Console, by ${ownName}`.slice(0, 64), scopes, expiresAt }, options);
    },
    { changes: [['keys', uid]] },
  );
  const open = () => {
    const { secret = '', expiresAt = '' } = creation.data ?? {};
    openTab(buildHref('', filters), { apiKey: secret, visit: { name, until: expiresAt } });
    onClose();
  };
  return (
    <FormDialog
      title={`Open the console of ${name}`}
      resultTitle="The key is made"
      result={
        creation.data && (
          <div className="stack">
            <p>
              It is valid until <Time at={creation.data.expiresAt ?? ''} />, and is kept in the new tab alone.
            </p>
            <div className="buttons">
              <button type="button" onClick={open}>
                Open the console
              </button>
              <button type="button" className="quiet" onClick={onClose}>
                Cancel
              </button>
            </div>
          </div>
        )
      }
      change={creation}
      submit="Make the key"
      pending="In progress …"
      isDisabled={scopes.length === 0}
      onSubmit={() => creation.mutate(undefined)}
      onClose={onClose}
    >
      <p>
        Your own key reads no data of clients. A key of the client does, for an hour. It is listed with the keys of the
        client, and in <em>Changes</em>, with everything that you do with it.
      </p>
      <Checks
        legend="In the console, you may use"
        options={listScopes()
          .filter((scope) => scope !== 'users')
          .map((value) => ({ value, label: scopeLabels[value] }))}
        chosen={scopes}
        onChange={setScopes}
      />
    </FormDialog>
  );
};
