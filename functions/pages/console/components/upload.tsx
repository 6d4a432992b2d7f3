import { type RefObject, useRef, useState } from 'react';
import type { UploadProgress } from '../../../openapi/client/client.ts';
import { formatBytes, formatPercent } from '../formats.ts';

/** Shows the progress of an upload. */
export const Progress = ({ label, progress }: { label: string; progress: UploadProgress }) => {
  const { sentBytes, totalBytes } = progress;
  const share = totalBytes > 0 ? sentBytes / totalBytes : 1;
  return (
    <div className="progress">
      <progress aria-label={label} max={1} value={share} />
      <span>
        {formatPercent(share)} of {formatBytes(totalBytes)}
      </span>
    </div>
  );
};

/** Keeps the progress of an upload, and ends it when its dialog is closed. */
export const useUpload = (): {
  progress: UploadProgress | undefined;
  setProgress(progress: UploadProgress | undefined): void;
  stopping: RefObject<AbortController>;
} => {
  const [progress, setProgress] = useState<UploadProgress>();
  const stopping = useRef(new AbortController());
  return { progress, setProgress, stopping };
};
