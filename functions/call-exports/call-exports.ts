import type { ExportFormat } from '../domain/call-exports.ts';
import { service } from '../service.ts';
import { Exports, exportPermissions, type StoredExport, type StoredFile } from '../store/exports.ts';
import { table } from '../store/table.ts';

/** An export of calls with its progress. */
export type StoredCallExport = Omit<StoredExport, 'files'> & {
  /** Absent: all agents that the user owns. */
  agentIds?: string[];
  /** As they were requested. */
  from: string;
  to: string;
  format: ExportFormat;
  files: (StoredFile & { calls: number })[];
  /** The place of the last call of the files. */
  position?: string;
};

export const callExports = /* @__PURE__ */ service(
  () => new Exports<StoredCallExport>(table.get(), 'CALL'),
  exportPermissions,
);
