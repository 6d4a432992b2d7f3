import { type ComponentProps, useState } from 'react';
import type { CreateWebhookEndpointParams } from '../../../openapi/client/client.ts';
import { FormDialog, Secret } from '../components/dialog.tsx';
import { Checks, TextField } from '../components/fields.tsx';
import { useChange } from '../service.tsx';

/** A type of events, or a group of them. */
export type EventFilter = NonNullable<CreateWebhookEndpointParams['events']>[number];

/** The fields of an endpoint that a form has. */
export type EndpointFields = { url: string; events: EventFilter[]; description: string };

/** The groups of events that an endpoint may ask for, with their names for people. */
export const groupsOfEvents = new Map<EventFilter, string>([
  ['*', 'Everything'],
  ['call.*', 'Calls'],
  ['agent.*', 'Agents'],
  ['block_list.*', 'Block lists'],
  ['website.*', 'Websites'],
  ['document.*', 'Documents'],
  ['webhook_endpoint.*', 'Webhook endpoints'],
]);

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

/** Creates an endpoint, and shows its secret once. */
export const CreateEndpointDialog = ({ onClose }: { onClose(): void }) => {
  const creation = useChange(
    (api, options, { description, ...fields }: EndpointFields) =>
      api.webhooks.createEndpoint({ ...fields, description: description || undefined }, options),
    { changes: [['webhooks']], done: () => 'The endpoint is created.' },
  );
  return (
    <EndpointForm
      title="Create an endpoint"
      initial={{ url: '', events: ['*'], description: '' }}
      change={creation}
      submit="Create the endpoint"
      result={creation.data && <EndpointSecret secret={creation.data.secret} onDone={onClose} />}
      resultTitle="The secret of the endpoint"
      onSubmit={creation.mutate}
      onClose={onClose}
    />
  );
};
