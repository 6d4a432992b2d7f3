import { useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/fields.tsx';
import { Form } from '../components/form.tsx';
import { LastDayField, useEndOfDay } from '../components/last-day-field.tsx';
import { Secret } from '../components/secret.tsx';
import { type Scope, useChange, useService } from '../service.tsx';

/** The scopes of a key, with what they permit. The last three are not chosen initially. */
const permissions: [Scope, string][] = [
  ['agents', 'Agents'],
  ['knowledge', 'Knowledge'],
  ['calls', 'Calls'],
  ['block-list', 'Block lists'],
  ['hooks', 'Webhooks of voice platforms'],
  ['webhooks', 'Webhook endpoints'],
  ['privacy', 'Erasures of people’s data'],
  ['changes', 'The log of changes'],
  ['keys', 'Keys'],
];
const initial = permissions.slice(0, 6).map(([scope]) => scope);

/** Creates a key of a user, and shows its secret once. A key of the own user has at most the scopes of the present key. */
export const CreateKeyDialog = ({ uid, onClose }: { uid: string; onClose(): void }) => {
  const { api, uid: ownUid, scopes: ownScopes } = useService();
  const endOf = useEndOfDay();
  const isGiven = (scope: Scope) => uid !== ownUid || (initial.includes(scope) && ownScopes.includes(scope));
  const [name, setName] = useState('');
  const [scopes, setScopes] = useState(initial.filter(isGiven));
  const [lastDay, setLastDay] = useState('');
  const creation = useChange(
    (_, options) => api.keys.create({ uid, name: name.trim(), scopes, expiresAt: endOf(lastDay) }, options),
    { changes: [['keys', uid]], done: ({ name }) => `The key ${name} is created.` },
  );
  if (creation.data) {
    return (
      <Dialog title="The new key" onClose={onClose}>
        <Secret secret={creation.data.secret} onDone={onClose}>
          Give the key to the program that calls the API.
        </Secret>
      </Dialog>
    );
  }
  return (
    <Dialog title="Create a key" onClose={onClose}>
      <Form
        change={creation}
        submit="Create the key"
        pending="Creating …"
        isDisabled={scopes.length === 0}
        onSubmit={() => creation.mutate(undefined)}
        onCancel={onClose}
      >
        <TextField
          label="Name"
          name="name"
          note="What the key is for. It is shown beside everything that the key does."
          required
          maxLength={64}
          value={name}
          onChange={setName}
        />
        <fieldset className="choices">
          <legend>The key may use</legend>
          {permissions
            .filter(([scope]) => isGiven(scope))
            .map(([scope, label]) => (
              <label key={scope} className="check">
                <input
                  type="checkbox"
                  checked={scopes.includes(scope)}
                  onChange={({ target }) =>
                    setScopes(target.checked ? [...scopes, scope] : scopes.filter((one) => one !== scope))
                  }
                />
                {label}
              </label>
            ))}
        </fieldset>
        <LastDayField
          note="Without it, the key is valid for as long as the key that creates it."
          value={lastDay}
          onChange={setLastDay}
        />
      </Form>
    </Dialog>
  );
};
