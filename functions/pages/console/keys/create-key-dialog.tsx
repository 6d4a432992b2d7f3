import { useState } from 'react';
import { FormDialog, Secret } from '../components/dialog.tsx';
import { Checks, LastDayField, TextField, useEndOfDay } from '../components/fields.tsx';
import type { Texts } from '../components/form.tsx';
import { useChange, useService } from '../service.tsx';
import { LimitField, parseLimit } from './limit.tsx';
import { initialScopes, listScopes, notPassedOn, scopeLabels } from './scopes.ts';

/** Creates a key of a user, and shows its secret once. A key of the own user has at most the scopes of the present key. */
export const CreateKeyDialog = ({ uid, onClose }: { uid: string; onClose(): void }) => {
  const { uid: ownUid, scopes: ownScopes } = useService();
  const endOf = useEndOfDay();
  const given = listScopes().filter((scope) =>
    uid === ownUid ? ownScopes.includes(scope) && !notPassedOn.includes(scope) : scope !== 'users',
  );
  const [scopes, setScopes] = useState(given.filter((scope) => initialScopes.includes(scope)));
  const creation = useChange(
    (api, options, { name = '', expiresAt, requestsPerMinute }: Texts) =>
      api.keys.create(
        { uid, name, scopes, expiresAt: endOf(expiresAt), requestsPerMinute: parseLimit(requestsPerMinute) },
        options,
      ),
    { changes: [['keys', uid]], done: ({ name }) => `The key ${name} is created.` },
  );
  return (
    <FormDialog
      title="Create a key"
      result={
        creation.data && (
          <Secret secret={creation.data.secret} onDone={onClose}>
            Give the key to the program that calls the API.
          </Secret>
        )
      }
      resultTitle="The new key"
      change={creation}
      submit="Create the key"
      pending="Creating …"
      isDisabled={scopes.length === 0}
      onClose={onClose}
    >
      <TextField
        label="Name"
        name="name"
        note="What the key is for. It is shown beside everything that the key does."
        required
        maxLength={64}
      />
      <Checks
        legend="The key may use"
        options={given.map((value) => ({ value, label: scopeLabels[value] }))}
        chosen={scopes}
        onChange={setScopes}
      />
      <LimitField />
      <LastDayField note="Without it, the key is valid for as long as the key that creates it." />
    </FormDialog>
  );
};
