import type { Agent } from '../../../openapi/client/client.ts';
import { TextField } from '../components/fields.tsx';
import { submitted, useDraft } from '../components/form.tsx';
import { Failed } from '../components/parts.tsx';
import { Picker } from '../components/picker.tsx';
import { useTimeZone } from '../components/values.tsx';
import { formatTime } from '../formats.ts';
import { useChange, useRead } from '../service.tsx';

const maxParts = 5;

type Part = { version: string; percent: string };

const toParts = (split: NonNullable<Agent['split']>): Part[] =>
  split.map(({ version, percent }) => ({ version: String(version), percent: String(percent) }));

/** Splits callers between versions of an agent. */
export const Traffic = ({ agent: { agentId, version, split = [] } }: { agent: Agent }) => {
  const timeZone = useTimeZone();
  const [parts, setParts] = useDraft(toParts(split));
  const sum = parts.reduce((sum, { percent }) => sum + Number(percent), 0);
  const rest = String(Math.max(1, 100 - sum));
  // A new version is usually tried with a tenth of the callers.
  const start: Part[] =
    version > 1
      ? [
          { version: String(version - 1), percent: '90' },
          { version: String(version), percent: '10' },
        ]
      : [{ version: '1', percent: '100' }];
  const { data } = useRead(['agent', agentId, 'choices'], (api, options) =>
    api.agents.listVersions({ agentId, limit: 200 }, options),
  );
  const versions = (data?.versions ?? []).map(({ version, createdAt, note }) => ({
    value: String(version),
    label: [`Version ${version}`, formatTime(createdAt, timeZone, { timeStyle: undefined }), note]
      .filter(Boolean)
      .join(' · '),
  }));
  const isComplete = parts.length === 0 || sum === 100;
  const isChanged = JSON.stringify(parts) !== JSON.stringify(toParts(split));
  const { mutate, isPending, error } = useChange(
    (api, _, parts: Part[]) =>
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
  return (
    <form className="stack traffic" onSubmit={submitted(() => isComplete && mutate(parts))}>
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
          <Picker
            label="Version"
            options={versions}
            value={part.version}
            onChange={(version) => change(index, { version })}
          />
          <TextField
            label="Percent of callers"
            type="number"
            min={1}
            max={100}
            required
            value={part.percent}
            onChange={(percent) => change(index, { percent })}
          />
          <button type="button" className="quiet" onClick={() => setParts(parts.filter((_, place) => place !== index))}>
            Remove<span className="visually-hidden"> part {index + 1}</span>
          </button>
        </fieldset>
      ))}
      {!isComplete && <p className="problem">The shares must add up to 100%. They add up to {sum}%.</p>}
      {error && <Failed error={error} />}
      <div className="buttons">
        <button type="submit" disabled={isPending || !isComplete || !isChanged}>
          {isPending ? 'Saving …' : 'Save the split'}
        </button>
        <button
          type="button"
          className="quiet"
          disabled={parts.length >= maxParts}
          onClick={() => setParts(parts.length > 0 ? [...parts, { version: String(version), percent: rest }] : start)}
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
