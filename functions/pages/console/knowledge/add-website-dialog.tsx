import { type FormEvent, useState } from 'react';
import { Dialog } from '../components/dialog.tsx';
import { Field } from '../components/fields.tsx';
import { Failed } from '../components/states.tsx';
import { useChange, useService } from '../service.tsx';

/** Adds a website to the knowledge of an agent. */
export const AddWebsiteDialog = ({ agentId, onClose }: { agentId: string; onClose(): void }) => {
  const { api } = useService();
  const [url, setUrl] = useState('');
  const [name, setName] = useState('');
  const [limit, setLimit] = useState('5');
  const [maxDepth, setMaxDepth] = useState('1');
  const { mutate, isPending, error } = useChange(
    () =>
      api.websites.add({
        ...{ agentId, url: url.trim(), name: name.trim() || undefined },
        ...{ limit: Number(limit), maxDepth: Number(maxDepth) },
      }),
    { changes: [['knowledge', agentId]], done: () => 'The website is added. Its pages are read in the background.' },
  );
  const submit = (event: FormEvent) => {
    event.preventDefault();
    mutate(undefined, { onSuccess: onClose });
  };
  return (
    <Dialog title="Add a website" onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <Field label="Address" note="The page to begin with. Pages of the same host that it links to are read, too.">
          {(ids) => (
            <input
              {...ids}
              type="url"
              required
              placeholder="https://www.example.com/"
              value={url}
              onChange={(event) => setUrl(event.target.value)}
            />
          )}
        </Field>
        <Field label="Name" note="Without it, the host of the address.">
          {(ids) => <input {...ids} maxLength={200} value={name} onChange={(event) => setName(event.target.value)} />}
        </Field>
        <Field label="Pages at most">{(ids) => <Count ids={ids} value={limit} onChange={setLimit} />}</Field>
        <Field label="Links deep at most" note="1: the pages that the first one links to.">
          {(ids) => <Count ids={ids} value={maxDepth} onChange={setMaxDepth} />}
        </Field>
        {error && <Failed error={error} />}
        <div className="buttons">
          <button type="submit" disabled={isPending}>
            {isPending ? 'Adding …' : 'Add the website'}
          </button>
          <button type="button" className="quiet" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
};

type CountProps = { ids: object; value: string; onChange(value: string): void };

const Count = ({ ids, value, onChange }: CountProps) => (
  <input
    {...ids}
    type="number"
    required
    min={1}
    max={10}
    value={value}
    onChange={(event) => onChange(event.target.value)}
  />
);
