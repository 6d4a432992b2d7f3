import { useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { TextField } from '../components/fields.tsx';
import { Form } from '../components/form.tsx';
import { useChange, useService } from '../service.tsx';
import { RefreshField } from './refresh-field.tsx';

/** Adds a website to the knowledge of an agent. */
export const AddWebsiteDialog = ({ agentId, onClose }: { agentId: string; onClose(): void }) => {
  const { api } = useService();
  const [url, setUrl] = useState('');
  const [name, setName] = useState('');
  const [limit, setLimit] = useState('5');
  const [maxDepth, setMaxDepth] = useState('1');
  const [refreshEvery, setRefreshEvery] = useState('');
  const addition = useChange(
    (_, options) => {
      const website = {
        url: url.trim(),
        name: name.trim() || undefined,
        limit: Number(limit),
        maxDepth: Number(maxDepth),
      };
      return api.websites.add({ agentId, ...website, refreshEvery: Number(refreshEvery) || null }, options);
    },
    { changes: [['knowledge', agentId]], done: () => 'The website is added. Its pages are read in the background.' },
  );
  const count = { type: 'number', required: true, min: 1, max: 10 };
  return (
    <Dialog title="Add a website" onClose={onClose}>
      <Form
        change={addition}
        submit="Add the website"
        pending="Adding …"
        onSubmit={() => addition.mutate(undefined, { onSuccess: onClose })}
        onCancel={onClose}
      >
        <TextField
          label="Address"
          name="url"
          note="The page to begin with. Pages of the same host that it links to are read, too."
          type="url"
          required
          placeholder="https://www.example.com/"
          value={url}
          onChange={setUrl}
        />
        <TextField
          label="Name"
          name="name"
          note="Without it, the host of the address."
          maxLength={200}
          value={name}
          onChange={setName}
        />
        <TextField label="Pages at most" name="limit" {...count} value={limit} onChange={setLimit} />
        <TextField
          label="Links deep at most"
          name="maxDepth"
          note="1: the pages that the first one links to."
          {...count}
          value={maxDepth}
          onChange={setMaxDepth}
        />
        <RefreshField value={refreshEvery} onChange={setRefreshEvery} />
      </Form>
    </Dialog>
  );
};
