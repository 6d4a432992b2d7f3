import { type KeyboardEvent, type RefObject, useEffect, useState } from 'react';

type Props = {
  ref: RefObject<HTMLTextAreaElement | null>;
  initialText: string;
  isBusy: boolean;
  onSend(text: string): void;
  onStop(): void;
};

/** The maximum length of a message that the service accepts. */
const maxUnits = 16_000;

/** The field for a message. Enter sends it; Shift+Enter starts a new line. */
export const Composer = ({ ref, initialText, isBusy, onSend, onStop }: Props) => {
  const [text, setText] = useState(initialText);
  const canSend = !isBusy && text.trim() !== '';

  useEffect(() => {
    // On a touch screen the focus would open the keyboard over the page.
    if (matchMedia('(pointer: fine)').matches) ref.current?.focus();
  }, [ref]);

  const send = () => {
    if (!canSend) return;
    onSend(text.trim());
    setText('');
  };
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key !== 'Enter' || event.shiftKey || event.nativeEvent.isComposing) return;
    event.preventDefault();
    send();
  };

  return (
    <form
      className="composer"
      onSubmit={(event) => {
        event.preventDefault();
        send();
      }}
    >
      <label className="visually-hidden" htmlFor="message">
        Message to the assistant
      </label>
      <textarea
        id="message"
        ref={ref}
        rows={1}
        maxLength={maxUnits}
        placeholder="Ask about the API, or say what your agent should do"
        aria-describedby="message-note"
        value={text}
        onChange={(event) => setText(event.target.value)}
        onKeyDown={onKeyDown}
      />
      {isBusy ? (
        <button type="button" onClick={onStop}>
          Stop
        </button>
      ) : (
        <button type="submit" disabled={!canSend}>
          Send
        </button>
      )}
      <p id="message-note">Enter sends, Shift+Enter starts a new line. The assistant can make mistakes.</p>
    </form>
  );
};
