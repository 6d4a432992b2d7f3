import { type ComponentProps, useState } from 'react';
import { FormDialog, Secret } from '../components/dialog.tsx';
import { Checks, TextField } from '../components/fields.tsx';
import { type EndpointFields, groupsOfEvents } from './events.ts';

/** The secret of an endpoint, which is shown once. */
export const EndpointSecret = ({ secret, onDone }: { secret: string; onDone(): void }) => (
  <Secret secret={secret} onDone={onDone}>
    The secret signs what is sent: give it to the program that receives it (
    <a href="/docs/webhooks">how to verify a signature</a>).
  </Secret>
);

type Props = Pick<
  ComponentProps<typeof FormDialog>,
  'title' | 'change' | 'submit' | 'result' | 'resultTitle' | 'onClose'
> & {
  initial: EndpointFields;
  onSubmit(fields: EndpointFields): void;
};

/** The fields of an endpoint: its address, the events that it gets, and a note. */
export const EndpointForm = ({ initial, onSubmit, ...dialog }: Props) => {
  const [events, setEvents] = useState(initial.events);
  // Event types that another client chose one by one are kept.
  const offered = [...new Set([...groupsOfEvents.keys(), ...initial.events])];
  return (
    <FormDialog
      {...dialog}
      pending="Saving …"
      isDisabled={events.length === 0}
      onSubmit={({ url = '', description = '' }) => onSubmit({ url, events, description })}
    >
      <TextField
        label="Address"
        name="url"
        note="https on port 443, of a server that is on the internet."
        type="url"
        required
        placeholder="https://crm.example.com/webhooks"
        defaultValue={initial.url}
      />
      <Checks
        legend="Events"
        options={offered.map((value) => ({ value, label: groupsOfEvents.get(value) ?? value }))}
        chosen={events}
        onChange={setEvents}
      />
      <TextField
        label="Description"
        name="description"
        note="A note for people."
        maxLength={256}
        defaultValue={initial.description}
      />
    </FormDialog>
  );
};
