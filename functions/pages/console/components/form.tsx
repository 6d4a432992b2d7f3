import { createContext, type ReactNode, use, useEffect, useRef } from 'react';
import { type Change, refusedFields } from '../service.tsx';
import { Failed } from './states.tsx';

const RefusedFields = createContext<Map<string, string>>(new Map());

/** Returns the reason why the service refused a field of the form. */
export const useRefusal = (name: string | undefined): string | undefined => use(RefusedFields).get(name ?? '');

type RefusableProps = {
  error: Error | null;
  className: string;
  onSubmit(): void;
  /** The buttons, before the error that belongs to no field. */
  buttons: ReactNode;
  children: ReactNode;
};

/** A form. What the service refused is shown once: at its field, or below the fields if there is none. */
export const RefusableForm = ({ error, className, onSubmit, buttons, children }: RefusableProps) => {
  const form = useRef<HTMLFormElement>(null);
  const refused = refusedFields(error).map(([path, problem]) => [path.split('.')[0] ?? '', path, problem] as const);
  const others = refused.filter(([name]) => !form.current?.elements.namedItem(name));
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

type FormProps = {
  change: Pick<Change, 'isPending' | 'error'>;
  /** The label of the button, and its label while the change is in progress. */
  submit: string;
  pending: string;
  isDisabled?: boolean;
  onSubmit(): void;
  children: ReactNode;
};

/** The form of a dialog: its fields, its buttons, and the error of its change. */
export const Form = ({
  change: { isPending, error },
  submit,
  pending,
  isDisabled = false,
  isDanger = false,
  onSubmit,
  onCancel,
  children,
}: FormProps & { isDanger?: boolean; onCancel(): void }) => (
  <RefusableForm
    className="stack"
    error={error}
    onSubmit={onSubmit}
    buttons={
      <div className="buttons">
        <button type="submit" className={isDanger ? 'danger' : undefined} disabled={isPending || isDisabled}>
          {isPending ? pending : submit}
        </button>
        <button type="button" className="quiet" onClick={onCancel}>
          Cancel
        </button>
      </div>
    }
  >
    {children}
  </RefusableForm>
);

/** A form in one line, with its button after its fields. */
export const InlineForm = ({ change, submit, pending, isDisabled = false, onSubmit, children }: FormProps) => (
  <RefusableForm
    className="inline-form"
    error={change.error}
    onSubmit={onSubmit}
    buttons={
      <button type="submit" disabled={change.isPending || isDisabled}>
        {change.isPending ? pending : submit}
      </button>
    }
  >
    {children}
  </RefusableForm>
);

/** Returns a submit handler for a form that the page itself sends. */
export const submitted = (submit: () => void) => (event: { preventDefault(): void }) => {
  event.preventDefault();
  submit();
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
