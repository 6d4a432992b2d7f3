import { MultiBar, Presets } from 'cli-progress';
import { say, visible } from '../../command-line/output.ts';
import type { SendResult } from './send-files.ts';
import type { DocumentSummary } from './sources.ts';

export type UploadDisplay = {
  sent(file: string, result: SendResult): void;
  ended(file: string, document: DocumentSummary): void;
  end(): void;
};

/** Shows each file when it is sent and when its text is extracted; on a terminal with a bar at the bottom. */
export const uploadDisplay = (total: number, wait: boolean): UploadDisplay => {
  const format = wait ? '{bar} {sent} of {files} sent · {ended} ended' : '{bar} {sent} of {files} sent';
  const bars = process.stderr.isTTY
    ? new MultiBar({ format, hideCursor: true, gracefulExit: false, barsize: 30 }, Presets.shades_classic)
    : undefined;
  const counts = { sent: 0, ended: 0 };
  const steps = wait ? 2 : 1;
  const bar = bars?.create(total * steps, 0, { ...counts, files: total });
  const show = (line: string) => (bars ? bars.log(`${visible(line)}\n`) : say(visible(line)));
  const update = () => bar?.update(counts.sent + (wait ? counts.ended : 0), { ...counts, files: total });
  return {
    sent(file, result) {
      if (result.status === 'sent') {
        counts.sent += 1;
        show(`${file}: sent${result.way === 'presigned' ? ' by a presigned upload' : ''}.`);
      } else show(`${file}: ${result.status}: ${result.error}`);
      update();
    },
    ended(file, { status, error }) {
      counts.ended += 1;
      show(`${file}: ${status}${error ? `: ${error}` : '.'}`);
      update();
    },
    end: () => bars?.stop(),
  };
};
