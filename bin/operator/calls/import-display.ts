import { count, say, visible } from '../../command-line/output.ts';
import type { ImportListener } from './import-calls.ts';

const everyMilliseconds = 5000;

/** Reports an import on standard error: the failed lines, and every few seconds how far it is. */
export const importDisplay = (file: string): ImportListener => {
  let last = Date.now();
  return {
    begin({ resumedAfterLine }) {
      if (resumedAfterLine !== undefined) say(`Continuing after line ${resumedAfterLine}.`);
    },
    error: ({ line, message }) => say(visible(`${file}:${line}: ${message}`)),
    progress({ line, failed, end, bytes }) {
      if (Date.now() - last < everyMilliseconds) return;
      last = Date.now();
      say(`${Math.floor((100 * end) / bytes)}%: ${count(line, 'line')}, ${failed.toLocaleString('en')} failed.`);
    },
  };
};
