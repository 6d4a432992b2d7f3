import { useState } from 'react';
import type { User } from '../../../openapi/client/client.ts';
import { buildHref, navigate } from '../address.tsx';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/fields.tsx';
import { Form } from '../components/form.tsx';
import { useChange, useService } from '../service.tsx';

/** Creates a client, or changes the name and the quotas of one. */
export const ClientDialog = ({ client, onClose }: { client?: User; onClose(): void }) => {
  const { api } = useService();
  const [uid, setUid] = useState('');
  const [name, setName] = useState(client?.name ?? '');
  const [agents, setAgents] = useState(client?.quotas.agents.toString() ?? '');
  const [sources, setSources] = useState(client?.quotas.sources.toString() ?? '');
  const change = useChange(
    (_, options) => {
      const limits = { agents: agents ? Number(agents) : undefined, sources: sources ? Number(sources) : undefined };
      const quotas = agents || sources ? limits : undefined;
      const fields = { name: name.trim() || undefined, quotas };
      return client
        ? api.users.update({ uid: client.uid, ...fields }, options)
        : api.users.create({ uid: uid.trim() || undefined, ...fields }, options);
    },
    { changes: [['clients']], done: () => (client ? 'The client is changed.' : 'The client is created.') },
  );
  const count = { type: 'number', min: 0 };
  return (
    <Dialog title={client ? 'Edit the client' : 'New client'} onClose={onClose}>
      <Form
        change={change}
        submit={client ? 'Save' : 'Create the client'}
        pending="Saving …"
        onSubmit={() =>
          change.mutate(undefined, {
            onSuccess: ({ uid }) => (client ? onClose() : navigate(buildHref('clients', { client: uid }))),
          })
        }
        onCancel={onClose}
      >
        <TextField label="Name" name="name" maxLength={200} value={name} onChange={setName} />
        {!client && (
          <TextField
            label="User ID"
            name="uid"
            note="Your own id of the client. Without it, one is made."
            autoComplete="off"
            spellCheck={false}
            value={uid}
            onChange={setUid}
          />
        )}
        <TextField label="Agents at most" name="quotas" {...count} value={agents} onChange={setAgents} />
        <TextField
          label="Sources of knowledge at most"
          note="Without a number, the limits of the service hold."
          {...count}
          value={sources}
          onChange={setSources}
        />
      </Form>
    </Dialog>
  );
};
