import type { ReactNode } from 'react';
import type { Change } from '../service.tsx';
import { Failed } from './states.tsx';

type FormProps = {
  change: Pick<Change, 'isPending' | 'error'>;
  /** The label of the button, and its label while the change is in progress. */
  submit: string;
  pending: string;
  isDisabled?: boolean;
  onSubmit(): void;
  children: ReactNode;
};

/** The form of a dialog: its fields, the error of its change, and its buttons. */
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
  <form className="stack" onSubmit={submitted(onSubmit)}>
    {children}
    {error && <Failed error={error} />}
    <div className="buttons">
      <button type="submit" className={isDanger ? 'danger' : undefined} disabled={isPending || isDisabled}>
        {isPending ? pending : submit}
      </button>
      <button type="button" className="quiet" onClick={onCancel}>
        Cancel
      </button>
    </div>
  </form>
);

/** A form in one line, with its button after its fields. */
export const InlineForm = ({ change: { isPending, error }, submit, pending, onSubmit, children }: FormProps) => (
  <form className="inline-form" onSubmit={submitted(onSubmit)}>
    {children}
    <button type="submit" disabled={isPending}>
      {isPending ? pending : submit}
    </button>
    {error && <Failed error={error} />}
  </form>
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
