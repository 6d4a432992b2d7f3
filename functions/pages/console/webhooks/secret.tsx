import { announce } from '../components/announcements.tsx';

/** Shows a secret, which is never shown again. */
export const Secret = ({ secret, onDone }: { secret: string; onDone(): void }) => {
  const copy = async () => {
    await navigator.clipboard.writeText(secret);
    announce('The secret is copied.');
  };
  return (
    <div className="stack">
      <p>
        The secret signs what is sent: give it to the program that receives it. It is not shown again.{' '}
        <a href="/docs/webhooks">How to verify a signature</a>
      </p>
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
