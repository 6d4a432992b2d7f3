import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import type { Change } from '../service.tsx';
import { TextField } from './fields.tsx';
import { Form } from './form.tsx';

type DialogProps = {
  title: string;
  isWide?: boolean;
  /** The dialog is at the side. On a wide screen, the page beside it stays usable. */
  isPanel?: boolean;
  /** What is typed is worth a question before it is lost. */
  isKept?: boolean;
  onClose(): void;
  children: ReactNode;
};

/** A native modal dialog, which is open as long as it is rendered. Escape and its button close it. Its first field has the focus. */
export const Dialog = ({ title, isWide = false, isPanel = false, isKept = true, onClose, children }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const isTyped = useRef(false);
  const [isAsking, setAsking] = useState(false);
  const close = () => dialog.current?.close();
  const isLost = () =>
    isKept && (isTyped.current || dialog.current?.querySelector('form :is(.failed, [aria-invalid])'));
  const leave = () => (isLost() && !isAsking ? setAsking(true) : close());
  useLayoutEffect(() => {
    const element = dialog.current;
    if (isPanel && matchMedia('(min-width: 90rem)').matches) element?.show();
    else element?.showModal();
    element?.querySelector<HTMLElement>('form :is(input, select, textarea)')?.focus();
    // The dialog is closed before it is removed, so that the browser returns the focus.
    return () => element?.close();
  }, [isPanel]);
  return (
    <dialog
      ref={dialog}
      aria-labelledby={heading}
      className={isPanel ? 'panel' : isWide ? 'wide-dialog' : undefined}
      onInput={({ target }) => {
        isTyped.current ||= (target as Element).matches('textarea, input:not([type="checkbox"])');
      }}
      onSubmit={() => {
        isTyped.current = false;
      }}
      onKeyDown={({ key, defaultPrevented }) => {
        // A dialog that is not modal gets no cancel event.
        if (key === 'Escape' && !defaultPrevented && !dialog.current?.matches(':modal')) leave();
      }}
      onCancel={(event) => {
        // A file picker that is closed cancels, too.
        if (isAsking || !isLost() || event.target !== event.currentTarget) return;
        event.preventDefault();
        setAsking(true);
      }}
      onClose={onClose}
    >
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" className="quiet" aria-label="Close" onClick={leave}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M3.5 3.5l9 9m0-9l-9 9" />
          </svg>
        </button>
      </header>
      {isAsking && (
        <div className="failed" role="alert">
          <p>What you typed is not saved.</p>
          <button type="button" className="quiet" onClick={() => setAsking(false)}>
            Continue
          </button>
          <button type="button" className="danger" onClick={close}>
            Discard it
          </button>
        </div>
      )}
      {children}
    </dialog>
  );
};

type DeleteProps = {
  /** The object of the deletion, such as “the agent”. */
  what: string;
  verb?: string;
  /** The name that the user types. */
  name: string;
  consequence: string;
  deletion: Change;
  onDeleted(): void;
  onClose(): void;
};

/** Deletes something once the user has typed its name. */
export const DeleteDialog = ({
  what,
  verb = 'Delete',
  name,
  consequence,
  deletion,
  onDeleted,
  onClose,
}: DeleteProps) => {
  const [typed, setTyped] = useState('');
  const isTyped = typed.trim() === name.trim();
  return (
    <Dialog title={`${verb} ${what}?`} isKept={false} onClose={onClose}>
      <Form
        change={deletion}
        submit={`${verb} ${what}`}
        pending="In progress …"
        isDanger
        isDisabled={!isTyped}
        onSubmit={() => isTyped && deletion.mutate(undefined, { onSuccess: onDeleted })}
        onCancel={onClose}
      >
        <p>{consequence}</p>
        <TextField
          label={
            <>
              Type <strong dir="auto">{name}</strong> to {verb.toLowerCase()} {what}
            </>
          }
          autoComplete="off"
          spellCheck={false}
          value={typed}
          onChange={setTyped}
        />
      </Form>
    </Dialog>
  );
};
