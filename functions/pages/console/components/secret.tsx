import type { ReactNode } from 'react';
import { announce } from './announcements.tsx';

type SecretProps = { secret: string; onDone(): void; children: ReactNode };

/** Shows a secret, which is never shown again, below what it is for. */
export const Secret = ({ secret, onDone, children }: SecretProps) => {
  const copy = async () => {
    await navigator.clipboard.writeText(secret);
    announce('The secret is copied.');
  };
  return (
    <div className="stack">
      <p>{children} It is not shown again.</p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: what is to be copied is selected by keyboard, too */}
      <code className="secret" aria-label="Secret" role="img" tabIndex={0}>
        {secret}
      </code>
      <div className="buttons">
        <button type="button" onClick={() => void copy()}>
          Copy the secret
        </button>
        <button type="button" className="quiet" onClick={onDone}>
          Done
        </button>
      </div>
    </div>
  );
};
