import { useState } from 'react';
import { ApiRequestError } from '../../../openapi/client/client.ts';
import { Field, TextField } from '../components/fields.tsx';
import { submitted } from '../components/form.tsx';
import { Failed } from '../components/states.tsx';
import { type AgentField, agentFields, problemOf, type Texts } from './agent-fields.ts';

type Props = {
  texts: Texts;
  note: string;
  /** The form has something to save. */
  isChanged: boolean;
  isSaving: boolean;
  error: Error | null;
  saveLabel: string;
  onChange(change: { texts?: Texts; note?: string }): void;
  onSave(): void;
  onDiscard(): void;
};

/** The form of an agent. An error that the service returns for a field is shown at that field. */
export const AgentForm = ({
  texts,
  note,
  isChanged,
  isSaving,
  error,
  saveLabel,
  onChange,
  onSave,
  onDiscard,
}: Props) => {
  // Problems are shown only after the user has tried to save.
  const [isTried, setTried] = useState(false);
  const refused = refusedFields(error);
  const submit = () => {
    setTried(true);
    if (!agentFields.some((field) => problemOf(field, texts[field.name] ?? ''))) onSave();
  };
  const inputOf = (field: AgentField) => (
    <AgentInput
      key={field.name}
      field={field}
      text={texts[field.name] ?? ''}
      problem={(isTried ? problemOf(field, texts[field.name] ?? '') : undefined) ?? refused.get(field.name)}
      onChange={(text) => onChange({ texts: { ...texts, [field.name]: text } })}
    />
  );
  const rare = agentFields.filter(({ isRare }) => isRare);
  const isRareOpen = rare.some(
    (field) => refused.has(field.name) || (isTried && problemOf(field, texts[field.name] ?? '')),
  );
  return (
    <form className="agent-form" noValidate onSubmit={submitted(submit)}>
      {agentFields.filter(({ isRare }) => !isRare).map(inputOf)}
      <details className="whole" open={isRareOpen || undefined}>
        <summary>More fields</summary>
        <div className="agent-form">{rare.map(inputOf)}</div>
      </details>
      <div className="save">
        <TextField
          label="Note for the history"
          maxLength={256}
          placeholder="Why?"
          value={note}
          onChange={(note) => onChange({ note })}
        />
        <div className="buttons">
          <button type="submit" disabled={isSaving || !isChanged}>
            {isSaving ? 'Saving …' : saveLabel}
          </button>
          <button type="button" className="quiet" disabled={isSaving} onClick={onDiscard}>
            Discard
          </button>
        </div>
        {error && !isConflict(error) && <Failed error={error} />}
      </div>
    </form>
  );
};

/** Returns true if a change failed because its version is not the newest one. */
export const isConflict = (error: Error | null): boolean =>
  error instanceof ApiRequestError && error.code === 'version_conflict';

/** Returns the fields that the service refused, each with its reason. */
const refusedFields = (error: Error | null): Map<string, string> => {
  if (!(error instanceof ApiRequestError)) return new Map();
  if (error.code === 'phone_number_in_use') return new Map([['phoneNumber', error.message]]);
  const details = isConflict(error) ? [] : (error.details ?? []);
  return new Map(
    details.map(({ path, message }) => [path.replace(/^configuration\./, '').split('.')[0] ?? '', `It ${message}.`]),
  );
};

type InputProps = { field: AgentField; text: string; problem: string | undefined; onChange(text: string): void };

const AgentInput = ({ field: { label, kind, note, placeholder }, text, problem, onChange }: InputProps) => {
  if (kind === 'check') {
    return (
      <label className="check">
        <input
          type="checkbox"
          checked={text === 'true'}
          onChange={(event) => onChange(event.target.checked ? 'true' : '')}
        />
        {label}
      </label>
    );
  }
  if (kind === 'line') {
    return (
      <TextField
        label={label}
        note={note}
        problem={problem}
        dir="auto"
        autoComplete="off"
        placeholder={placeholder}
        value={text}
        onChange={onChange}
      />
    );
  }
  return (
    <Field label={label} note={note} problem={problem} isWhole>
      {(ids) => (
        <textarea
          {...ids}
          dir="auto"
          className={kind === 'json' ? 'code' : undefined}
          spellCheck={kind !== 'json'}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
};
