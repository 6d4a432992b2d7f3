import { type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import type { Change } from '../service.tsx';
import { TextField } from './fields.tsx';
import { Form } from './form.tsx';

type DialogProps = { title: string; isWide?: boolean; onClose(): void; children: ReactNode };

/** A native modal dialog, which is open as long as it is rendered. Escape and its button close it. */
export const Dialog = ({ title, isWide = false, onClose, children }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // The dialog is closed before it is removed, so that the browser returns the focus.
    return () => element?.close();
  }, []);
  return (
    <dialog ref={dialog} aria-labelledby={heading} className={isWide ? 'wide-dialog' : undefined} onClose={onClose}>
      <header>
        <h2 id={heading}>{title}</h2>
        <button type="button" className="quiet" aria-label="Close" onClick={() => dialog.current?.close()}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M3.5 3.5l9 9m0-9l-9 9" />
          </svg>
        </button>
      </header>
      {children}
    </dialog>
  );
};

type DeleteProps = {
  /** The object of the deletion, such as “the agent”. */
  what: string;
  /** The name that the user types. */
  name: string;
  consequence: string;
  deletion: Change;
  onDeleted(): void;
  onClose(): void;
};

/** Deletes something once the user has typed its name. */
export const DeleteDialog = ({ what, name, consequence, deletion, onDeleted, onClose }: DeleteProps) => {
  const [typed, setTyped] = useState('');
  const isTyped = typed.trim() === name.trim();
  return (
    <Dialog title={`Delete ${what}?`} onClose={onClose}>
      <Form
        change={deletion}
        submit={`Delete ${what}`}
        pending="Deleting …"
        isDanger
        isDisabled={!isTyped}
        onSubmit={() => isTyped && deletion.mutate(undefined, { onSuccess: onDeleted })}
        onCancel={onClose}
      >
        <p>{consequence}</p>
        <TextField
          label={
            <>
              Type <strong dir="auto">{name}</strong> to delete {what}
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
