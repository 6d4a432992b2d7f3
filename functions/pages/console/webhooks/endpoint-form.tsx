import { useState } from 'react';
import { TextField } from '../components/fields.tsx';
import { Form } from '../components/form.tsx';
import type { Change } from '../service.tsx';
import { type EndpointFields, type EventFilter, groupsOfEvents } from './events.ts';

type EndpointFormProps = {
  initial: EndpointFields;
  change: Pick<Change, 'isPending' | 'error'>;
  submit: string;
  onSubmit(fields: EndpointFields): void;
  onCancel(): void;
};

/** What the secret of an endpoint is for. */
export const SecretUse = () => (
  <>
    The secret signs what is sent: give it to the program that receives it (
    <a href="/docs/webhooks">how to verify a signature</a>).
  </>
);

/** The fields of an endpoint: its address, the events that it gets, and a note. */
export const EndpointForm = ({ initial, change, submit, onSubmit, onCancel }: EndpointFormProps) => {
  const [url, setUrl] = useState(initial.url);
  const [events, setEvents] = useState(initial.events);
  const [description, setDescription] = useState(initial.description);
  // Event types that another client chose one by one are kept.
  const offered = [...new Set([...groupsOfEvents.map(({ filter }) => filter), ...initial.events])];
  const choose = (filter: EventFilter, isChosen: boolean) =>
    setEvents((chosen) => (isChosen ? [...chosen, filter] : chosen.filter((one) => one !== filter)));
  return (
    <Form
      change={change}
      submit={submit}
      pending="Saving …"
      isDisabled={events.length === 0}
      onSubmit={() => onSubmit({ url: url.trim(), events, description: description.trim() })}
      onCancel={onCancel}
    >
      <TextField
        label="Address"
        name="url"
        note="https on port 443, of a server that is on the internet."
        type="url"
        required
        placeholder="https://crm.example.com/webhooks"
        value={url}
        onChange={setUrl}
      />
      <fieldset className="choices">
        <legend>Events</legend>
        {offered.map((filter) => (
          <label key={filter} className="check">
            <input
              type="checkbox"
              checked={events.includes(filter)}
              onChange={(event) => choose(filter, event.target.checked)}
            />
            {groupsOfEvents.find((group) => group.filter === filter)?.label ?? filter}
          </label>
        ))}
      </fieldset>
      <TextField
        label="Description"
        name="description"
        note="A note for people."
        maxLength={256}
        value={description}
        onChange={setDescription}
      />
    </Form>
  );
};
