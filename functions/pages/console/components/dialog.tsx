import type { QueryKey } from '@tanstack/react-query';
import { type ReactNode, useEffect, useId, useLayoutEffect, useRef, useState } from 'react';
import type { ApiClient, RequestOptions, Result } from '../../../openapi/client/client.ts';
import { useChange } from '../service.tsx';
import { CopyButton } from './copy-button.tsx';
import { TextField } from './fields.tsx';
import { Form, type FormProps } from './form.tsx';

type DialogProps = {
  title: string;
  isWide?: boolean;
  /** The dialog is at the side. On a wide screen, the page beside it stays usable. */
  isPanel?: boolean;
  /** What is typed is worth a question before it is lost. */
  isKept?: boolean;
  /** It is for one choice: a click beside it closes it, too. The browser need not make all of a large page inert, which takes long. */
  isFleeting?: boolean;
  /** What the dialog is about. What was typed about something else is over. */
  subject?: string;
  onClose(): void;
  children: ReactNode;
};

/** A native dialog, which is open as long as it is rendered. Escape and its button close it. Its first field has the focus. */
export const Dialog = ({
  title,
  isWide = false,
  isPanel = false,
  isKept = true,
  isFleeting = false,
  subject,
  onClose,
  children,
}: DialogProps) => {
  const dialog = useRef<HTMLDialogElement>(null);
  const heading = useId();
  const isTyped = useRef(false);
  const [isAsking, setAsking] = useState(false);
  const [isClosed, setClosed] = useState(false);
  const close = () => hide(dialog.current);
  const isLost = () =>
    isKept && (isTyped.current || dialog.current?.querySelector('form :is(.failed, [aria-invalid])'));
  const leave = () => (isLost() && !isAsking ? setAsking(true) : close());
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the subject changes
  useEffect(() => {
    isTyped.current = false;
    setAsking(false);
  }, [subject]);
  useLayoutEffect(() => {
    const element = dialog.current;
    if (isPanel && matchMedia('(min-width: 90rem)').matches) element?.show();
    // Over a modal dialog, only another one can be used.
    else if (isFleeting && !document.querySelector(':modal')) element?.showPopover();
    else element?.showModal();
    element?.querySelector<HTMLElement>('form :is(input, select, textarea)')?.focus();
    // The dialog is closed before it is removed, so that the browser returns the focus.
    return () => hide(element);
  }, [isPanel, isFleeting]);
  // The browser shows the page without the dialog before anything else changes.
  // biome-ignore lint/correctness/useExhaustiveDependencies: it runs when the dialog is closed
  useEffect(() => {
    if (isClosed) onClose();
  }, [isClosed]);
  return (
    <dialog
      ref={dialog}
      popover={isFleeting ? 'auto' : undefined}
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
      // A dialog that is removed is closed, too. A popover only toggles.
      onClose={({ currentTarget }) => currentTarget.isConnected && setClosed(true)}
      onToggle={({ currentTarget, newState }) => currentTarget.isConnected && newState === 'closed' && setClosed(true)}
    >
      <div className="dialog-title">
        <h2 id={heading}>{title}</h2>
        <button type="button" className="quiet" aria-label="Close" onClick={leave}>
          <svg viewBox="0 0 16 16" aria-hidden="true">
            <path d="M3.5 3.5l9 9m0-9l-9 9" />
          </svg>
        </button>
      </div>
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

const hide = (dialog: HTMLDialogElement | null) =>
  dialog?.matches(':popover-open') ? dialog.hidePopover() : dialog?.close();

type FormDialogProps<Data> = FormProps<Data> &
  Omit<DialogProps, 'children'> & {
    /** What the change made, in place of the form, under its own title. */
    result?: ReactNode;
    resultTitle?: string;
  };

/** A dialog that is a form. */
export const FormDialog = <Data,>({
  title,
  isWide,
  isKept,
  onClose,
  result,
  resultTitle = title,
  ...form
}: FormDialogProps<Data>) => (
  <Dialog title={result ? resultTitle : title} isWide={isWide} isKept={isKept} onClose={onClose}>
    {result || <Form<Data> {...form} onCancel={onClose} />}
  </Dialog>
);

type DialogButtonProps = {
  label: string;
  /** The name of the button for screen readers, if its label is not enough. */
  fullLabel?: string;
  className?: string;
  children(onClose: () => void): ReactNode;
};

/** A button that opens a dialog. */
export const DialogButton = ({ label, fullLabel, className, children }: DialogButtonProps) => {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <button type="button" className={className} aria-label={fullLabel} onClick={() => setOpen(true)}>
        {label}
      </button>
      {isOpen && children(() => setOpen(false))}
    </>
  );
};

type DeleteProps<Data extends object> = {
  /** The object of the deletion, such as “the agent”. */
  what: string;
  verb?: string;
  /** The name that the user types. */
  name: string;
  consequence: string;
  remove(api: ApiClient, options: RequestOptions): Promise<Result<Data>>;
  /** The names of what is read again, and what is announced. */
  changes: QueryKey[];
  done?: string;
  onDeleted(data: Data): void;
  onClose(): void;
  /** What the user decides about the deletion. */
  children?: ReactNode;
};

/** Deletes something once the user has typed its name. */
export const DeleteDialog = <Data extends object>({
  what,
  verb = 'Delete',
  name,
  consequence,
  remove,
  ...props
}: DeleteProps<Data>) => {
  const { changes, done = `${name} is deleted.`, onDeleted, onClose, children } = props;
  const [typed, setTyped] = useState('');
  const isTyped = typed.trim() === name.trim();
  const deletion = useChange(remove, { changes, done: () => done });
  return (
    <FormDialog
      title={`${verb} ${what}?`}
      isKept={false}
      change={deletion}
      submit={`${verb} ${what}`}
      pending="In progress …"
      isDanger
      isDisabled={!isTyped}
      onSubmit={() => isTyped && deletion.mutate(undefined, { onSuccess: onDeleted })}
      onClose={onClose}
    >
      <p>{consequence}</p>
      {children}
      <TextField
        label={
          <>
            Type <strong dir="auto">{name}</strong> to {verb.toLowerCase()} {what}
          </>
        }
        autoComplete="off"
        spellCheck="false"
        value={typed}
        onChange={setTyped}
      />
    </FormDialog>
  );
};

type DeleteButtonProps<Data extends object> = Omit<DeleteProps<Data>, 'onDeleted' | 'onClose'> & {
  label?: string;
  onDeleted?(data: Data): void;
};

/** A button that deletes something once the user has typed its name. */
export const DeleteButton = <Data extends object>({
  label = 'Delete',
  onDeleted,
  ...deletion
}: DeleteButtonProps<Data>) => (
  <DialogButton label={label} className="quiet warns">
    {(onClose) => <DeleteDialog {...deletion} onDeleted={onDeleted ?? onClose} onClose={onClose} />}
  </DialogButton>
);

type SecretProps = { secret: string; onDone(): void; children: ReactNode };

/** Shows a secret, which is never shown again, below what it is for. */
export const Secret = ({ secret, onDone, children }: SecretProps) => (
  <div className="stack">
    <p>{children} It is not shown again.</p>
    {/* biome-ignore lint/a11y/noNoninteractiveTabindex: the secret is selected by keyboard, too */}
    <code className="secret" aria-label="Secret" role="img" tabIndex={0}>
      {secret}
    </code>
    <div className="buttons">
      <CopyButton text={secret} what="The secret" isQuiet={false} />
      <button type="button" className="quiet" onClick={onDone}>
        Done
      </button>
    </div>
  </div>
);
