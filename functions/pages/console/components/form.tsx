import { createContext, type FormEvent, type ReactNode, use, useEffect, useRef, useState } from 'react';
import { type Change, refusedFields } from '../service.tsx';
import { Failed } from './parts.tsx';

const RefusedFields = createContext<Map<string, string>>(new Map());

/** Returns the reason why the service refused a field of the form. */
export const useRefusal = (name: string | undefined): string | undefined => use(RefusedFields).get(name ?? '');

/** Returns what a form has: what is stored, until the user changes it. What is typed while a save is on its way stays. */
export const useDraft = <Value,>(stored: Value): [Value, (value: Value) => void] => {
  const [known, setKnown] = useState(stored);
  const [value, setValue] = useState(stored);
  const isEqual = (one: Value, other: Value) => JSON.stringify(one) === JSON.stringify(other);
  if (!isEqual(stored, known)) {
    setKnown(stored);
    if (isEqual(value, known)) setValue(stored);
  }
  return [value, setValue];
};

/** The texts of a form, by the names of its fields. */
export type Texts = Record<string, string>;

type RefusableProps = {
  error: Error | null;
  className: string;
  onSubmit(texts: Texts): void;
  /** The buttons, before the error that belongs to no field. */
  buttons: ReactNode;
  children: ReactNode;
};

/**
 * A form. What the service refused is shown once: at the field of its name or of the record that has it, or below the fields
 * if there is none.
 */
export const RefusableForm = ({ error, className, onSubmit, buttons, children }: RefusableProps) => {
  const form = useRef<HTMLFormElement>(null);
  const hasField = (name: string) => form.current?.elements.namedItem(name) != null;
  /** Returns the path, or the nearest one above it that has a field. */
  const findField = (path: string): string =>
    hasField(path) || !path.includes('.') ? path : findField(path.slice(0, path.lastIndexOf('.')));
  const refused = refusedFields(error).map(([path, problem]) => [findField(path), path, problem] as const);
  const others = refused.filter(([name]) => !hasField(name));
  useEffect(() => {
    if (error) form.current?.querySelector<HTMLElement>('[aria-invalid]')?.focus();
  }, [error]);
  return (
    <form className={className} ref={form} noValidate={className === 'agent-form'} onSubmit={submitted(onSubmit)}>
      <RefusedFields value={new Map(refused.map(([name, , problem]) => [name, `It ${problem}`]))}>
        {children}
      </RefusedFields>
      {buttons}
      {error && (refused.length === 0 || others.length > 0) && (
        <Failed
          error={error}
          message={others.map(([, path, problem]) => `${path} ${problem}`).join(' ') || undefined}
        />
      )}
    </form>
  );
};

/** A change that is made with the texts of a form. */
type FormChange<Data> = Pick<Change, 'isPending' | 'error'> & {
  mutate(texts: Texts, options: { onSuccess: ((data: Data) => void) | undefined }): void;
};

export type FormProps<Data> = {
  /** The label of the button, and its label while the change is in progress. */
  submit: string;
  pending: string;
  isDisabled?: boolean;
  isDanger?: boolean;
  /** Ends the dialog of the form. A form without it is in one line, with its button after its fields. */
  onCancel?(): void;
  children: ReactNode;
} & (
  | { change: FormChange<Data>; onDone?(data: Data): void; onSubmit?: undefined }
  | { change: Pick<Change, 'isPending' | 'error'>; onDone?: undefined; onSubmit(texts: Texts): void }
);

/** A form: its fields, its buttons, and the error of its change. Without `onSubmit`, it makes the change with its texts. */
export const Form = <Data,>({
  change,
  submit,
  pending,
  isDisabled,
  isDanger,
  onDone,
  onSubmit,
  onCancel,
  children,
}: FormProps<Data>) => {
  const send = onSubmit ?? ((texts: Texts) => (change as FormChange<Data>).mutate(texts, { onSuccess: onDone }));
  const button = (
    <button type="submit" className={isDanger ? 'danger' : undefined} disabled={change.isPending || isDisabled}>
      {change.isPending ? pending : submit}
    </button>
  );
  const buttons = onCancel ? (
    <div className="buttons">
      {button}
      <button type="button" className="quiet" onClick={onCancel}>
        Cancel
      </button>
    </div>
  ) : (
    button
  );
  return (
    <RefusableForm
      className={onCancel ? 'stack' : 'inline-form'}
      error={change.error}
      onSubmit={send}
      buttons={buttons}
    >
      {children}
    </RefusableForm>
  );
};

/** Returns a submit handler for a form that the page itself sends. */
export const submitted = (submit: (texts: Texts) => void) => (event: FormEvent<HTMLFormElement>) => {
  event.preventDefault();
  const fields = [...new FormData(event.currentTarget)];
  submit(Object.fromEntries(fields.map(([name, value]) => [name, String(value).trim()])));
};

type ChangeButtonProps = {
  change: Change;
  label?: string;
  className?: string;
  isDisabled?: boolean;
  children: ReactNode;
};

/** A button that changes something at once, and the error of the change. */
export const ChangeButton = ({ change, label, className, isDisabled = false, children }: ChangeButtonProps) => (
  <>
    <button
      type="button"
      className={className}
      aria-label={label}
      disabled={change.isPending || isDisabled}
      onClick={() => change.mutate(undefined)}
    >
      {children}
    </button>
    {change.error && <Failed error={change.error} />}
  </>
);
