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
          <TextField
            label="Value"
            type="number"
            step="any"
            value={outcome.value ?? ''}
            onChange={(value) => change(index, { value: readNumber(value) })}
          />
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
          <TextField
            label="Held below seconds"
            type="number"
            min={0}
            value={outcome.found?.minSeconds ?? ''}
            onChange={(seconds) => change(index, { found: { ...outcome.found, minSeconds: readNumber(seconds) } })}
          />
          <TextField
            label="Held below words"
            type="number"
            min={0}
            value={outcome.found?.minCallerWords ?? ''}
            onChange={(words) => change(index, { found: { ...outcome.found, minCallerWords: readNumber(words) } })}
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
