import { type FormEvent, useEffect, useRef, useState } from 'react';
import { checkApiKey } from './api-key.ts';

type Props = {
  apiKey: string;
  demoKey: string | undefined;
  /** The label of the field, such as “API key”. */
  label: string;
  /** A sentence about what the page does with a key. */
  note: string;
  isOpen: boolean;
  onToggle(isOpen: boolean): void;
  onChange(apiKey: string): void;
};

/** A panel for the API key of the user. The key is checked when it is entered, kept in this tab, and never shown again. */
export const ApiKeyField = ({ apiKey, demoKey, label, note, isOpen, onToggle, onChange }: Props) => {
  const details = useRef<HTMLDetailsElement>(null);
  const input = useRef<HTMLInputElement>(null);
  const [entered, setEntered] = useState('');
  const [problem, setProblem] = useState('');
  const [isChecking, setIsChecking] = useState(false);

  useEffect(() => {
    if (!isOpen) return;
    input.current?.focus();
    const closeOutside = (event: PointerEvent) => {
      if (!details.current?.contains(event.target as Node)) onToggle(false);
    };
    document.addEventListener('pointerdown', closeOutside);
    return () => document.removeEventListener('pointerdown', closeOutside);
  }, [isOpen, onToggle]);

  const close = () => {
    setEntered('');
    setProblem('');
    onToggle(false);
    details.current?.querySelector('summary')?.focus();
  };
  const use = (key: string) => {
    onChange(key);
    close();
  };
  const check = async (event: FormEvent) => {
    event.preventDefault();
    setIsChecking(true);
    const problem = await checkApiKey(entered.trim());
    setIsChecking(false);
    if (problem === undefined) return use(entered.trim());
    setProblem(problem);
    input.current?.focus();
  };

  return (
    <details
      className="key"
      ref={details}
      open={isOpen}
      onToggle={(event) => onToggle(event.currentTarget.open)}
      onKeyDown={(event) => {
        if (event.key === 'Escape' && isOpen) close();
      }}
    >
      <summary className="quiet">{labelKey(apiKey, demoKey)}</summary>
      <form className="panel" onSubmit={(event) => void check(event)}>
        <label htmlFor="api-key">{label}</label>
        <input
          id="api-key"
          ref={input}
          type="password"
          autoComplete="off"
          spellCheck="false"
          placeholder="vap_…"
          aria-describedby="api-key-problem api-key-note"
          aria-invalid={problem !== ''}
          value={entered}
          onChange={(event) => setEntered(event.target.value)}
        />
        <p id="api-key-problem" className="problem" role="alert">
          {problem}
        </p>
        <p id="api-key-note">{note} The key stays in this tab until you close it.</p>
        <div className="buttons">
          <button type="submit" disabled={entered.trim() === '' || isChecking}>
            {isChecking ? 'Checking …' : 'Use this key'}
          </button>
          {demoKey && apiKey !== demoKey && (
            <button type="button" className="quiet" onClick={() => use(demoKey)}>
              Use the demo key
            </button>
          )}
          {apiKey && (
            <button type="button" className="quiet" onClick={() => use('')}>
              Remove the key
            </button>
          )}
        </div>
      </form>
    </details>
  );
};

const labelKey = (apiKey: string, demoKey: string | undefined) => {
  if (!apiKey) return 'Add API key';
  return apiKey === demoKey ? 'Demo key' : `Key ${apiKey.slice(0, 8)}…`;
};
