import { say, visible } from '../../command-line/output.ts';
import type { SendResult } from './send-files.ts';
import type { DocumentSummary } from './sources.ts';

export type UploadDisplay = {
  sent(file: string, result: SendResult): void;
  ended(file: string, document: DocumentSummary): void;
};

/** Reports each file when it is sent, and when its text is extracted. */
export const uploadDisplay: UploadDisplay = {
  sent(file, result) {
    const way = result.status === 'sent' && result.way === 'presigned' ? ' by a presigned upload' : '';
    say(visible(result.status === 'sent' ? `${file}: sent${way}.` : `${file}: ${result.status}: ${result.error}`));
  },
  ended(file, { status, error }) {
    say(visible(`${file}: ${status}${error ? `: ${error}` : '.'}`));
  },
};
