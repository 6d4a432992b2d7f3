import { type FormEvent, useState } from 'react';
import type { Agent } from '../../../openapi/client/client.ts';
import { Field } from '../components/fields.tsx';
import { Failed } from '../components/states.tsx';
import { useChange, useService } from '../service.tsx';

const maxParts = 5;

type Part = { version: string; percent: string };

const partsOf = (split: NonNullable<Agent['split']>): Part[] =>
  split.map(({ version, percent }) => ({ version: String(version), percent: String(percent) }));

/** Which versions of an agent callers get. */
export const Traffic = ({ agent: { agentId, version, split = [] } }: { agent: Agent }) => {
  const { api } = useService();
  const [parts, setParts] = useState(() => partsOf(split));
  const sum = parts.reduce((sum, { percent }) => sum + Number(percent), 0);
  const isComplete = parts.length === 0 || sum === 100;
  const isChanged = JSON.stringify(parts) !== JSON.stringify(partsOf(split));
  const { mutate, isPending, error } = useChange(
    (parts: Part[]) =>
      api.agents.setTraffic({
        agentId,
        split: parts.map(({ version, percent }) => ({ version: Number(version), percent: Number(percent) })),
      }),
    {
      changes: [['agents'], ['agent', agentId]],
      done: ({ split }) => (split.length === 0 ? 'Everybody gets the newest version.' : 'The split is saved.'),
    },
  );
  const change = (index: number, part: Partial<Part>) =>
    setParts(parts.map((old, place) => (place === index ? { ...old, ...part } : old)));
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (isComplete) mutate(parts);
  };
  return (
    <form className="stack traffic" onSubmit={submit}>
      <p>
        {split.length === 0
          ? `Everybody gets the newest version, which is version ${version}. `
          : 'Each caller gets the version that their number falls to, and always the same one. A new version gets no calls until it has a share. '}
        <a href="/docs/traffic">About traffic</a>
      </p>
      {parts.map((part, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: a part is its place in the list
        <fieldset key={index} className="part">
          <legend className="visually-hidden">Part {index + 1}</legend>
          <Field label="Version">
            {(ids) => (
              <input
                {...ids}
                type="number"
                min={1}
                max={version}
                required
                value={part.version}
                onChange={(event) => change(index, { version: event.target.value })}
              />
            )}
          </Field>
          <Field label="Percent of callers">
            {(ids) => (
              <input
                {...ids}
                type="number"
                min={1}
                max={100}
                required
                value={part.percent}
                onChange={(event) => change(index, { percent: event.target.value })}
              />
            )}
          </Field>
          <button type="button" className="quiet" onClick={() => setParts(parts.filter((_, place) => place !== index))}>
            Remove<span className="visually-hidden"> part {index + 1}</span>
          </button>
        </fieldset>
      ))}
      {!isComplete && <p className="problem">The parts have to be 100% together; they are {sum}%.</p>}
      {error && <Failed error={error} />}
      <div className="buttons">
        <button type="submit" disabled={isPending || !isComplete || !isChanged}>
          {isPending ? 'Saving …' : 'Save the split'}
        </button>
        <button
          type="button"
          className="quiet"
          disabled={parts.length >= maxParts}
          onClick={() => setParts([...parts, { version: String(version), percent: String(Math.max(1, 100 - sum)) }])}
        >
          Add a version
        </button>
        {split.length > 0 && (
          <button type="button" className="quiet" disabled={isPending} onClick={() => mutate([])}>
            Give everybody the newest version
          </button>
        )}
      </div>
    </form>
  );
};
