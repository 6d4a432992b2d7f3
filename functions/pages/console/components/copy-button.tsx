import { announce } from './announcements.tsx';

/** Copies a text, and says so. `what` begins the sentence: "The address". */
export const CopyButton = ({ text, what, isQuiet = true }: { text: string; what: string; isQuiet?: boolean }) => {
  const copy = async () => {
    await navigator.clipboard.writeText(text);
    announce(`${what} is copied.`);
  };
  return (
    <button type="button" className={isQuiet ? 'quiet' : undefined} onClick={() => void copy()}>
      Copy {what.charAt(0).toLowerCase() + what.slice(1)}
    </button>
  );
};
