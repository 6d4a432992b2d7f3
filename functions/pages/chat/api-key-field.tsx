import { type FormEvent, useRef, useState } from 'react';

type Props = { apiKey: string; onChange(apiKey: string): void };

/** Where a reader may give their API key. It is sent with their messages, kept in this tab, and never shown again. */
export const ApiKeyField = ({ apiKey, onChange }: Props) => {
  const details = useRef<HTMLDetailsElement>(null);
  const [typed, setTyped] = useState('');

  const close = () => {
    setTyped('');
    if (details.current) details.current.open = false;
    details.current?.querySelector('summary')?.focus();
  };
  const use = (event: FormEvent) => {
    event.preventDefault();
    onChange(typed.trim());
    close();
  };
  const forget = () => {
    onChange('');
    close();
  };

  return (
    <details
      className="key"
      ref={details}
      onKeyDown={(event) => {
        if (event.key === 'Escape') close();
      }}
    >
      <summary className="quiet">{apiKey ? `Key ${apiKey.slice(0, 8)}…` : 'Add API key'}</summary>
      <form className="panel" onSubmit={use}>
        <label htmlFor="api-key">API key (optional)</label>
        <input
          id="api-key"
          type="password"
          autoComplete="off"
          spellCheck={false}
          placeholder="vap_…"
          aria-describedby="api-key-note"
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
        />
        <p id="api-key-note">
          With a key the assistant can look at your agents and, each time you approve, create and change them. It stays
          in this tab and is forgotten when you close it. Another key begins a new conversation.
        </p>
        <div className="buttons">
          <button type="submit" disabled={typed.trim() === ''}>
            Use this key
          </button>
          {apiKey && (
            <button type="button" className="quiet" onClick={forget}>
              Forget the key
            </button>
          )}
        </div>
      </form>
    </details>
  );
};
