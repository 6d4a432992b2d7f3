import { useState } from 'react';
import { chooseSentence, discloseFirst } from '../../../domain/disclosure-sentence.ts';
import { Checks, Field, TextField } from '../components/fields.tsx';
import { RefusableForm } from '../components/form.tsx';
import { getErrorCode, refusedFields } from '../service.tsx';
import {
  type AgentField,
  agentFields,
  fieldGroups,
  findFieldProblem,
  parseDisclosure,
  type Texts,
} from './agent-fields.ts';
import { OutcomesField } from './outcomes-field.tsx';

type Props = {
  texts: Texts;
  note: string;
  /** What there is to save, such as “Greeting changed”. Without it, there is nothing. */
  changed: string | undefined;
  isSaving: boolean;
  error: Error | null;
  saveLabel: string;
  onChange(change: { texts?: Texts; note?: string }): void;
  onSave(): void;
  onDiscard(): void;
};

/** The form of an agent. An error that the service returns for a field is shown at that field. */
export const AgentForm = ({ texts, note, changed, isSaving, error, saveLabel, onChange, onSave, onDiscard }: Props) => {
  // Problems are shown only after the user has tried to save.
  const [isTried, setTried] = useState(false);
  const shownProblem = (field: AgentField) => (isTried ? findFieldProblem(field, texts[field.name] ?? '') : undefined);
  const refused = refusedFields(error).map(([path]) => path);
  const isRefused = ({ name }: AgentField) =>
    refused.some((path) => path === name || path.startsWith(`${name}.`) || name.startsWith(`${path}.`));
  const submit = () => {
    setTried(true);
    if (!agentFields.some((field) => findFieldProblem(field, texts[field.name] ?? ''))) onSave();
  };
  return (
    <RefusableForm
      className="agent-form"
      error={isConflict(error) ? null : error}
      onSubmit={submit}
      buttons={
        changed && (
          <div className="save">
            <p role="status">{changed}</p>
            <TextField
              label="Note for the history"
              maxLength={256}
              placeholder="Why?"
              value={note}
              onChange={(note) => onChange({ note })}
            />
            <div className="buttons">
              <button type="submit" disabled={isSaving}>
                {isSaving ? 'Saving …' : saveLabel}
              </button>
              <button type="button" className="quiet" disabled={isSaving} onClick={onDiscard}>
                Discard
              </button>
            </div>
          </div>
        )
      }
    >
      {fieldGroups.map(({ title, isRare, fields }) => {
        const inputs = fields.map((field) => (
          <AgentInput
            key={field.name}
            field={field.name === 'greeting' ? { ...field, note: describeGreeting(texts) ?? field.note } : field}
            text={texts[field.name] ?? ''}
            problem={shownProblem(field)}
            onChange={(text) => onChange({ texts: { ...texts, [field.name]: text } })}
          />
        ));
        return isRare ? (
          <details key={title} open={fields.some((field) => isRefused(field) || shownProblem(field)) || undefined}>
            <summary>{title}</summary>
            <div className="group">{inputs}</div>
          </details>
        ) : (
          <fieldset key={title} className="group">
            <legend>{title}</legend>
            {inputs}
          </fieldset>
        );
      })}
    </RefusableForm>
  );
};

/** Returns what a voice platform gets as the greeting, if the agent has a disclosure. */
const describeGreeting = ({ disclosure = '', greeting, language }: Texts): string | undefined => {
  const sentence = chooseSentence(parseDisclosure(disclosure) ?? '', language);
  return sentence && `With its disclosure: “${discloseFirst(sentence, greeting)}”`;
};

/** Returns true if a change failed because its version is not the newest one. */
export const isConflict = (error: Error | null): boolean => getErrorCode(error) === 'version_conflict';

type InputProps = { field: AgentField; text: string; problem: string | undefined; onChange(text: string): void };

const AgentInput = ({ field, text, problem, onChange }: InputProps) => {
  const { name, label, kind, note, placeholder, options } = field;
  if (kind === 'choices') {
    return (
      <div className="whole">
        <Checks
          legend={label}
          options={options ?? []}
          chosen={text.split('\n').filter(Boolean)}
          // The order is that of the options, so that an undone choice is no change.
          onChange={(chosen) =>
            onChange((options ?? []).flatMap(({ value }) => (chosen.includes(value) ? value : [])).join('\n'))
          }
        />
      </div>
    );
  }
  if (kind === 'check') {
    return (
      <label className="check">
        <input
          type="checkbox"
          name={name}
          checked={text === 'true'}
          onChange={(event) => onChange(event.target.checked ? 'true' : '')}
        />
        {label}
      </label>
    );
  }
  if (kind === 'outcomes') return <OutcomesField text={text} onChange={onChange} />;
  if (kind === 'line' || kind === 'number') {
    return (
      <TextField
        label={label}
        name={name}
        note={note}
        problem={problem}
        dir="auto"
        autoComplete="off"
        placeholder={placeholder}
        inputMode={kind === 'number' ? 'numeric' : undefined}
        value={text}
        onChange={onChange}
      />
    );
  }
  return (
    <Field label={label} name={name} note={note} problem={problem} isWhole>
      {(ids) => (
        <textarea
          {...ids}
          dir="auto"
          className={kind === 'json' ? 'code' : undefined}
          spellCheck={kind === 'json' ? 'false' : undefined}
          value={text}
          onChange={(event) => onChange(event.target.value)}
        />
      )}
    </Field>
  );
};
