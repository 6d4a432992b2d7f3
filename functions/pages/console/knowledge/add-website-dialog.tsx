import { FormDialog } from '../components/dialog.tsx';
import { TextField } from '../components/fields.tsx';
import type { Texts } from '../components/form.tsx';
import { useChange } from '../service.tsx';
import { RefreshField } from './refresh-field.tsx';

/** Adds a website to the knowledge of an agent. */
export const AddWebsiteDialog = ({ agentId, onClose }: { agentId: string; onClose(): void }) => {
  const addition = useChange(
    (api, options, { url = '', name, limit, maxDepth, refreshEvery }: Texts) => {
      const website = { url, name: name || undefined, limit: Number(limit), maxDepth: Number(maxDepth) };
      return api.websites.add({ agentId, ...website, refreshEvery: Number(refreshEvery) || null }, options);
    },
    { changes: [['knowledge', agentId]], done: () => 'The website is added. Its pages are read in the background.' },
  );
  const count = { type: 'number', required: true, min: 1, max: 10 };
  return (
    <FormDialog
      title="Add a website"
      change={addition}
      submit="Add the website"
      pending="Adding …"
      onDone={onClose}
      onClose={onClose}
    >
      <TextField
        label="Address"
        name="url"
        note="The page to begin with. Pages of the same host that it links to are read, too."
        type="url"
        required
        placeholder="https://www.example.com/"
      />
      <TextField label="Name" name="name" note="Without it, the host of the address." maxLength={200} />
      <TextField label="Pages at most" name="limit" {...count} defaultValue="5" />
      <TextField
        label="Links deep at most"
        name="maxDepth"
        note="1: the pages that the first one links to."
        {...count}
        defaultValue="1"
      />
      <RefreshField />
    </FormDialog>
  );
};
