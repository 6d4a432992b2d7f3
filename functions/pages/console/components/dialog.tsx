import { type FormEvent, type ReactNode, useId, useLayoutEffect, useRef, useState } from 'react';
import { Failed } from './states.tsx';

type DialogProps = { title: string; isWide?: boolean; onClose(): void; children: ReactNode };

/** A native modal dialog, which is open as long as it is rendered. Escape and its button close it. */
export const Dialog = ({ title, isWide = false, onClose, children }: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  useLayoutEffect(() => {
    const element = dialog.current;
    element?.showModal();
    // Before it is removed: the browser gives the focus back.
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
  /** What is deleted, such as “the agent”. */
  what: string;
  /** The user types it. */
  name: string;
  consequence: string;
  error: Error | null;
  isDeleting: boolean;
  onDelete(): void;
  onClose(): void;
};

/** Deletes something once the user has typed its name. */
export const DeleteDialog = ({ what, name, consequence, error, isDeleting, onDelete, onClose }: DeleteProps) => {
  const [typed, setTyped] = useState('');
  const input = useId();
  const submit = (event: FormEvent) => {
    event.preventDefault();
    if (typed.trim() === name.trim()) onDelete();
  };
  return (
    <Dialog title={`Delete ${what}?`} onClose={onClose}>
      <form className="stack" onSubmit={submit}>
        <p>{consequence}</p>
        <div>
          <label htmlFor={input}>
            Type <strong dir="auto">{name}</strong> to delete {what}
          </label>
          <input
            id={input}
            autoComplete="off"
            spellCheck={false}
            value={typed}
            onChange={(event) => setTyped(event.target.value)}
          />
        </div>
        {error && <Failed error={error} />}
        <div className="buttons">
          <button type="submit" className="danger" disabled={typed.trim() !== name.trim() || isDeleting}>
            {isDeleting ? 'Deleting …' : `Delete ${what}`}
          </button>
          <button type="button" className="quiet" onClick={onClose}>
            Cancel
          </button>
        </div>
      </form>
    </Dialog>
  );
};
