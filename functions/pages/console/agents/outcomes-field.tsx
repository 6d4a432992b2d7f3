import { type ComponentProps, useState } from 'react';
import type { Agent } from '../../../openapi/client/client.ts';
import { Choice, TextField } from '../components/fields.tsx';
import { useRefusal } from '../components/form.tsx';

type Outcome = NonNullable<Agent['configuration']['outcomes']>[number];
type When = NonNullable<Outcome['blocks']>;

const whens: { value: When; label: string }[] = [
  { value: 'never', label: 'Never' },
  { value: 'set', label: 'When somebody sets it' },
  { value: 'found', label: 'Also when the platform finds it' },
];

const readNumber = (text: string) => (text === '' ? undefined : Number(text));

/** The outcomes that an agent declares, one below the other. Their text is JSON. */
export const OutcomesField = ({ text, onChange }: { text: string; onChange(text: string): void }) => {
  const refusal = useRefusal('outcomes');
  const outcomes = text === '' ? [] : (JSON.parse(text) as Outcome[]);
  const save = (changed: Outcome[]) => onChange(changed.length === 0 ? '' : JSON.stringify(changed));
  const change = (place: number, fields: Partial<Outcome>) =>
    save(outcomes.map((outcome, index) => (index === place ? { ...outcome, ...fields } : outcome)));
  return (
    <fieldset name="outcomes" className="stack whole">
      <p className="faint">
        {outcomes.length === 0
          ? 'A call can have any outcome. Once outcomes are declared here, any other is refused.'
          : 'A call can have one of these outcomes. One that the platform finds in a shorter call is held for you.'}
      </p>
      {refusal && <p className="problem">{refusal}</p>}
      {outcomes.map((outcome, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: an outcome is its place until it is saved
        <fieldset key={index} className="part outcome" aria-label={outcome.name || `Outcome ${index + 1}`}>
          <TextField
            label="Outcome"
            required
            dir="auto"
            value={outcome.name}
            onChange={(name) => change(index, { name })}
          />
          <NumberField label="Value" step="any" value={outcome.value} onChange={(value) => change(index, { value })} />
          <Choice
            label="Blocks the number"
            options={whens}
            value={outcome.blocks ?? 'never'}
            onChange={(blocks) => change(index, { blocks: blocks as When })}
          />
          <Choice
            label="Revokes consents"
            options={whens}
            value={outcome.revokes ?? 'never'}
            onChange={(revokes) => change(index, { revokes: revokes as When })}
          />
          <NumberField
            label="Held below seconds"
            min={0}
            value={outcome.found?.minSeconds}
            onChange={(minSeconds) => change(index, { found: { ...outcome.found, minSeconds } })}
          />
          <NumberField
            label="Held below words"
            min={0}
            value={outcome.found?.minCallerWords}
            onChange={(minCallerWords) => change(index, { found: { ...outcome.found, minCallerWords } })}
          />
          <button
            type="button"
            className="quiet"
            aria-label={`Remove the outcome ${outcome.name || index + 1}`}
            onClick={() => save(outcomes.filter((_, place) => place !== index))}
          >
            Remove
          </button>
        </fieldset>
      ))}
      <div className="buttons">
        <button type="button" className="quiet" onClick={() => save([...outcomes, { name: '' }])}>
          Add an outcome
        </button>
      </div>
    </fieldset>
  );
};

type NumberFieldProps = Omit<ComponentProps<typeof TextField>, 'type' | 'value' | 'onChange'> & {
  value: number | undefined;
  onChange(value: number | undefined): void;
};

/** A number. Its text stays as it is typed, since `1.0` is on the way to `1.05`. */
const NumberField = ({ value, onChange, ...field }: NumberFieldProps) => {
  const [typed, setTyped] = useState('');
  return (
    <TextField
      {...field}
      type="number"
      value={readNumber(typed) === value ? typed : String(value ?? '')}
      onChange={(text) => {
        setTyped(text);
        onChange(readNumber(text));
      }}
    />
  );
};
