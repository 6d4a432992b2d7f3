import type { User } from '../../../openapi/client/client.ts';
import { buildHref, navigate } from '../address.tsx';
import { FormDialog } from '../components/dialog.tsx';
import { TextField } from '../components/fields.tsx';
import type { Texts } from '../components/form.tsx';
import { useChange } from '../service.tsx';
import { useBudget } from './budget.tsx';

const unlimited = 'Without a number, the limit of the service holds.';

/** Creates a client, or changes the name and the quotas of one. */
export const ClientDialog = ({ client, onClose }: { client?: User; onClose(): void }) => {
  const { fields: budgetFields, readBudget } = useBudget(client?.budget);
  const change = useChange(
    (api, options, texts: Texts) => {
      const readCount = (name: string) => (texts[name] ? Number(texts[name]) : undefined);
      const quotas = { agents: readCount('quotas.agents'), sources: readCount('quotas.sources') };
      const isLimited = quotas.agents !== undefined || quotas.sources !== undefined;
      const budget = readBudget(texts);
      const fields = { name: texts.name || undefined, quotas: isLimited ? quotas : undefined, budget };
      return client
        ? api.users.update({ uid: client.uid, ...fields }, options)
        : api.users.create({ uid: texts.uid || undefined, ...fields }, options);
    },
    { changes: [['clients']], done: () => (client ? 'The client is changed.' : 'The client is created.') },
  );
  const { name, quotas } = client ?? {};
  const count = { type: 'number', min: 0 };
  return (
    <FormDialog
      title={client ? 'Edit the client' : 'New client'}
      change={change}
      submit={client ? 'Save' : 'Create the client'}
      pending="Saving …"
      onDone={({ uid }) => (client ? onClose() : navigate(buildHref('clients', { client: uid })))}
      onClose={onClose}
    >
      <TextField label="Name" name="name" maxLength={200} defaultValue={name} />
      {!client && (
        <TextField
          label="User ID"
          name="uid"
          note="Your own id of the client. Without it, one is made."
          autoComplete="off"
          spellCheck="false"
        />
      )}
      <TextField label="Agent limit" name="quotas.agents" note={unlimited} {...count} defaultValue={quotas?.agents} />
      <TextField
        label="Knowledge source limit"
        name="quotas.sources"
        note={unlimited}
        {...count}
        defaultValue={quotas?.sources}
      />
      {budgetFields}
    </FormDialog>
  );
};
