import { type KeyboardEvent, type RefObject, useState } from 'react';

type Props = {
  ref: RefObject<HTMLTextAreaElement | null>;
  isBusy: boolean;
  onSend(text: string): void;
  onStop(): void;
};

/** What a message may hold: the service takes no more. */
const mostUnits = 16_000;

/** Where a message is written. Enter sends it; Shift and Enter make a new line. */
export const Composer = ({ ref, isBusy, onSend, onStop }: Props) => {
  const [text, setText] = useState('');
  const canSend = !isBusy && text.trim() !== '';

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
      <label className="hidden" htmlFor="message">
        Message to the assistant
      </label>
      <textarea
        id="message"
        ref={ref}
        rows={1}
        maxLength={mostUnits}
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
      <p id="message-note">Enter sends, Shift and Enter make a new line. The assistant can be wrong.</p>
    </form>
  );
};
