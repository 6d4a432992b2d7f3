import { MultiBar, Presets } from 'cli-progress';
import type { DocumentSummary } from './knowledge-sources.ts';
import { say, visible } from './output.ts';
import type { Sent } from './send-files.ts';

export type UploadDisplay = {
  sent(file: string, sent: Sent): void;
  ended(file: string, document: DocumentSummary): void;
  end(): void;
};

/** Each file as it goes and as it ends, on a terminal with a bar beneath. */
export const displayOf = (total: number, wait: boolean): UploadDisplay => {
  const format = wait ? '{bar} {sent} of {files} sent · {ended} ended' : '{bar} {sent} of {files} sent';
  const bars = process.stderr.isTTY
    ? new MultiBar({ format, hideCursor: true, gracefulExit: false, barsize: 30 }, Presets.shades_classic)
    : undefined;
  const counts = { sent: 0, ended: 0 };
  const steps = wait ? 2 : 1;
  const bar = bars?.create(total * steps, 0, { ...counts, files: total });
  const tell = (line: string) => (bars ? bars.log(`${visible(line)}\n`) : say(visible(line)));
  const update = () => bar?.update(counts.sent + (wait ? counts.ended : 0), { ...counts, files: total });
  return {
    sent(file, sent) {
      if (sent.status === 'sent') {
        counts.sent += 1;
        tell(`${file}: sent${sent.way === 'form' ? ' by a form' : ''}.`);
      } else tell(`${file}: ${sent.status}. ${sent.error}`);
      update();
    },
    ended(file, { status, error }) {
      counts.ended += 1;
      tell(`${file}: ${status}.${error ? ` ${error}` : ''}`);
      update();
    },
    end: () => bars?.stop(),
  };
};
