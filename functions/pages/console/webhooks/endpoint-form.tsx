import { type FormEvent, type ReactNode, useState } from 'react';
import { Field } from '../components/fields.tsx';
import { Failed } from '../components/states.tsx';
import { type EndpointFields, type EventFilter, groupsOfEvents } from './events.ts';

type EndpointFormProps = {
  initial: EndpointFields;
  submit: string;
  isPending: boolean;
  error: Error | null;
  onSubmit(fields: EndpointFields): void;
  children?: ReactNode;
};

/** The fields of an endpoint: its address, the events that it gets, and a note. */
export const EndpointForm = ({ initial, submit, isPending, error, onSubmit, children }: EndpointFormProps) => {
  const [url, setUrl] = useState(initial.url);
  const [events, setEvents] = useState(initial.events);
  const [description, setDescription] = useState(initial.description);
  // Types that were chosen one by one, by another client, stay.
  const offered = [...new Set([...groupsOfEvents.map(({ filter }) => filter), ...initial.events])];
  const choose = (filter: EventFilter, isChosen: boolean) =>
    setEvents((chosen) => (isChosen ? [...chosen, filter] : chosen.filter((one) => one !== filter)));
  const send = (event: FormEvent) => {
    event.preventDefault();
    onSubmit({ url: url.trim(), events, description: description.trim() });
  };
  return (
    <form className="stack" onSubmit={send}>
      <Field label="Address" note="https on port 443, of a server that is on the internet.">
        {(ids) => (
          <input
            {...ids}
            type="url"
            required
            placeholder="https://crm.example.com/webhooks"
            value={url}
            onChange={(event) => setUrl(event.target.value)}
          />
        )}
      </Field>
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
      <Field label="Description" note="A note for people.">
        {(ids) => (
          <input
            {...ids}
            maxLength={256}
            value={description}
            onChange={(event) => setDescription(event.target.value)}
          />
        )}
      </Field>
      {error && <Failed error={error} />}
      <div className="buttons">
        <button type="submit" disabled={isPending || events.length === 0}>
          {isPending ? 'Saving …' : submit}
        </button>
        {children}
      </div>
    </form>
  );
};
